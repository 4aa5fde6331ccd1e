#include "run/carry.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "run/idle.h"
#include "run/loads.h"
#include "run/mkfs.h"
#include "run/prepare.h"
#include "run/purge.h"
#include "run/search.h"
#include "run/write_cache.h"

static int lookup_pick(void *context, const char *name, const char *key, char *value, size_t value_bytes)
{
	struct conductor *conductor = context;
	const struct plan *plan = conductor->config->plan;

	for (uint32_t i = 0; i < plan->step_count; i++)
		for (uint32_t k = 0; k < plan->steps[i].pick_count; k++) {
			const struct plan_pick *pick = &plan->steps[i].pick[k];
			const struct figure *figure;

			if (strcmp(pick->name, name))
				continue;
			figure = figures_pick(&conductor->figures, plan, pick, conductor->target);
			for (uint32_t v = 0; figure && v < figure->value_count; v++)
				if (!strcmp(figure->values[v].key, key)) {
					snprintf(value, value_bytes, "%s", figure->values[v].text);
					return 0;
				}
		}
	return -ENOENT;
}

static int lookup_reached(void *context, const char *step, double *ret_ios_per_second)
{
	struct conductor *conductor = context;

	return figures_reached(&conductor->figures, conductor->config->plan, step, conductor->target,
			       ret_ios_per_second);
}

int carry_instantiate(struct conductor *conductor, struct point *point)
{
	const struct plan_lookup lookup = { conductor, lookup_pick, lookup_reached };
	struct fault fault = { 0 };
	int error = plan_instantiate(conductor->config->plan, &point->place, &lookup, point->instance,
				     &fault);

	if (error == -ENOMEM)
		return error;
	if (error)
		conductor_end(conductor, RUN_FAILED, "step '%s': %.400s", point->step->name, fault.text);
	return 0;
}

struct step_record carry_record(const struct conductor *conductor, const struct point *point)
{
	const struct plan *plan = conductor->config->plan;
	const struct plan_step *step = point->step;

	return (struct step_record){
		.name = step->name,
		.group_name = step->group >= 0 ? plan->steps[step->group].name : NULL,
		.kind = step_kind_name(step->kind),
		.title = step->title,
		.note = step->text,
		.plan_step = step->index,
		.round = conductor->round,
		.point = conductor->group_point * step->point_count + point->place.point,
		.repeat = point->repeat,
		.path = point->path,
		.interval_ns = point->instance->interval_ns,
		.status = RUN_RUNNING,
	};
}

/* Reads find data, and the write cache is as the plan wants it. */
static int load_prepare(struct conductor *conductor, const struct point *point)
{
	int error = write_cache_apply(conductor, point->instance->write_cache);

	return error ? error : prepare_run(conductor, point);
}

static bool moves_data(const struct plan_step *step)
{
	return step->kind == STEP_LOAD || step->kind == STEP_FILL;
}

int carry_out(struct conductor *conductor, struct point *point, struct step_record *record)
{
	const bool searches = moves_data(point->step) && point->step->searches;
	int error = moves_data(point->step) ? load_prepare(conductor, point) : 0;

	if (error || conductor->ended)
		return error;
	conductor_meet(conductor, record, moves_data(point->step) && !searches);
	if (searches)
		return search_run(conductor, point, record);
	record->id = conductor_id(conductor);
	switch (point->step->kind) {
	case STEP_LOAD:
	case STEP_FILL:
		return loads_run(conductor, point->step, point->instance, record, LOADS_MEET);
	case STEP_PURGE:
		conductor->settled.valid = false;
		return purge_run(conductor, point, record);
	case STEP_IDLE:
		conductor->settled.valid = false;	/* it tidies up */
		return idle_run(conductor, point, record);
	case STEP_MKFS:
		return mkfs_run(conductor, point, record);
	case STEP_NOTE:
		return idle_run(conductor, point, record);
	default:
		conductor_end(conductor, RUN_FAILED, "step '%s': kind=%s cannot be carried out yet",
			      point->step->name, step_kind_name(point->step->kind));
		return 0;
	}
}
