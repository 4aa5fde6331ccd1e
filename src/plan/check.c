#include "plan/check.h"

#include <string.h>
#include "plan/option.h"
#include "plan/pick.h"
#include "plan/private.h"
#include "plan/sets.h"
#include "plan/step.h"
#include "plan/vary.h"

static const char *plan_only = "is a key of .plan files";

static int unknown_key(struct parser *parser, const struct entry *entry)
{
	bool fio = parser->plan->dialect == PLAN_FIO;
	char nearest[OPTION_NAME];

	if (option_nearest(entry->key, fio, nearest))
		return parser_fault(parser, entry->mark, "%s is not known; did you mean %s?", entry->key,
				    nearest);
	return parser_fault(parser, entry->mark, "%s is not known", entry->key);
}

/* The key is no live option of this dialect: which kind of wrong is it? */
static int foreign_key(struct parser *parser, const struct entry *entry, const struct option *option)
{
	bool fio = parser->plan->dialect == PLAN_FIO;
	const char *reason;

	if (option && !strcmp(option->name, "stonewall"))
		return parser_fault(parser, entry->mark,
				    "%s has no effect in a .plan file: its steps run one after another "
				    "unless with=STEP joins them",
				    entry->key);
	if (option && !strcmp(option->name, "name"))
		return parser_fault(parser, entry->mark,
				    "name has no effect in a .plan file: the section's name counts");
	if (option || (fio && (vary_is(entry->key) || pick_is(entry->key))))
		return parser_fault(parser, entry->mark, "%s %s; this one is read as a fio job file",
				    entry->key, plan_only);
	reason = option_reason_find(option_refused, entry->key);
	if (reason && fio && option_is_off(entry->key, entry->text))
		return parser_complain(parser, entry->mark, "%s=%s has no effect here: it is always so",
				       entry->key, entry->text);
	if (reason)
		return parser_fault(parser, entry->mark, "%s is not supported: %s", entry->key, reason);
	reason = option_reason_find(option_no_effect, entry->key);
	if (reason)
		return parser_complain(parser, entry->mark, "%s has no effect here: %s", entry->key, reason);
	return unknown_key(parser, entry);
}

/* A second key about the same thing in one section. */
static int check_twice(struct parser *parser, const struct section *section, const struct entry *entry)
{
	bool fio = parser->plan->dialect == PLAN_FIO;

	for (const struct entry *other = section->entries; other != entry; other = other->next) {
		if (!other->option || option_slot_index(other->option) != option_slot_index(entry->option))
			continue;
		if (other->option == entry->option && entry->option->flags & OPTION_REPEAT && !fio)
			continue;
		if (other->option == entry->option)
			return parser_complain(parser, entry->mark,
					       "%s stands here a second time (first in line %u)%s",
					       entry->key, other->mark.line, fio ? "; this one counts" : "");
		return parser_complain(parser, entry->mark, "%s contradicts %s in line %u%s", entry->key,
				       other->key, other->mark.line, fio ? "; this one counts" : "");
	}
	return 0;
}

static int check_place(struct parser *parser, const struct entry *entry, int kind)
{
	const struct option *option = entry->option;

	if (kind < 0) {
		if (parser->plan->dialect == PLAN_FIO && !strcmp(option->name, "name"))
			return parser_complain(parser, entry->mark,
					       "name has no effect here: the jobs have names of their own");
		if (option->flags & OPTION_OWN && !(option->flags & OPTION_TEXT))
			return parser_fault(parser, entry->mark, "%s belongs to a step%s", entry->key,
					    entry->from_set ? "; write --set STEP.KEY=VALUE"
							    : "'s own section");
		return 0;
	}
	if (option->flags & OPTION_GLOBAL)
		return parser_fault(parser, entry->mark, "%s belongs into [global]", entry->key);
	if (parser->plan->dialect == PLAN_FIO || option->where & 1u << kind)
		return 0;
	if (kind == STEP_GROUP && !(option->flags & OPTION_OWN))
		return 0;
	return parser_fault(parser, entry->mark, "%s has no effect in a kind=%s step", entry->key,
			    step_kind_name((enum step_kind)kind));
}

static int check_sweep(struct parser *parser, const struct entry *entry, int kind)
{
	if (kind < 0)
		return parser_fault(parser, entry->mark, "%s belongs to a step's own section", entry->key);
	if (kind == STEP_NOTE)
		return parser_fault(parser, entry->mark, "%s has no effect in a kind=note step", entry->key);
	return 0;
}

/* Engines of fio that do what another one does here. */
static int check_engine(struct parser *parser, const struct entry *entry)
{
	if (!entry->text || strcmp(entry->option->name, "ioengine") || !engine_stand_in(entry->text))
		return 0;
	return parser_complain(parser, entry_value_mark(entry),
			       "ioengine=%s: %s sends these I/Os here, one at a time as that does",
			       entry->text, engine_stand_in(entry->text));
}

