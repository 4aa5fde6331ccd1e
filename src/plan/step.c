#include "base/nearest.h"
#include "plan/step.h"

#include <errno.h>
#include <string.h>
#include "plan/check.h"
#include "plan/sets.h"
#include "plan/step_fields.h"
#include "plan/vary.h"

static const char *const kind_names[] = {
	"load", "fill", "purge", "idle", "group", "mkfs", "app", "replay", "powercut", "note", NULL
};

const char *step_kind_name(enum step_kind kind)
{
	return kind_names[kind];
}

/* A growing list of settings. */
struct settings {
	struct arena *arena;
	struct setting *items;
	uint32_t count, capacity;
};

static int settings_append(struct settings *settings, struct entry *entry, uint32_t level)
{
	if (settings->count == settings->capacity) {
		uint32_t capacity = settings->capacity ? settings->capacity * 2 : 32;
		struct setting *items = arena_alloc(settings->arena, capacity * sizeof(*items));

		if (!items)
			return -ENOMEM;
		if (settings->count)
			memcpy(items, settings->items, settings->count * sizeof(*items));
		settings->items = items;
		settings->capacity = capacity;
	}
	settings->items[settings->count++] = (struct setting){ entry, level };
	return 0;
}

/* The last one about a thing takes the place of the one before in the same level, so that lists stay short.
 */
static int settings_put(struct settings *settings, struct entry *entry, uint32_t level, bool repeats)
{
	for (uint32_t i = 0; i < settings->count && !repeats; i++) {
		struct setting *setting = &settings->items[i];

		if (setting->level != level ||
		    option_slot_index(setting->entry->option) != option_slot_index(entry->option))
			continue;
		setting->entry = entry;
		return 0;
	}
	if (settings->count > 4096)
		return -E2BIG;
	return settings_append(settings, entry, level);
}

static int settings_put_section(struct parser *parser, struct settings *settings,
				const struct section *section, uint32_t level)
{
	for (struct entry *entry = section->entries; entry; entry = entry->next) {
		int error;

		if (!entry->option)
			continue;
		error = settings_put(settings, entry, level,
				     parser->plan->dialect == PLAN_NATIVE &&
					     entry->option->flags & OPTION_REPEAT);
		if (error == -E2BIG)
			return parser_fault(parser, entry->mark, "more than 4096 settings for one step");
		if (error)
			return error;
	}
	return 0;
}

static int settings_inherit(struct settings *settings, const struct setting *from, uint32_t count,
			    uint32_t level_min)
{
	int error = 0;

	for (uint32_t i = 0; i < count && !error; i++)
		if (from[i].level >= level_min && !(from[i].entry->option->flags & OPTION_OWN))
			error = settings_append(settings, from[i].entry, from[i].level);
	return error;
}

int32_t step_find(const struct plan *plan, const char *name)
{
	for (uint32_t i = plan->step_count; i-- > 0;)
		if (!strcmp(plan->steps[i].name, name))
			return (int32_t)i;
	return -1;
}

const char *step_nearest(const struct plan *plan, const char *name)
{
	const char *names[256];
	uint32_t count = 0;

	for (uint32_t i = 0; i < plan->step_count && count < 256; i++)
		names[count++] = plan->steps[i].name;
	return nearest_name(name, names, count);
}

struct entry *step_entry(const struct step_private *step, const struct option *option)
{
	for (uint32_t i = step->setting_count; i-- > 0;)
		if (step->settings[i].entry->option == option)
			return step->settings[i].entry;
	return NULL;
}

static struct entry *section_entry(const struct section *section, const char *key)
{
	for (struct entry *entry = section->entries; entry; entry = entry->next)
		if (!strcmp(entry->key, key))
			return entry;
	return NULL;
}

static int step_read_kind(struct parser *parser, struct plan_step *step, const struct section *section)
{
	const struct entry *entry =
		parser->plan->dialect == PLAN_NATIVE ? section_entry(section, "kind") : NULL;
	struct value value;
	uint32_t kind;
	int error;

	if (!entry)
		return 0;
	value_of_entry(parser, entry, &value);
	error = value_word(&value, value_span(&value), kind_names, &kind);
	if (!error)
		step->kind = (enum step_kind)kind;
	return error;
}

static bool group_encloses(const struct plan *plan, int32_t group, int32_t step)
{
	for (; step >= 0; step = plan->steps[step].group)
		if (step == group)
			return true;
	return false;
}

