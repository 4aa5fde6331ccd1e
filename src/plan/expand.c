#include "plan/expand.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/io.h"
#include "plan/private.h"

#define SCALED_BLOCKS 4	/* so many of the plan's largest blocks fit into a size that was scaled down */

uint64_t plan_step_points(const struct plan *plan, uint32_t step)
{
	uint64_t points = step < plan->step_count ? 1 : 0;

	for (int32_t at = points ? (int32_t)step : -1; at >= 0; at = plan->steps[at].group)
		if (__builtin_mul_overflow(points, plan->steps[at].point_count, &points))
			return UINT64_MAX;
	return points;
}

/* The number-th point of a step, counted through its groups: the step's own sweep runs fastest. */
static void place_set(const struct plan *plan, uint32_t step, uint64_t number, struct plan_place *ret_place)
{
	const struct plan_step *at = &plan->steps[step];

	*ret_place = (struct plan_place){ .step = step, .point = (uint32_t)(number % at->point_count) };
	number /= at->point_count;
	while (at->group >= 0) {
		uint32_t level = at->depth - 1;

		at = &plan->steps[at->group];
		ret_place->group_point[level] = (uint32_t)(number % at->point_count);
		number /= at->point_count;
	}
}

static bool is_executed(const struct plan_step *step)
{
	return step->joined_to < 0;
}

/* Steps times points times repeats; refused before anything is built when there are too many. */
static int count_all(struct parser *parser)
{
	struct plan *plan = parser->plan;

	for (uint32_t i = 0; i < plan->step_count; i++) {
		const struct plan_step *step = &plan->steps[i];
		uint64_t points = plan_step_points(plan, i), measured;

		if (!is_executed(step) || step->kind == STEP_GROUP)
			continue;
		if (__builtin_mul_overflow(points, step->repeat, &measured) || measured > PLAN_POINTS_MAX ||
		    plan->measurement_total + measured > PLAN_POINTS_MAX)
			return parser_fault(parser, plan->private->steps[i].mark,
					    "up to here the plan expands to more than %d "
					    "points",
					    PLAN_POINTS_MAX);
		plan->point_total += points;
		plan->measurement_total += measured;
	}
	return 0;
}

/* Bits of enum io_op that the load does. */
static uint32_t load_ops(const struct load *load)
{
	bool mixed = load->rw == LOAD_RW || load->rw == LOAD_RANDRW;
	uint32_t ops = 0;

	if (load->rw == LOAD_TRIM || load->rw == LOAD_RANDTRIM)
		return 1u << IO_TRIM;
	if (load->rw == LOAD_READ || load->rw == LOAD_RANDREAD || (mixed && load->read_share > 0))
		ops |= 1u << IO_READ;
	if (load->rw == LOAD_WRITE || load->rw == LOAD_RANDWRITE || (mixed && load->read_share < 1))
		ops |= 1u << IO_WRITE;
	if (ops & 1u << IO_WRITE && (load->fsync_every || load->end_fsync))
		ops |= 1u << IO_FSYNC;
	if (ops & 1u << IO_WRITE && load->fdatasync_every)
		ops |= 1u << IO_FLUSH;
	return ops;
}

static void note_instance(struct plan *plan, struct plan_step *step, const struct plan_instance *instance)
{
	plan->purges |= step->kind == STEP_PURGE;
	plan->writes |= step->kind == STEP_PURGE || step->kind == STEP_MKFS || step->kind == STEP_POWERCUT;
	plan->runs_commands |= step->kind == STEP_APP;
	for (uint32_t i = 0; i < instance->load_count && step->kind <= STEP_FILL; i++)
		plan->private->steps[step->index].ops |= load_ops(&instance->loads[i]);
	plan->reads |= plan->private->steps[step->index].ops & 1u << IO_READ;
	plan->writes |= plan->private->steps[step->index].ops & (1u << IO_WRITE | 1u << IO_TRIM);
	for (uint32_t i = 0; i < instance->load_count; i++)
		step->open_loop |= instance->loads[i].arrival != ARRIVAL_CLOSED;
}

