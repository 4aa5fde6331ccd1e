#include "run/conductor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/step_limits.h"
#include "run/telemetry.h"

#define ROUNDS_DEFAULT 25u

uint64_t conductor_now_ns(const struct conductor *conductor)
{
	return clock_now_ns(&conductor->clock) - conductor->context.run_start_ns;
}

struct run_target *conductor_target(struct conductor *conductor)
{
	return &conductor->config->targets[conductor->target];
}

void conductor_end(struct conductor *conductor, enum run_status status, const char *format, ...)
{
	va_list args;

	if (conductor->ended)
		return;
	conductor->ended = true;
	conductor->status = status;
	va_start(args, format);
	vsnprintf(conductor->text, sizeof(conductor->text), format, args);
	va_end(args);
}

int conductor_event(struct conductor *conductor, uint64_t step, const char *kind, const char *text,
		    const char *data_json)
{
	const struct run_observer *observer = conductor->config->observer;
	struct event_record event = {
		.t_ns = conductor_now_ns(conductor),
		.step = step,
		.kind = kind,
		.text = text,
		.data_json = data_json,
	};

	return observer->event(observer->context, &event);
}

static int children_run(struct conductor *conductor, int32_t group, const struct plan_place *place);

/* Most rounds that a group may take; 1 when nothing makes it repeat. */
static uint32_t rounds_max(const struct plan_step *group)
{
	const struct stop_rule *rule = stop_rule_find(group->max, group->max_count, STOP_ROUNDS);

	if (rule)
		return rule->rounds;
	return group->until_count ? ROUNDS_DEFAULT : 1;
}

static int group_rounds_run(struct conductor *conductor, const struct plan_step *group,
			    const struct plan_place *place)
{
	uint32_t outer = conductor->round, limit = rounds_max(group);
	size_t length = strlen(conductor->path);
	int met = 0;

	for (uint32_t round = 0; round < limit && !conductor->ended && !met; round++) {
		conductor->round = round;
		snprintf(conductor->path + length, PATH_BYTES - length, "%s[%u]:%u/", group->name,
			 place->group_point[group->depth], round);
		met = children_run(conductor, (int32_t)group->index, place);
		if (!met && !conductor->ended)
			met = rounds_judge(conductor, group, round + 1);
	}
	conductor->path[length] = '\0';
	conductor->round = outer;
	return met < 0 ? met : 0;
}

static int group_run(struct conductor *conductor, const struct plan_step *group, const struct plan_place *outer)
{
	struct plan_place place = *outer;
	uint32_t key = conductor->group_key, outer_point = conductor->group_point;
	int error = 0;

	for (uint32_t point = 0; point < group->point_count && !error && !conductor->ended; point++) {
		place.group_point[group->depth] = point;
		conductor->group_key = key * 31 + group->index * 1009 + point + 1;
		conductor->group_point = outer_point * group->point_count + point;
		error = group_rounds_run(conductor, group, &place);
	}
	conductor->group_key = key;
	conductor->group_point = outer_point;
	return error;
}

static int step_points_run(struct conductor *conductor, const struct plan_step *step, const struct plan_place *outer)
{
	struct point point = { .step = step, .place = *outer };
	int error = 0;

	point.instance = malloc(sizeof(*point.instance));
	if (!point.instance)
		return -ENOMEM;
	point.place.step = step->index;
	for (uint32_t repeat = 0; repeat < step->repeat && !error && !conductor->ended; repeat++)
		for (uint32_t at = 0; at < step->point_count && !error && !conductor->ended; at++) {
			point.repeat = repeat;
			point.place.point = at;
			snprintf(point.path, sizeof(point.path), "%.*s%.*s[%u]:%u", 380, conductor->path, 100,
				 step->name, at, repeat);
			error = point_run(conductor, &point);
		}
	free(point.instance);
	return error;
}

static int children_run(struct conductor *conductor, int32_t group, const struct plan_place *place)
{
	const struct plan *plan = conductor->config->plan;
	int error = 0;

	for (uint32_t i = 0; i < plan->step_count && !error && !conductor->ended; i++) {
		const struct plan_step *step = &plan->steps[i];

		if (step->group != group || step->joined_to >= 0)
			continue;
		if (step->kind == STEP_GROUP)
			error = group_run(conductor, step, place);
		else
			error = step_points_run(conductor, step, place);
	}
	return error;
}

static void clock_choose(struct conductor *conductor)
{
	if (conductor->config->targets[0].subject.kind == TARGET_SIM)
		clock_init_virtual(&conductor->clock);
	else
		clock_init_vdso(&conductor->clock);
}

static int targets_run(struct conductor *conductor)
{
	const struct run_config *config = conductor->config;
	uint32_t passes = config->plan_names_targets ? 1 : config->target_count;
	struct plan_place place = { 0 };
	int error = 0;

	for (uint32_t i = 0; i < passes && !error && !conductor->ended; i++) {
		conductor->target = i;
		conductor->context.target = &config->targets[i];
		conductor->continue_offset = 0;
		conductor->again_count = 0;
		conductor->cache_wanted = WRITE_CACHE_KEEP;
		if (passes > 1)
			snprintf(conductor->path, sizeof(conductor->path), "target%u/", i);
		error = children_run(conductor, -1, &place);
		if (!error)
			error = write_cache_restore(conductor);
	}
	return error;
}

int run_plan(const struct run_config *config, struct run_outcome *ret_outcome)
{
	struct conductor *conductor = calloc(1, sizeof(*conductor));
	uint64_t wall_start = clock_monotonic_ns();
	int error;

	if (!conductor)
		return -ENOMEM;
	conductor->config = config;
	conductor->next_id = config->resume ? config->resume->next_id : 1;
	conductor->live = !config->resume;
	conductor->status = RUN_COMPLETE;
	clock_choose(conductor);
	conductor->context = (struct step_context){
		.config = config,
		.observer = config->observer,
		.clock = &conductor->clock,
		.run_start_ns = clock_now_ns(&conductor->clock) - (config->resume ? config->resume->elapsed_ns : 0),
		.count = (uint32_t)config->plan->measurement_total,
	};
	error = targets_run(conductor);
	if (!error && conductor->clock.source != CLOCK_VIRTUAL)
		error = telemetry_last(&conductor->context);
	*ret_outcome = (struct run_outcome){
		.status = error ? RUN_FAILED : conductor->status,
		.duration_ns = conductor_now_ns(conductor),
		.wall_duration_ns = clock_monotonic_ns() - wall_start,
		.clock = conductor->context.clock_used ? conductor->context.clock_used :
							 clock_source_name(conductor->clock.source),
		.ceiling_iops = conductor->context.ceiling_iops,
	};
	snprintf(ret_outcome->text, sizeof(ret_outcome->text), "%s", conductor->text);
	figures_release(&conductor->figures);
	free(conductor->again);
	free(conductor);
	return error;
}

uint64_t run_target_bytes(const struct run_target *target)
{
	return target->subject.kind == TARGET_SIM ? target->sim.size_bytes : target->subject.size_bytes;
}

uint32_t run_target_block_bytes(const struct run_target *target)
{
	return target->subject.kind == TARGET_SIM ? target->sim.block_bytes : target->subject.block_bytes;
}
