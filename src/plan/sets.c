#include "base/nearest.h"
#include "plan/sets.h"

#include <errno.h>
#include <string.h>
#include "plan/option.h"
#include "plan/value.h"
#include "plan/vary.h"

#define NAMES_MAX 256

bool section_is_global(const struct parser *parser, const struct section *section)
{
	return !strcmp(section->name, "global");
}

const char *section_class(const struct parser *parser, const struct section *section)
{
	if (parser->plan->dialect != PLAN_NATIVE || strncmp(section->name, "class ", 6))
		return NULL;
	return section->name + 6 + strspn(section->name + 6, " \t");
}

static bool section_is_step(const struct parser *parser, const struct section *section)
{
	return !section_is_global(parser, section) && !section_class(parser, section);
}

/* "vary.numjobs/iodepth" and "iodepth": does this key speak of the option? `ret_alone`: of nothing else. */
static bool key_speaks_of(const char *key, const struct option *option, bool *ret_alone)
{
	const char *names = vary_is(key) ? key + 5 : key;
	struct span rest = { names, strlen(names) }, piece;
	uint32_t count = 0;
	bool found = false;
	char name[64];

	while (span_next(&rest, '/', &piece)) {
		const struct option *other = span_copy(piece, name, sizeof(name)) ? option_find(name) : NULL;

		found |= other && option_slot_index(other) == option_slot_index(option);
		count++;
	}
	*ret_alone = count == 1;
	return found;
}

static bool entry_is_replaced(const struct entry *entry, const char *key, const struct option *option,
			      bool *ret_alone)
{
	*ret_alone = true;
	if (!strcmp(entry->key, key))
		return true;
	return option && key_speaks_of(entry->key, option, ret_alone);
}

/* Removes what the section says about the key so far. */
static int section_forget(struct parser *parser, struct section *section, const char *key, struct mark mark)
{
	const struct option *option = option_find(vary_is(key) ? key + 5 : key);
	struct entry **link = &section->entries, *entry;
	bool alone;

	section->entries_last = NULL;
	while ((entry = *link)) {
		if (!entry_is_replaced(entry, key, option, &alone)) {
			section->entries_last = entry;
			link = &entry->next;
			continue;
		}
		if (!alone)
			return parser_fault(parser, mark,
					    "%s moves together with others in line %u (%s); set %s as a "
					    "whole",
					    key, entry->mark.line, entry->key, entry->key);
		*link = entry->next;
	}
	return 0;
}

static int section_set(struct parser *parser, struct section *section, const char *key, const char *text,
		       struct mark mark)
{
	struct entry *entry = arena_alloc(parser->arena, sizeof(*entry));
	int error = entry ? section_forget(parser, section, key, mark) : -ENOMEM;

	if (error)
		return error;
	*entry = (struct entry){ .key = key, .text = text, .mark = mark, .from_set = true };
	if (section->entries_last)
		section->entries_last->next = entry;
	else
		section->entries = entry;
	section->entries_last = entry;
	return 0;
}

/* The longest step name in front of a dot; NULL when `left` is a global key. */
static const char *step_name_find(const struct parser *parser, const char *left)
{
	const char *found = NULL;
	size_t longest = 0;

	for (const struct section *section = parser->sections; section; section = section->next) {
		size_t length = strlen(section->name);

		if (!section_is_step(parser, section) || strncmp(left, section->name, length) ||
		    left[length] != '.')
			continue;
		if (length > longest || !found) {
			longest = length;
			found = section->name;
		}
	}
	return found;
}

static int set_global(struct parser *parser, const char *key, const char *text, struct mark mark)
{
	const char *dot = strchr(key, '.');

	if (!*key)
		return parser_fault(parser, mark, "--set needs KEY=VALUE");
	if (vary_is(key))
		return parser_fault(parser, mark, "a sweep belongs to a step; write --set STEP.%s=%s", key,
				    text);
	if (dot)
		return parser_fault(parser, mark, "no step of this plan is called \"%.*s\"", (int)(dot - key),
				    key);
	if (!parser->sets) {
		parser->sets = arena_alloc(parser->arena, sizeof(*parser->sets));
		if (!parser->sets)
			return -ENOMEM;
		parser->sets->name = "global";
	}
	return section_set(parser, parser->sets, key, text, mark);
}