static void note_first(struct plan_step *step, const struct plan_instance *instance)
{
	step->until_count = instance->until_count;
	memcpy(step->until, instance->until, sizeof(step->until));
	step->max_count = instance->max_count;
	memcpy(step->max, instance->max, sizeof(step->max));
	step->duty_on_ns = instance->duty_on_ns;
	step->duty_off_ns = instance->duty_off_ns;
	step->duty_count = instance->duty_count;
	step->interval_ns = instance->interval_ns;
}

static void note_references(const struct plan *plan, const struct plan_place *place,
			    const struct plan_instance *instance)
{
	static const uint32_t first[PLAN_DEPTH_MAX];

	for (uint32_t i = 0; i < plan->private->reference_count; i++) {
		struct point_reference *reference = &plan->private->references[i];

		if (reference->step_index != place->step || !plan_point_matches(instance, reference->point))
			continue;
		reference->matches++;
		reference->matches_first += !memcmp(place->group_point, first, sizeof(first));
	}
}

/* A criterion about a direction that the step never has: a mistake in its own section, skipped when it comes
 * from [global] and is meant for others. */
static int check_expects(struct parser *parser, struct plan_step *step)
{
	const struct step_private *private = &parser->plan->private->steps[step->index];
	struct plan_expect *expects = (struct plan_expect *)(uintptr_t)step->expect;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < step->expect_count; i++) {
		const struct plan_expect *expect = &step->expect[i];
		uint32_t op = 0;

		while (expect->direction && strcmp(expect->direction, io_op_name((enum io_op)op)))
			op++;
		if (!expect->direction || private->ops & 1u << op)
			expects[kept++] = *expect;
		else if (private->expects_own)
			return parser_fault(
				parser, (struct mark){ private->mark.source, expect->line, expect->column },
				"expect: the step does no %s", expect->direction);
	}
	step->expect_count = kept;
	return 0;
}

static int expand_step(struct parser *parser, uint32_t index, struct plan_instance *instance)
{
	struct plan *plan = parser->plan;
	struct plan_step *step = &plan->steps[index];
	uint64_t points = plan_step_points(plan, index);

	for (uint64_t number = 0; number < points; number++) {
		struct plan_place place;
		int error;

		place_set(plan, index, number, &place);
		error = instance_build(plan, &place, NULL, parser, instance, parser->fault);
		if (error)
			return error;
		if (!number)
			note_first(step, instance);
		note_instance(plan, step, instance);
		note_references(plan, &place, instance);
	}
	return check_expects(parser, step);
}

/* The largest block of one step's points. */
static int measure_step(struct parser *parser, uint32_t index, struct plan_instance *instance,
			uint32_t *largest)
{
	uint64_t points = plan_step_points(parser->plan, index);

	for (uint64_t number = 0; number < points; number++) {
		struct plan_place place;
		int error;

		place_set(parser->plan, index, number, &place);
		error = instance_build(parser->plan, &place, NULL, NULL, instance, parser->fault);
		if (error)
			return error;
		for (uint32_t i = 0; i < instance->load_count; i++) {
			uint32_t block = load_largest_block(&instance->loads[i]);

			*largest = block > *largest ? block : *largest;
		}
	}
	return 0;
}

/* Scaled down, every size must still hold a few blocks of the plan: how large are they? */
static int measure_blocks(struct parser *parser, struct plan_instance *instance)
{
	struct plan *plan = parser->plan;
	uint32_t largest = 0;
	int error = 0;

	for (uint32_t i = 0; i < plan->step_count && !error; i++)
		if (is_executed(&plan->steps[i]))
			error = measure_step(parser, i, instance, &largest);
	plan->private->scaled_least = (uint64_t)largest * SCALED_BLOCKS;
	return error;
}

int expand_all(struct parser *parser)
{
	struct plan_instance *instance;
	int error = count_all(parser);

	if (error)
		return error;
	instance = calloc(1, sizeof(*instance));
	if (!instance)
		return -ENOMEM;
	if (parser->plan->scale < 1)
		error = measure_blocks(parser, instance);
	for (uint32_t i = 0; i < parser->plan->step_count && !error; i++)
		if (is_executed(&parser->plan->steps[i]))
			error = expand_step(parser, i, instance);
	free(instance);
	return error;
}
