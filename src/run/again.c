#include "run/again.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "run/settle.h"
#include "run/step_limits.h"

static bool has_rule(const struct plan_instance *instance, enum stop_kind kind)
{
	return stop_rule_find(instance->until, instance->until_count, kind) ||
	       stop_rule_find(instance->max, instance->max_count, kind);
}

/* A step that is there for what it does to the drive. */
static bool preconditions(const struct point *point)
{
	const struct plan_instance *instance = point->instance;

	if (point->step->kind == STEP_FILL)
		return true;
	return point->step->kind == STEP_LOAD && settle_gate_of(instance) != SETTLE_READS &&
	       (has_rule(instance, STOP_WRITTEN) || has_rule(instance, STOP_STEADY) ||
		has_rule(instance, STOP_SNIA));
}

static int again_add(struct conductor *conductor, const struct point *point)
{
	struct again *again;

	if (conductor->again_count == conductor->again_capacity) {
		uint32_t capacity = conductor->again_capacity ? conductor->again_capacity * 2 : 8;
		struct again *grown = reallocarray(conductor->again, capacity, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		conductor->again = grown;
		conductor->again_capacity = capacity;
	}
	again = &conductor->again[conductor->again_count++];
	*again = (struct again){
		.point = *point,
		.round = conductor->round,
		.group_key = conductor->group_key,
		.group_point = conductor->group_point,
	};
	again->point.instance = NULL;
	return 0;
}

bool again_is(const struct conductor *conductor, uint32_t at, enum step_kind kind)
{
	return conductor->again[at].point.step->kind == kind;
}

/* Of a step that was done several times the last time is enough. */
static void again_drop_step(struct conductor *conductor, const struct plan_step *step)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < conductor->again_count; i++)
		if (conductor->again[i].point.step != step)
			conductor->again[kept++] = conductor->again[i];
	conductor->again_count = kept;
}

int again_note(struct conductor *conductor, const struct point *point)
{
	if (point->step->kind == STEP_NOTE)
		return 0;
	if (point->step->kind == STEP_IDLE)
		return again_add(conductor, point);
	while (conductor->again_count && again_is(conductor, conductor->again_count - 1, STEP_IDLE))
		conductor->again_count--;
	if (point->step->kind == STEP_PURGE) {
		conductor->again_count = 0;
		return again_add(conductor, point);
	}
	if (point->step->kind != STEP_MKFS && !preconditions(point))
		return 0;
	again_drop_step(conductor, point->step);
	return again_add(conductor, point);
}

static int point_again(struct conductor *conductor, const struct point *done)
{
	struct point point = *done;
	struct step_record record;
	char title[300];
	int error;

	point.instance = malloc(sizeof(*point.instance));
	if (!point.instance)
		return -ENOMEM;
	error = carry_instantiate(conductor, &point);
	if (!error && !conductor->ended) {
		record = carry_record(conductor, &point);
		record.name = "prepare";
		record.title = title;
		record.values_json = "{}";
		snprintf(title, sizeof(title), "Step '%.200s' once more, after the interruption",
			 point.step->name);
		snprintf(point.path, sizeof(point.path), "%.480s/again%llu", done->path,
			 (unsigned long long)*conductor->next_id);
		error = fs_step_begin(conductor, point.step);
		if (!error && !conductor->ended)
			error = carry_out(conductor, &point, &record);
		fs_step_end(conductor);
	}
	free(point.instance);
	return error < 0 ? error : 0;
}

static int again_one(struct conductor *conductor, const struct again *again)
{
	uint32_t round = conductor->round, key = conductor->group_key, group_point = conductor->group_point;
	uint32_t figures = conductor->figures.count;
	uint64_t position = conductor->continue_offset;
	int error;

	conductor->round = again->round;
	conductor->group_key = again->group_key;
	conductor->group_point = again->group_point;
	error = point_again(conductor, &again->point);
	conductor->round = round;
	conductor->group_key = key;
	conductor->group_point = group_point;
	conductor->figures.count = figures < conductor->figures.count ? figures : conductor->figures.count;
	conductor->continue_offset = position;
	return error;
}

int again_run(struct conductor *conductor, uint32_t from)
{
	int error = 0;

	for (uint32_t i = from; i < conductor->again_count && !error && !conductor->ended; i++)
		error = again_one(conductor, &conductor->again[i]);
	return error;
}
