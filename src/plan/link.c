/* What steps say about each other, once all are known. */
#include <errno.h>
#include <string.h>
#include "plan/option.h"
#include "plan/pick.h"
#include "plan/step.h"
#include "plan/step_fields.h"

static const struct entry *own_entry(const struct plan *plan, uint32_t step, const char *name)
{
	return step_entry(&plan->private->steps[step], option_named(name));
}

static int join(struct parser *parser, uint32_t leader, uint32_t step, struct mark mark)
{
	struct step_private *lead = &parser->plan->private->steps[leader];
	uint32_t *joined = (uint32_t *)(uintptr_t)lead->joined;

	if (!joined)
		joined = arena_alloc(parser->arena, PLAN_LOADS_MAX * sizeof(*joined));
	if (!joined)
		return -ENOMEM;
	if (lead->joined_count >= PLAN_LOADS_MAX - 1)
		return parser_fault(parser, mark, "more than %d loads would run together", PLAN_LOADS_MAX);
	joined[lead->joined_count++] = step;
	lead->joined = joined;
	parser->plan->steps[step].joined_to = (int32_t)leader;
	return 0;
}

static int fault_no_step(struct parser *parser, struct mark mark, const char *what, const char *name)
{
	const char *nearest = step_nearest(parser->plan, name);

	if (step_find(parser->plan, name) >= 0)
		return parser_fault(parser, mark, "%s: step \"%s\" doesn't stand above this one", what, name);
	return parser_fault(parser, mark, "%s: no step called \"%s\" stands above%s%s%s", what, name,
			    nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

/* A joined load takes time and rounds from the leading one, so that it can't have its own. */
static int joined_check(struct parser *parser, uint32_t index)
{
	static const char *const keys[] = { "until", "max", "duty", "repeat", "search", NULL };
	const struct plan *plan = parser->plan;

	if (plan->steps[index].vary_count)
		return parser_fault(parser, plan->private->steps[index].varies[0].entry->mark,
				    "a sweep belongs to the step that this one runs with");
	for (const char *const *key = keys; *key; key++) {
		const struct entry *entry = own_entry(plan, index, *key);

		if (entry)
			return parser_fault(parser, entry->mark,
					    "%s belongs to the step that this one runs with", *key);
	}
	return 0;
}

static int link_with(struct parser *parser, uint32_t index)
{
	struct plan *plan = parser->plan;
	const struct plan_step *step = &plan->steps[index], *leader;
	const struct entry *entry = own_entry(plan, index, "with");
	int32_t found;
	int error;

	if (!entry)
		return 0;
	found = step_find(plan, entry->text);
	if (found < 0 || (uint32_t)found >= index)
		return fault_no_step(parser, entry_value_mark(entry), "with", entry->text);
	leader = &plan->steps[found];
	if (leader->joined_to >= 0)
		return parser_fault(parser, entry_value_mark(entry),
				    "with: %s itself runs with another; name that one: %s", entry->text,
				    plan->steps[leader->joined_to].name);
	if ((leader->kind != STEP_LOAD && leader->kind != STEP_FILL) || leader->group != step->group)
		return parser_fault(parser, entry_value_mark(entry),
				    "with: %s must be a load in the same group", entry->text);
	error = joined_check(parser, index);
	return error ? error : join(parser, (uint32_t)found, index, entry->mark);
}

/* A search decides itself when each of its probes ends, and most of them are meant to miss. */
static int search_check(struct parser *parser, uint32_t index)
{
	static const char *const keys[] = { "until", "max", "duty", NULL };
	struct plan *plan = parser->plan;
	struct plan_step *step = &plan->steps[index];

	if (!step->searches)
		return 0;
	for (const char *const *key = keys; *key; key++) {
		const struct entry *entry = own_entry(plan, index, *key);

		if (entry)
			return parser_fault(parser, entry->mark,
					    "%s contradicts search=, which ends its probes itself", *key);
	}
	if (step->expect_count && plan->private->steps[index].expects_own)
		return parser_fault(parser, plan->private->steps[index].mark,
				    "expect= judges every probe of a search, also those meant to miss: it "
				    "belongs to a step without search=");
	step->expect_count = 0;		/* those of [global] are for other steps */
	return 0;
}

/* on=STEP: a kind=mkfs step above, in this step's group or one around it. */
static int link_on(struct parser *parser, uint32_t index)
{
	struct plan *plan = parser->plan;
	const struct entry *entry = own_entry(plan, index, "on");
	int32_t found, group = plan->steps[index].group;

	if (!entry)
		return 0;
	found = step_find(plan, entry->text);
	if (found < 0 || (uint32_t)found >= index)
		return fault_no_step(parser, entry_value_mark(entry), "on", entry->text);
	if (plan->steps[found].kind != STEP_MKFS)
		return parser_fault(parser, entry_value_mark(entry),
				    "on: %s makes no file system (kind=mkfs)", entry->text);
	while (group >= 0 && group != plan->steps[found].group)
		group = plan->steps[group].group;
	if (group != plan->steps[found].group)
		return parser_fault(parser, entry_value_mark(entry), "on: %s belongs to another group",
				    entry->text);
	plan->steps[index].on_step = found;
	return 0;
}

/* Which job this one waits for; -1 = none. */
static int wait_for(struct parser *parser, uint32_t index, int32_t *ret_job)
{
	const struct entry *entry = own_entry(parser->plan, index, "wait_for");

	*ret_job = entry ? step_find(parser->plan, entry->text) : -1;
	if (!entry || (*ret_job >= 0 && (uint32_t)*ret_job < index))
		return 0;
	return fault_no_step(parser, entry_value_mark(entry), "wait_for", entry->text);
}

/* The jobs that run together, from `leader` on; `waited`: for which they have waited, -1 = for all above. */
struct company {
	uint32_t leader;
	int32_t waited;
};

/* wait_for= is a stonewall when the job that is waited for is the only one that runs then. Whoever joins
 * those who have waited must have waited for the same job: in fio it would run beside that one otherwise. */
static int company_take(struct parser *parser, struct company *company, uint32_t index, int32_t job)
{
	struct mark mark = parser->plan->private->steps[index].mark;

	if (job == (int32_t)company->leader && index == company->leader + 1) {
		*company = (struct company){ .leader = index, .waited = job };
		return 0;
	}
	if (job < (int32_t)company->leader && (company->waited < 0 || job == company->waited))
		return join(parser, company->leader, index, mark);
	return parser_fault(
		parser, mark,
		"wait_for is supported where all jobs that run wait for the same one, which runs alone; "
		"use stonewall");
}

/* In a .fio file a job runs with those above it unless it has a stonewall, or waits for them. */
static int link_fio(struct parser *parser)
{
	struct plan *plan = parser->plan;
	struct company company = { .waited = -1 };
	int error = 0;

	for (uint32_t i = 1; i < plan->step_count && !error; i++) {
		const struct entry *entry = own_entry(plan, i, "stonewall");
		struct value value;
		bool wall = false;
		int32_t job;

		error = wait_for(parser, i, &job);
		if (!error && entry) {
			value_of_entry(parser, entry, &value);
			error = value_flag(&value, &wall);
		}
		if (!error && wall)
			company = (struct company){ .leader = i, .waited = -1 };
		else if (!error)
			error = company_take(parser, &company, i, job);
	}
	return error;
}

static bool group_holds(const struct plan *plan, uint32_t group, int32_t step)
{
	while (step >= 0 && plan->steps[step].group != (int32_t)group)
		step = plan->steps[step].group;
	return step >= 0;
}

static int group_check(struct parser *parser, uint32_t group)
{
	const struct plan *plan = parser->plan;

	for (uint32_t i = group + 1; i < plan->step_count; i++)
		if (plan->steps[i].group == (int32_t)group)
			return 0;
	return parser_fault(parser, plan->private->steps[group].mark, "group %s has no steps (in=%s)",
			    plan->steps[group].name, plan->steps[group].name);
}

static int reference_add(struct parser *parser, const char *step, const char *point, struct mark mark,
			 int32_t group)
{
	struct plan_private *private = parser->plan->private;
	struct point_reference *reference = &private->references[private->reference_count];
	int32_t index = step_find(parser->plan, step);

	if (index < 0)
		return fault_no_step(parser, mark, "step", step);
	if (group >= 0 && !group_holds(parser->plan, (uint32_t)group, index))
		return parser_fault(parser, mark, "step %s is not in this group", step);
	if (parser->plan->steps[index].kind != STEP_LOAD)
		return parser_fault(parser, mark, "step %s is no load: it has no figures", step);
	*reference = (struct point_reference){ step, (uint32_t)index, point, mark, 0, 0 };
	private->reference_count++;
	return 0;
}

static int link_track(struct parser *parser, uint32_t index)
{
	const struct plan_step *step = &parser->plan->steps[index];
	const struct entry *entry = parser->plan->private->steps[index].section->entries;
	uint32_t track = 0;
	int error = 0;

	for (; entry && !error; entry = entry->next) {
		if (strcmp(entry->key, "track") || track == step->track_count)
			continue;
		error = reference_add(parser, step->track[track].step, step->track[track].point,
				      entry_value_mark(entry), (int32_t)index);
		track++;
	}
	return error;
}

static int link_pick(struct parser *parser, uint32_t index)
{
	const struct plan_step *step = &parser->plan->steps[index];
	int error = 0;

	for (uint32_t i = 0; i < step->pick_count && !error; i++) {
		const struct plan_pick *pick = &step->pick[i];
		struct mark mark = { parser->plan->private->steps[index].mark.source, pick->line,
				     pick->column };

		if (pick->order == PICK_POINT)
			error = reference_add(parser, pick->step, pick->point, mark, -1);
		else if (step_find(parser->plan, pick->step) < 0)
			error = fault_no_step(parser, mark, "pick", pick->step);
	}
	return error;
}

static uint32_t references_count(const struct plan *plan)
{
	uint32_t count = 1;

	for (uint32_t i = 0; i < plan->step_count; i++)
		count += plan->steps[i].track_count + plan->steps[i].pick_count;
	return count;
}

int step_link_all(struct parser *parser)
{
	struct plan *plan = parser->plan;
	int error = 0;

	plan->private->references = arena_alloc(parser->arena,
						references_count(plan) * sizeof(*plan->private->references));
	if (!plan->private->references)
		return -ENOMEM;
	if (plan->dialect == PLAN_FIO)
		return link_fio(parser);
	for (uint32_t i = 0; i < plan->step_count && !error; i++) {
		error = link_with(parser, i);
		if (!error)
			error = link_on(parser, i);
		if (!error && plan->steps[i].kind == STEP_GROUP)
			error = group_check(parser, i);
		if (!error)
			error = search_check(parser, i);
		if (!error)
			error = link_track(parser, i);
		if (!error)
			error = link_pick(parser, i);
	}
	return error;
}