static int check_entry(struct parser *parser, struct section *section, struct entry *entry, int kind)
{
	bool fio = parser->plan->dialect == PLAN_FIO;
	const struct option *option;
	int error;

	if (!fio && (vary_is(entry->key) || pick_is(entry->key)))
		return check_sweep(parser, entry, kind);
	option = option_find(entry->key);
	if (!option || !(option->where & (fio ? WHERE_FIO : WHERE_PLAN)))
		return foreign_key(parser, entry, option);
	entry->option = option;
	if (!entry->text && !option->parse && strcmp(option->name, "stonewall"))
		return parser_fault(parser, entry->mark, "%s needs a value", entry->key);
	error = check_place(parser, entry, kind);
	if (!error && fio)
		error = check_engine(parser, entry);
	return error ? error : check_twice(parser, section, entry);
}

int check_section(struct parser *parser, struct section *section, int kind)
{
	uint32_t count = 0;

	for (struct entry *entry = section->entries; entry; entry = entry->next) {
		int error;

		if (++count > 1000)
			return parser_fault(parser, entry->mark, "more than 1000 lines in one section");
		error = check_entry(parser, section, entry, kind);
		if (error)
			return error;
	}
	return 0;
}

/* A key of [global] that nobody took is fine when every step says something else; not when none could take
 * it. */
static int check_not_taken(struct parser *parser, const struct entry *entry)
{
	const struct plan *plan = parser->plan;

	if (entry->from_set)
		return parser_fault(parser, entry->mark,
				    "no step takes it: each one has its own %s, or none has a use for it; "
				    "write --set STEP.%s=%s",
				    entry->option->name, entry->key, entry->text);
	if (plan->dialect == PLAN_FIO)
		return 0;
	for (uint32_t i = 0; i < plan->step_count; i++)
		if (entry->option->where & 1u << plan->steps[i].kind)
			return 0;
	return parser_complain(parser, entry->mark, "%s has no effect: no step of this plan takes it",
			       entry->key);
}

static int check_effect(struct parser *parser, const struct entry *entry)
{
	const struct option *option = entry->option;

	if (!option || !option->parse || entry->effective)
		return 0;
	if (entry->won && parser->options->set_count && !entry->from_set)
		return parser_warn(parser, entry->mark, "%s has no effect any more with these --set: it %s",
				   entry->key, option->effect_text);
	if (entry->won)
		return parser_complain(parser, entry->mark, "%s has no effect here: it %s", entry->key,
				       option->effect_text);
	return check_not_taken(parser, entry);
}

static int check_effects_of(struct parser *parser, const struct section *section)
{
	for (const struct entry *entry = section ? section->entries : NULL; entry; entry = entry->next) {
		int error = check_effect(parser, entry);

		if (error)
			return error;
	}
	return 0;
}

static int check_names_used(struct parser *parser, const struct vary_line *line)
{
	for (uint32_t i = 0; i < line->vary->key_count; i++)
		if (!line->options[i] && !line->referred) {
			const char *name = line->vary->keys[i];
			char nearest[OPTION_NAME];
			bool near = option_nearest(name, false, nearest) && option_find(nearest)->parse;

			return parser_fault(parser, line->entry->mark,
					    "%s is no option, and nothing refers to it as @%s%s%s%s", name,
					    name, near ? "; did you mean vary." : "", near ? nearest : "",
					    near ? "?" : "");
		}
	return 0;
}

int check_effects(struct parser *parser)
{
	const struct plan *plan = parser->plan;
	int error = check_effects_of(parser, parser->sets);

	for (const struct section *section = parser->sections; section && !error; section = section->next) {
		const char *class_name = section_class(parser, section);

		if (!class_name || !strcmp(class_name, plan->class_name))
			error = check_effects_of(parser, section);
	}
	for (uint32_t i = 0; i < plan->step_count && !error; i++)
		for (uint32_t v = 0; v < plan->steps[i].vary_count && !error; v++)
			error = check_names_used(parser, &plan->private->steps[i].varies[v]);
	return error;
}

int check_references(struct parser *parser)
{
	const struct plan_private *private = parser->plan->private;

	for (uint32_t i = 0; i < private->reference_count; i++) {
		const struct point_reference *reference = &private->references[i];

		if (!reference->matches)
			return parser_fault(parser, reference->mark, "step %s has no point [%s]",
					    reference->step, reference->point);
		if (reference->matches_first > 1)
			return parser_fault(parser, reference->mark,
					    "step %s has %u such points; name one: %s[KEY=VALUE]",
					    reference->step, reference->matches_first, reference->step);
	}
	return 0;
}
