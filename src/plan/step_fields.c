#include "plan/step_fields.h"

#include <errno.h>
#include <string.h>
#include "base/units.h"
#include "plan/criterion.h"
#include "plan/option.h"
#include "plan/pick.h"
#include "plan/step.h"
#include "plan/vary.h"

#define EXPECTS_MAX 64
#define SWEPT_KEYS_MAX 24	/* of a step and its groups: plan_instance has PLAN_VALUES_MAX */
#define TARGETS_MAX 1024

void value_of_entry(const struct parser *parser, const struct entry *entry, struct value *ret_value)
{
	*ret_value = (struct value){
		.plan = parser->plan, .entry = entry, .key = entry->key, .option = entry->option,
		.text = entry->text ? entry->text : "", .has_text = entry->text, .exact = entry->exact,
		.text_column = entry->text_column, .dialect = parser->plan->dialect,
		.cpu_count = parser->options->cpu_count, .fault = parser->fault,
	};
}

static const char *own_text(const struct step_private *own, const char *name)
{
	const struct entry *entry = step_entry(own, option_named(name));

	return entry ? entry->text : NULL;
}

/* Counts the entries of the section whose key `is` one. */
static uint32_t entries_count(const struct section *section, bool (*is)(const char *key))
{
	uint32_t count = 0;

	for (const struct entry *entry = section->entries; entry; entry = entry->next)
		count += is(entry->key);
	return count;
}

static bool is_vary(const char *key) { return vary_is(key); }
static bool is_pick(const char *key) { return pick_is(key); }
static bool is_track(const char *key) { return !strcmp(key, "track"); }

/* A swept key must not stand in the section as well, nor be swept twice. */
static int sweep_check(struct parser *parser, const struct step_private *own, uint32_t line)
{
	const struct vary_line *sweep = &own->varies[line];

	for (const struct entry *entry = own->section->entries; entry; entry = entry->next)
		if (entry->option && entry->option->parse && vary_has_option(sweep, entry->option))
			return parser_fault(parser, entry->mark, "%s contradicts the sweep in line %u",
					    entry->key, sweep->entry->mark.line);
	for (uint32_t before = 0; before < line; before++)
		for (uint32_t a = 0; a < sweep->vary->key_count; a++)
			for (uint32_t b = 0; b < own->varies[before].vary->key_count; b++)
				if (!strcmp(sweep->vary->keys[a], own->varies[before].vary->keys[b]) ||
				    (sweep->options[a] &&
				     vary_has_option(&own->varies[before], sweep->options[a])))
					return parser_fault(
						parser, sweep->entry->mark, "%s is swept in line %u already",
						sweep->vary->keys[a], own->varies[before].entry->mark.line);
	return 0;
}

static uint32_t swept_keys(const struct plan *plan, const struct plan_step *step)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < step->vary_count; i++)
		count += step->vary[i].key_count;
	return count + (step->group >= 0 ? swept_keys(plan, &plan->steps[step->group]) : 0);
}

static int read_sweeps(struct parser *parser, struct plan_step *step, struct step_private *own)
{
	uint32_t count = parser->plan->dialect == PLAN_NATIVE ? entries_count(own->section, is_vary) : 0;
	struct plan_vary *vary = arena_alloc(parser->arena, (count + 1) * sizeof(*vary));
	int error = 0;

	own->varies = arena_alloc(parser->arena, (count + 1) * sizeof(*own->varies));
	if (!vary || !own->varies)
		return -ENOMEM;
	for (struct entry *entry = own->section->entries; entry && !error && count; entry = entry->next) {
		if (!vary_is(entry->key))
			continue;
		error = vary_parse(parser, entry, &own->varies[step->vary_count]);
		if (!error)
			error = sweep_check(parser, own, step->vary_count);
		if (error)
			return error;
		vary[step->vary_count] = *own->varies[step->vary_count].vary;
		if (__builtin_mul_overflow(step->point_count, vary[step->vary_count].row_count,
					   &step->point_count) ||
		    step->point_count > PLAN_POINTS_MAX)
			return parser_fault(parser, entry->mark, "the step expands to more than %d points",
					    PLAN_POINTS_MAX);
		step->vary_count++;
	}
	step->vary = vary;
	if (swept_keys(parser->plan, step) > SWEPT_KEYS_MAX)
		return parser_fault(parser, own->mark, "more than %d keys are swept here", SWEPT_KEYS_MAX);
	return 0;
}