/* in=GROUP: a group above, whose steps follow one another. */
static int step_read_group(struct parser *parser, struct plan_step *step, const struct section *section)
{
	const struct plan *plan = parser->plan;
	const struct entry *entry = plan->dialect == PLAN_NATIVE ? section_entry(section, "in") : NULL;
	const char *nearest;
	struct mark mark;

	step->group = -1;
	if (!entry || !entry->text)
		return 0;
	mark = entry_value_mark(entry);
	step->group = step_find(plan, entry->text);
	nearest = step_nearest(plan, entry->text);
	if (step->group < 0)
		return parser_fault(parser, mark, "in: no group called \"%s\" stands above%s%s%s",
				    entry->text, nearest ? "; did you mean " : "", nearest ? nearest : "",
				    nearest ? "?" : "");
	if (plan->steps[step->group].kind != STEP_GROUP)
		return parser_fault(parser, mark, "in: %s is no group (kind=group)", entry->text);
	if (!group_encloses(plan, step->group, (int32_t)step->index - 1))
		return parser_fault(parser, mark,
				    "in: the steps of group %s must follow one another, but %s stands "
				    "between",
				    entry->text, plan->steps[step->index - 1].name);
	step->depth = plan->steps[step->group].depth + 1;
	if (step->depth > PLAN_DEPTH_MAX)
		return parser_fault(parser, mark, "in: groups nest deeper than %d", PLAN_DEPTH_MAX);
	return 0;
}

static int step_check_name(struct parser *parser, const struct section *section)
{
	if (strlen(section->name) >= LOAD_NAME)
		return parser_fault(parser, section->mark,
				    "the section's name has %zu bytes; at most %d are possible",
				    strlen(section->name), LOAD_NAME - 1);
	if (parser->plan->dialect == PLAN_NATIVE && step_find(parser->plan, section->name) >= 0)
		return parser_fault(parser, section->mark, "there is a step called %s already",
				    section->name);
	return 0;
}

/* The settings that reach the step: [global] up to here, its groups, its own section, --set. */
static int step_collect(struct parser *parser, struct plan_step *step, const struct settings *global)
{
	struct plan_private *private = parser->plan->private;
	struct step_private *own = &private->steps[step->index];
	struct settings settings = { .arena = parser->arena };
	int error = settings_inherit(&settings, global->items, global->count, 0);

	if (!error && parser->sets)
		error = settings_put_section(parser, &settings, parser->sets, 0);
	if (!error && step->group >= 0) {
		const struct step_private *group = &private->steps[step->group];

		error = settings_inherit(&settings, group->settings, group->setting_count, 1);
	}
	if (!error)
		error = settings_put_section(parser, &settings, own->section, step->depth + 1);
	own->settings = settings.items;
	own->setting_count = settings.count;
	return error;
}

static int step_build(struct parser *parser, struct section *section, const struct settings *global)
{
	struct plan *plan = parser->plan;
	struct plan_step *step = &plan->steps[plan->step_count];
	struct step_private *own = &plan->private->steps[plan->step_count];
	int error = step_check_name(parser, section);

	*step = (struct plan_step){
		.name = section->name, .index = plan->step_count, .joined_to = -1, .on_step = -1, .repeat = 1,
		.point_count = 1, .line = section->mark.line,
	};
	own->section = section;
	own->mark = section->mark;
	own->load_name = section->name;
	if (!error)
		error = step_read_kind(parser, step, section);
	if (!error)
		error = step_read_group(parser, step, section);
	if (!error)
		error = check_section(parser, section, (int)step->kind);
	if (!error)
		error = step_collect(parser, step, global);
	if (!error)
		error = step_read_fields(parser, step);
	if (!error)
		plan->step_count++;
	return error;
}

static int section_build(struct parser *parser, struct section *section, struct settings *global)
{
	const char *class_name = section_class(parser, section);
	int error;

	if (!class_name && !section_is_global(parser, section))
		return step_build(parser, section, global);
	error = check_section(parser, section, -1);
	if (error || (class_name && strcmp(class_name, parser->plan->class_name)))
		return error;
	error = settings_put_section(parser, global, section, 0);
	return error ? error : step_read_global(parser, section);
}

int step_build_all(struct parser *parser)
{
	struct plan *plan = parser->plan;
	struct settings global = { .arena = parser->arena };
	int error = parser->sets ? check_section(parser, parser->sets, -1) : 0;

	plan->steps = arena_alloc(parser->arena, (parser->section_count + 1) * sizeof(*plan->steps));
	plan->private->steps =
		arena_alloc(parser->arena, (parser->section_count + 1) * sizeof(*plan->private->steps));
	if (!plan->steps || !plan->private->steps)
		return -ENOMEM;
	for (struct section *section = parser->sections; section && !error; section = section->next)
		error = section_build(parser, section, &global);
	if (!error && parser->sets)
		error = step_read_global(parser, parser->sets);
	if (!error && !plan->step_count)
		error = parser_fault(parser, (struct mark){ parser->options->source, 0, 0 },
				     "the plan has no step: a section like [read] with rw=, bs= ... is "
				     "missing");
	return error ? error : step_link_all(parser);
}
