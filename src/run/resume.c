#include "run/resume.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/again.h"
#include "run/loads.h"
#include "run/prepare.h"
#include "run/write_cache.h"

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
		if (!strncmp(resume->done[i].path, path, length) &&
		    !strncmp(resume->done[i].path + length, "/probe", 6))
			last = &resume->done[i];
	return last;
}

/* -- taking over -- */

/* The filling that came before it. */
static void prepared_take(struct conductor *conductor, const struct point *point)
{
	char path[PATH_BYTES];

	for (uint32_t i = 0; i < point->instance->load_count; i++) {
		const struct load *load = &point->instance->loads[i];
		struct run_target *target;
		struct work_range range;

		prepare_path(point, i, path);
		if (!done_find(conductor, path))
			continue;
		for (uint32_t k = 0; (target = loads_target(conductor, load, k)); k++)
			if (!work_range_resolve(load, run_target_bytes(target),
						run_target_block_bytes(target), 0, &range, NULL))
				coverage_written(&target->coverage, range.start, range.start + range.bytes);
	}
}

static bool totals_take(const struct run_done *done, uint32_t count,
			const struct tally *totals[PLAN_LOADS_MAX])
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

static int loads_take(struct conductor *conductor, const struct point *point,
		      const struct step_record *record, const struct run_done *done)
{
	const struct tally *totals[PLAN_LOADS_MAX];
	struct stage *stage = calloc(1, sizeof(*stage));
	int error;

	if (!stage)
		return -ENOMEM;
	stage->instance = point->instance;
	error = loads_stage(conductor, stage);
	if (!error && !totals_take(done, stage->load_count, totals)) {
		conductor_end(conductor, RUN_FAILED,
			      "step '%s': the run file lacks its results, so the run cannot go on from them",
			      point->step->name);
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
	struct run_target *target = conductor_drive(conductor);

	conductor->settled.valid = false;
	if (target->subject.kind != TARGET_CHAR && !(done->note && !strcmp(done->note, PURGE_NOT_DONE)))
		coverage_purged(&target->coverage);
}

static int mkfs_take(struct conductor *conductor, const struct point *point, const struct run_done *done)
{
	uint64_t bytes;
	int error = fs_bytes(point->instance, conductor_drive(conductor), &bytes, NULL);

	if (error)
		return error;
	conductor->settled.valid = false;
	fs_take(conductor, point->step->index, point->instance->fs, bytes,
		done->note && !strcmp(done->note, "skipped"));
	return 0;
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
	bool kept = conductor->config->resume->state_kept && conductor->fs.state != FS_LOST;
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
	if (!error)
		error = again_run(conductor, from);
	if (!error && !conductor->ended && from < conductor->again_count)
		error = conductor_event(conductor, 0, "preconditioned", NULL,
					"the drive is where the interruption found it");
	return error;
}

static int go_live(struct conductor *conductor)
{
	const struct run_resume *resume = conductor->config->resume;
	struct event_record event = { .kind = "resume",
				      .text = resume->text,
				      .said_json = resume->said_json,
				      .data_json = resume->data_json };
	const struct run_observer *observer = conductor->config->observer;
	int error = 0;

	conductor->live = true;
	event.t_ns = conductor_now_ns(conductor);
	if (!together_resumed(conductor->context.together))
		error = observer->event(observer->context, &event);
	if (!error && conductor->fs.state == FS_LOST)
		error = conductor_event(conductor, 0, "file_system_lost", NULL,
					"the file system on the drive is gone, and is made and filled again");
	return error ? error : state_restore(conductor);
}

int resume_point(struct conductor *conductor, const struct point *point, const struct step_record *record)
{
	const struct run_done *done;
	int error = 0;

	if (conductor->live)
		return 0;
	done = point->step->searches ? search_find(conductor, point->path) :
				       done_find(conductor, point->path);
	if (!done)
		return go_live(conductor);
	if (point->instance->write_cache != WRITE_CACHE_KEEP)
		conductor->cache_wanted = point->instance->write_cache;
	if (point->step->kind == STEP_PURGE)
		purge_take(conductor, done);
	else if (point->step->kind == STEP_MKFS)
		error = mkfs_take(conductor, point, done);
	else if (point->step->kind == STEP_IDLE)
		conductor->settled.valid = false;
	else if (point->step->kind != STEP_NOTE)
		error = loads_take(conductor, point, record, done);
	if (!error)
		error = again_note(conductor, point);
	return error ? error : 1;
}