static int read_tracks(struct parser *parser, struct plan_step *step, struct step_private *own)
{
	uint32_t count = entries_count(own->section, is_track);
	struct plan_track *track = arena_alloc(parser->arena, (count + 1) * sizeof(*track));
	struct value value;
	int error = track ? 0 : -ENOMEM;

	for (const struct entry *entry = own->section->entries; entry && !error && count;
	     entry = entry->next) {
		if (!is_track(entry->key))
			continue;
		value_of_entry(parser, entry, &value);
		error = track_parse(parser, &value, &track[step->track_count++]);
	}
	step->track = track;
	return error;
}

static int pick_check_name(struct parser *parser, const struct entry *entry)
{
	const char *name = entry->key + 5;

	if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != strlen(name))
		return parser_fault(parser, entry->mark,
				    "the name of a pick has letters, digits, _ and - only");
	for (uint32_t i = 0; i < parser->plan->step_count; i++)
		for (uint32_t p = 0; p < parser->plan->steps[i].pick_count; p++)
			if (!strcmp(parser->plan->steps[i].pick[p].name, name))
				return parser_fault(parser, entry->mark,
						    "there is a pick called %s in line %u already", name,
						    parser->plan->steps[i].pick[p].line);
	return 0;
}

static int read_picks(struct parser *parser, struct plan_step *step, struct step_private *own)
{
	uint32_t count = parser->plan->dialect == PLAN_NATIVE ? entries_count(own->section, is_pick) : 0;
	struct plan_pick *pick = arena_alloc(parser->arena, (count + 1) * sizeof(*pick));
	struct value value;
	int error = pick ? 0 : -ENOMEM;

	for (const struct entry *entry = own->section->entries; entry && !error && count;
	     entry = entry->next) {
		if (!pick_is(entry->key))
			continue;
		value_of_entry(parser, entry, &value);
		error = pick_check_name(parser, entry);
		for (uint32_t i = 0; i < step->pick_count && !error; i++)
			if (!strcmp(pick[i].name, entry->key + 5))
				error = parser_fault(parser, entry->mark,
						     "the pick %s stands here a second time", pick[i].name);
		if (!error)
			error = pick_parse(parser, &value, &pick[step->pick_count]);
		if (!error)
			step->pick_count++;
	}
	step->pick = pick;
	return error;
}

/* The criteria of the innermost level that has some: "a<1 b<2", several to a line. */
static int read_expects(struct parser *parser, struct plan_step *step, struct step_private *own)
{
	const struct option *option = option_named("expect");
	struct plan_expect *expect;
	uint32_t level = 0;

	if (!step_entry(own, option) || !((1u << step->kind) & option->where))
		return 0;
	expect = arena_alloc(parser->arena, EXPECTS_MAX * sizeof(*expect));
	if (!expect)
		return -ENOMEM;
	for (uint32_t i = 0; i < own->setting_count; i++)
		if (own->settings[i].entry->option == option)
			level = own->settings[i].level;
	for (uint32_t i = 0; i < own->setting_count; i++) {
		const struct setting *setting = &own->settings[i];
		struct value value;
		struct span rest, word;

		if (setting->entry->option != option || setting->level != level)
			continue;
		value_of_entry(parser, setting->entry, &value);
		for (rest = value_span(&value); span_next(&rest, ' ', &word);) {
			int error = step->expect_count == EXPECTS_MAX
				? value_fault(&value, word.at, "more than %d criteria", EXPECTS_MAX)
				: criterion_parse(parser, &value, word, &expect[step->expect_count]);

			if (error)
				return error;
			step->expect_count++;
		}
	}
	step->expect = expect;
	own->expects_own = level == step->depth + 1;
	return 0;
}

/* Only what can be told from counts of slow I/Os. */
static bool search_limit_fits(const struct plan_expect *limit)
{
	return limit->below && limit->limit > 0 && (limit->figure[0] == 'p' || !strcmp(limit->figure, "max"));
}

