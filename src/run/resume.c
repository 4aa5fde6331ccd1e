#include "run/resume.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/settle.h"
#include "run/step_limits.h"

static const struct run_done *done_find(const struct conductor *conductor, const char *path)
{
	const struct run_resume *resume = conductor->config->resume;

	for (uint32_t i = 0; i < resume->done_count; i++)
		if (!strcmp(resume->done[i].path, path))
			return &resume->done[i];
	return NULL;
}

/* Of a search: its last probe, which says what was found. */
static const struct run_done *search_find(const struct conductor *conductor, const char *path)
{
	const struct run_resume *resume = conductor->config->resume;
	const struct run_done *last = NULL;
	size_t length = strlen(path);

	for (uint32_t i = 0; i < resume->done_count; i++)
		if (!strncmp(resume->done[i].path, path, length) && !strncmp(resume->done[i].path + length, "/probe", 6))
			last = &resume->done[i];
	return last;
}

/* -- taking over -- */

/* The filling that came before it. */
static void prepared_take(struct conductor *conductor, const struct point *point)
{
	struct run_target *target = conductor_target(conductor);
	char path[PATH_BYTES];

	for (uint32_t i = 0; i < point->instance->load_count; i++) {
		struct work_range range;

		prepare_path(point, i, path);
		if (done_find(conductor, path) &&
		    !work_range_resolve(&point->instance->loads[i], run_target_bytes(target),
					run_target_block_bytes(target), 0, &range, NULL))
			coverage_written(&target->coverage, range.start, range.start + range.bytes);
	}
}

static bool totals_take(const struct run_done *done, uint32_t count, const struct tally *totals[PLAN_LOADS_MAX])
{
	if (done->load_count != count || !count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		totals[i] = done->loads[i].total;
		if (!totals[i])
			return false;
	}
	return true;
}

static int loads_take(struct conductor *conductor, const struct point *point, const struct step_record *record,
		      const struct run_done *done)
{
	const struct tally *totals[PLAN_LOADS_MAX];
	struct stage *stage = calloc(1, sizeof(*stage));
	int error;

	if (!stage)
		return -ENOMEM;
	stage->instance = point->instance;
	error = loads_stage(conductor, stage);
	if (!error && !totals_take(done, stage->load_count, totals)) {
		conductor_end(conductor, RUN_FAILED, "step '%s': the run file lacks its results, so the run cannot go on from "
			      "them", point->step->name);
	} else if (!error) {
		prepared_take(conductor, point);
		error = loads_outcome_keep(conductor, stage, record, totals, done->position);
		loads_settled_keep(conductor, stage, &done->loads[0], done->steady);
	}
	free(stage);
	return error;
}

static void purge_take(struct conductor *conductor, const struct run_done *done)
{
	struct run_target *target = conductor_target(conductor);

	conductor->settled.valid = false;
	if (target->subject.kind != TARGET_CHAR && !(done->note && !strcmp(done->note, "none")))
		coverage_purged(&target->coverage);
}

/* -- what brings the drive back to its state -- */

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
	       (has_rule(instance, STOP_WRITTEN) || has_rule(instance, STOP_STEADY) || has_rule(instance, STOP_SNIA));
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

static bool again_is(const struct conductor *conductor, uint32_t at, enum step_kind kind)
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

/* Keeps the list: from the last purge on, what preconditions; and idle time only when it comes last. */
static int again_note(struct conductor *conductor, const struct point *point)
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
	if (!preconditions(point))
		return 0;
	again_drop_step(conductor, point->step);
	return again_add(conductor, point);
}

static int again_run(struct conductor *conductor, const struct again *again)
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

/* -- the first step that is carried out -- */

static void state_forget(struct conductor *conductor)
{
	conductor->settled = (struct settled){ 0 };
	for (uint32_t i = 0; i < conductor->config->target_count; i++) {
		struct run_target *target = &conductor->config->targets[i];

		target->coverage = (struct coverage){ 0 };
		if (target->subject.kind == TARGET_FILE)
			coverage_purged(&target->coverage);
	}
}

static int state_restore(struct conductor *conductor)
{
	bool kept = conductor->config->resume->state_kept;
	uint32_t from = 0;
	int error;

	if (kept)
		for (from = conductor->again_count; from && again_is(conductor, from - 1, STEP_IDLE); from--)
			;
	else
		state_forget(conductor);
	if (kept && !conductor->config->resume->begun)
		from = conductor->again_count;
	error = write_cache_apply(conductor, conductor->cache_wanted);
	for (uint32_t i = from; i < conductor->again_count && !error && !conductor->ended; i++)
		error = again_run(conductor, &conductor->again[i]);
	if (!error && !conductor->ended && from < conductor->again_count)
		error = conductor_event(conductor, 0, "preconditioned", "the drive is where the interruption found it", NULL);
	return error;
}

static int go_live(struct conductor *conductor)
{
	const struct run_resume *resume = conductor->config->resume;
	int error;

	conductor->live = true;
	error = conductor_event(conductor, 0, "resume", resume->text, resume->data_json);
	return error ? error : state_restore(conductor);
}

int resume_point(struct conductor *conductor, const struct point *point, const struct step_record *record)
{
	const struct run_done *done;
	int error = 0;

	if (conductor->live)
		return 0;
	done = point->step->searches ? search_find(conductor, point->path) : done_find(conductor, point->path);
	if (!done)
		return go_live(conductor);
	if (point->instance->write_cache != WRITE_CACHE_KEEP)
		conductor->cache_wanted = point->instance->write_cache;
	if (point->step->kind == STEP_PURGE)
		purge_take(conductor, done);
	else if (point->step->kind == STEP_IDLE)
		conductor->settled.valid = false;
	else if (point->step->kind != STEP_NOTE)
		error = loads_take(conductor, point, record, done);
	if (!error)
		error = again_note(conductor, point);
	return error ? error : 1;
}