static int set_step(struct parser *parser, const char *name, const char *key, const char *text,
		    struct mark mark)
{
	for (struct section *section = parser->sections; section; section = section->next) {
		int error;

		if (!section_is_step(parser, section) || strcmp(section->name, name))
			continue;
		error = section_set(parser, section, key, text, mark);
		if (error)
			return error;
	}
	return 0;
}

static int set_one(struct parser *parser, const char *set)
{
	struct mark mark = { .source = arena_printf(parser->arena, "--set %s", set) };
	const char *equals = strchr(set, '='), *text, *key, *name;

	if (!mark.source)
		return -ENOMEM;
	if (!equals || equals == set)
		return parser_fault(parser, mark, "--set needs KEY=VALUE or STEP.KEY=VALUE");
	for (const char *at = set; *at; at++)
		if ((unsigned char)*at < 32)
			return parser_fault(parser, mark, "a control character stands in it");
	key = arena_strndup(parser->arena, set, (size_t)(equals - set));
	text = arena_strdup(parser->arena, equals + 1);
	if (!key || !text)
		return -ENOMEM;
	if (!strcmp(key, "class")) {
		parser->class_name = text;
		return 0;
	}
	name = step_name_find(parser, key);
	if (!name)
		return set_global(parser, key, text, mark);
	return set_step(parser, name, key + strlen(name) + 1, text, mark);
}

static int sets_choose_class(struct parser *parser)
{
	const char *names[NAMES_MAX], *wanted = parser->class_name, *nearest;
	struct mark mark = { .source = "--set class" };
	uint32_t count = 0;

	for (const struct section *section = parser->sections; section && count < NAMES_MAX;
	     section = section->next) {
		const char *name = section_class(parser, section);

		if (!name)
			continue;
		names[count++] = name;
		if (!wanted || !strcmp(name, wanted)) {
			parser->plan->class_name = name;
			return 0;
		}
	}
	if (!wanted)
		return 0;
	if (!count)
		return parser_fault(parser, mark, "this plan has no [class] sections");
	nearest = nearest_name(wanted, names, count);
	return parser_fault(parser, mark, "this plan has no [class %s]; did you mean %s?", wanted,
			    nearest ? nearest : names[0]);
}

static bool section_says(const struct section *section, const struct entry *set)
{
	const struct option *option = option_find(set->key);
	bool alone;

	for (const struct entry *entry = section->entries; entry; entry = entry->next)
		if (entry_is_replaced(entry, set->key, option, &alone))
			return true;
	return false;
}

/* A step's own value is nearer than that of [global], from wherever it comes: whoever sets one for all is
 * told which steps are not among them. */
static int warn_of_own(struct parser *parser, const struct entry *set)
{
	const char *names = NULL, *first = NULL;

	for (const struct section *section = parser->sections; section; section = section->next) {
		if (!section_is_step(parser, section) || !section_says(section, set))
			continue;
		names = names ? arena_printf(parser->arena, "%s, %s", names, section->name) : section->name;
		first = first ? first : section->name;
		if (!names)
			return -ENOMEM;
	}
	if (!names)
		return 0;
	return parser_warn(parser, set->mark,
			   "steps with %s of their own keep it: %s (--set %s.%s=%s changes that)",
			   set->key, names, first, set->key, set->text);
}

int sets_apply(struct parser *parser)
{
	int error;

	for (uint32_t i = 0; i < parser->options->set_count; i++) {
		error = set_one(parser, parser->options->set[i]);
		if (error)
			return error;
	}
	for (const struct entry *set = parser->sets ? parser->sets->entries : NULL; set; set = set->next) {
		error = warn_of_own(parser, set);
		if (error)
			return error;
	}
	return sets_choose_class(parser);
}