static int read_search(struct parser *parser, struct plan_step *step, struct step_private *own)
{
	const struct entry *entry = step_entry(own, option_named("search"));
	struct value value;
	int error;

	if (!entry)
		return 0;
	value_of_entry(parser, entry, &value);
	error = criterion_parse(parser, &value, value_span(&value), &step->search);
	if (!error && !search_limit_fits(&step->search))
		error = value_fault(&value, value.text,
				    "a search is for a percentile or max below a time, for instance "
				    "p99.9<1ms");
	step->searches = !error;
	return error;
}

static int read_numbers(struct parser *parser, struct plan_step *step, struct step_private *own)
{
	static const char *const methods[] = {
		"best", "trim", "format", "sanitize", "secure_erase", "punch", "none", "auto", "secure-erase",
		NULL
	};
	enum { AUTO = 7, SECURE_ERASE_TOO = 8 };	/* other spellings */
	const struct entry *repeat = step_entry(own, option_named("repeat"));
	const struct entry *method = step_entry(own, option_named("method"));
	struct value value;
	uint64_t number = 1;
	uint32_t index = PURGE_BEST;
	int error = 0;

	if (repeat) {
		value_of_entry(parser, repeat, &value);
		error = value_u64(&value, value_span(&value), 1, PLAN_POINTS_MAX, &number);
	}
	if (!error && method) {
		value_of_entry(parser, method, &value);
		error = value_word(&value, value_span(&value), methods, &index);
	}
	step->repeat = (uint32_t)number;
	step->purge = index == AUTO ? PURGE_BEST
		      : index == SECURE_ERASE_TOO ? PURGE_SECURE_ERASE : (enum purge_method)index;
	return error;
}

static int need_text(struct parser *parser, const struct step_private *own, const char *text, const char *key)
{
	if (text && *text)
		return 0;
	return parser_fault(parser, own->mark, "the step needs %s=", key);
}

static int read_words(struct parser *parser, struct plan_step *step, struct step_private *own)
{
	const char *name = own_text(own, "name");

	step->title = own_text(own, "title");
	step->description = own_text(own, "description");
	step->text = own_text(own, "text");
	step->command = own_text(own, "command");
	step->trace = own_text(own, "trace");
	if (name && strlen(name) >= LOAD_NAME)
		return parser_fault(parser, own->mark, "the name has more than %d bytes", LOAD_NAME - 1);
	if (name && *name) {
		own->load_name = name;
		step->name = name;
	}
	if (step->kind == STEP_NOTE)
		return need_text(parser, own, step->text, "text");
	if (step->kind == STEP_REPLAY)
		return need_text(parser, own, step->trace, "trace");
	if (step->kind != STEP_APP)
		return 0;
	if (!parser->options->allow_commands)
		return parser_fault(parser, own->mark,
				    "the step runs a command; allow it with --allow-commands");
	return need_text(parser, own, step->command, "command");
}

/* Adds the name to plan->targets unless it is there; gives its index. */
static int target_add(struct parser *parser, const char *name, uint32_t *ret_index)
{
	struct plan *plan = parser->plan;
	const char **targets = (const char **)(uintptr_t)plan->targets;

	for (uint32_t i = 0; i < plan->target_count; i++)
		if (!strcmp(plan->targets[i], name)) {
			*ret_index = i;
			return 0;
		}
	if (!targets)
		targets = arena_alloc(parser->arena, TARGETS_MAX * sizeof(*targets));
	if (!targets)
		return -ENOMEM;
	if (plan->target_count == TARGETS_MAX)
		return -E2BIG;
	plan->targets = targets;
	targets[plan->target_count] = name;
	*ret_index = plan->target_count++;
	return 0;
}

/* One name of fio's "a:b\:c" up to the next colon without a backslash; gives it without backslashes. */
static char *name_take(struct parser *parser, const char **at)
{
	char *name = arena_alloc(parser->arena, strlen(*at) + 1);
	size_t bytes = 0;

	while (name && **at && **at != ':') {
		if (**at == '\\' && ((*at)[1] == ':' || (*at)[1] == '\\'))
			(*at)++;
		name[bytes++] = *(*at)++;
	}
	*at += **at == ':';
	return name;
}

