/* What a plan needs of its targets and of this program, found before anything is opened. */
#include <errno.h>
#include <stdlib.h>
#include "run/run.h"
#include "run/step_limits.h"

static void load_need(const struct load *load, struct run_needs *needs)
{
	uint64_t offset = load->offset.unit == AMOUNT_BYTES ? load->offset.bytes : 0;
	uint64_t size = load->size.unit == AMOUNT_BYTES ? load->size.bytes : 0;
	uint64_t increment = load->offset_increment.unit == AMOUNT_BYTES ? load->offset_increment.bytes : 0;
	uint64_t end = size ? offset + size + increment * (load->numjobs ? load->numjobs - 1 : 0) : 0;
	uint64_t range = load->range_to.unit == AMOUNT_BYTES ? load->range_to.bytes : 0;

	if (end > needs->file_bytes)
		needs->file_bytes = end;
	if (range > needs->file_bytes)
		needs->file_bytes = range;
	switch (load->rw) {
	case LOAD_READ:
	case LOAD_RANDREAD:
		needs->reads = true;
		break;
	case LOAD_WRITE:
	case LOAD_RANDWRITE:
		needs->writes = true;
		break;
	case LOAD_RW:
	case LOAD_RANDRW:
		needs->reads |= load->read_share > 0;
		needs->writes |= load->read_share < 1;
		break;
	case LOAD_TRIM:
	case LOAD_RANDTRIM:
		needs->trims = true;
		break;
	}
}

/* The smallest I/O of a point; of all points the one that asks least of the drive. */
static void block_need(const struct plan_instance *instance, struct run_needs *needs)
{
	uint32_t smallest = 0;

	for (uint32_t i = 0; i < instance->load_count; i++)
		for (int op = 0; op < 3; op++)
			for (uint32_t k = 0; k < instance->loads[i].sizes[op].count; k++) {
				uint32_t bytes = instance->loads[i].sizes[op].part[k].bytes_max;

				smallest = smallest && smallest < bytes ? smallest : bytes;
			}
	if (smallest > needs->block_bytes_max)
		needs->block_bytes_max = smallest;
}

static void cache_need(const struct plan_instance *instance, struct run_needs *needs)
{
	if (instance->write_cache != WRITE_CACHE_KEEP)
		needs->write_caches |= 1u << instance->write_cache;
}

static int purge_needs(const struct plan *plan, const struct plan_step *step, struct plan_instance *instance,
		       struct run_needs *needs, struct fault *fault)
{
	struct plan_place place = { .step = step->index };
	int error = 0;

	needs->trims = true;
	for (; place.point < step->point_count && !error; place.point++) {
		error = plan_instantiate(plan, &place, NULL, instance, fault);
		if (error)
			break;
		needs->purge_methods |= 1u << instance->purge;
		cache_need(instance, needs);
	}
	return error;
}

static int step_needs(const struct plan *plan, const struct plan_step *step, struct plan_instance *instance,
		      struct run_needs *needs, struct fault *fault)
{
	struct plan_place place = { .step = step->index };

	if (step->kind == STEP_MKFS)
		needs->writes = true;
	if (step->kind == STEP_PURGE)
		return purge_needs(plan, step, instance, needs, fault);
	if ((step->kind != STEP_LOAD && step->kind != STEP_FILL) || step->joined_to >= 0)
		return 0;
	for (uint32_t point = 0; point < step->point_count; point++) {
		int error;

		place.point = point;
		error = plan_instantiate(plan, &place, NULL, instance, fault);
		if (error)
			return error;
		for (uint32_t i = 0; i < instance->load_count; i++)
			load_need(&instance->loads[i], needs);
		cache_need(instance, needs);
		if (step->kind == STEP_LOAD)
			block_need(instance, needs);
	}
	return 0;
}

int run_needs(const struct plan *plan, struct run_needs *ret_needs, struct fault *fault)
{
	struct plan_instance *instance = malloc(sizeof(*instance));
	struct run_needs needs = { 0 };
	int error = 0;

	if (!instance)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->step_count && !error; i++)
		error = step_needs(plan, &plan->steps[i], instance, &needs, fault);
	free(instance);
	if (!error)
		*ret_needs = needs;
	return error;
}

const char *run_unsupported(const struct plan *plan, uint32_t *ret_line)
{
	for (uint32_t i = 0; i < plan->step_count; i++) {
		const struct plan_step *step = &plan->steps[i];

		if (step->kind != STEP_GROUP || !stop_rule_find(step->until, step->until_count, STOP_STEADY))
			continue;
		*ret_line = step->line;
		return "until=steady of a group (its rounds are judged by until=snia)";
	}
	return plan_unsupported(plan, PLAN_FEATURE_MKFS | PLAN_FEATURE_OPEN_LOOP | PLAN_FEATURE_STEADY |
				PLAN_FEATURE_SEARCH, ret_line);
}