static const char *target_path(struct parser *parser, const char *directory, const char *name)
{
	size_t bytes = directory ? strlen(directory) : 0;

	if (!directory || *name == '/')
		return name;
	return arena_printf(parser->arena, "%s%s%s", directory,
			    bytes && directory[bytes - 1] == '/' ? "" : "/", name);
}

static int step_add_target(struct parser *parser, struct plan_step *step, const struct entry *entry,
			   const char *path, uint32_t *indices)
{
	int error = path ? target_add(parser, path, &indices[step->target_count]) : -ENOMEM;

	if (error == -E2BIG || step->target_count >= PLAN_LOADS_MAX)
		return parser_fault(parser, entry_value_mark(entry), "too many files are named");
	if (!error)
		step->target_count++;
	return error;
}

static int read_filename(struct parser *parser, struct plan_step *step, const struct entry *entry,
			 const char *directory, uint32_t *indices)
{
	const char *at = entry->text;
	int error = 0;

	if (!*at)
		return parser_fault(parser, entry_value_mark(entry), "%s needs a name", entry->key);
	if (parser->plan->dialect == PLAN_NATIVE)
		return step_add_target(parser, step, entry, target_path(parser, directory, at), indices);
	while (*at && !error) {
		char *name = name_take(parser, &at);

		if (!name)
			return -ENOMEM;
		if (!*name)
			return parser_fault(parser, entry_value_mark(entry),
					    "a name between two colons is empty; write \\: for a "
					    "colon in a name");
		error = step_add_target(parser, step, entry, target_path(parser, directory, name), indices);
	}
	return error;
}

static int read_targets(struct parser *parser, struct plan_step *step, struct step_private *own)
{
	const struct option *option = option_named("filename");
	const struct entry *filename = step_entry(own, option);
	const struct entry *directory = step_entry(own, option_named("directory"));
	uint32_t *indices = arena_alloc(parser->arena, (PLAN_LOADS_MAX + 1) * sizeof(*indices)), level = 0;
	int error = indices ? 0 : -ENOMEM;

	if (!((1u << step->kind) & WHERE_RANGES))
		return 0;
	if (directory && !*directory->text)
		return parser_fault(parser, entry_value_mark(directory), "%s needs a name", directory->key);
	if (directory && parser->plan->dialect == PLAN_FIO && strchr(directory->text, ':'))
		return parser_fault(parser, entry_value_mark(directory),
				    "several directories are not supported");
	for (uint32_t i = 0; i < own->setting_count; i++)
		if (own->settings[i].entry->option == option)
			level = own->settings[i].level;
	for (uint32_t i = 0; i < own->setting_count && !error; i++)
		if (own->settings[i].entry->option == option && own->settings[i].level == level)
			error = read_filename(parser, step, own->settings[i].entry,
					      directory ? directory->text : NULL, indices);
	if (!error && !filename && directory)
		error = step_add_target(parser, step, directory, target_path(parser, directory->text, ""),
					indices);
	if (!error && filename && parser->plan->dialect == PLAN_FIO && step->target_count > 1)
		error = parser_complain(parser, entry_value_mark(filename),
					"each of the %u files has its own queue, size and rate "
					"here; fio shares them among the files of a job",
					step->target_count);
	step->targets = indices;
	return error;
}

int step_read_fields(struct parser *parser, struct plan_step *step)
{
	typedef int reader(struct parser *parser, struct plan_step *step, struct step_private *own);
	static reader *const readers[] = { read_words,   read_sweeps, read_tracks,  read_picks,
					   read_expects, read_search, read_numbers, read_targets };
	struct step_private *own = &parser->plan->private->steps[step->index];

	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++) {
		int error = readers[i](parser, step, own);

		if (error)
			return error;
	}
	return 0;
}

int step_read_global(struct parser *parser, const struct section *section)
{
	struct plan *plan = parser->plan;

	for (const struct entry *entry = section->entries; entry; entry = entry->next) {
		if (!entry->option)
			continue;
		if (!strcmp(entry->option->name, "title"))
			plan->title = entry->text;
		if (!strcmp(entry->option->name, "report"))
			plan->report = entry->text;
		if (!strcmp(entry->option->name, "description"))
			plan->description = entry->text;
		if (!strcmp(entry->option->name, "randseed") && entry->text)
			u64_parse(entry->text, &plan->seed);	/* a bad one is found by the loads */
	}
	return 0;
}
