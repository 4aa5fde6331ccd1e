#include "run/step_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

bool step_interrupted(const struct step *step)
{
	const volatile sig_atomic_t *interrupted = step->context->config->interrupted;

	return interrupted && *interrupted;
}

void step_ask_stop(struct step *step)
{
	const enum board_stop why = step_interrupted(step) ? BOARD_STOP_INTERRUPTED : BOARD_STOP_ENDED;

	__atomic_store_n(&step->stage->board->stop, why, __ATOMIC_RELEASE);
	if (step->stop_asked)
		return;
	step->stop_asked = true;
	step->stop_asked_ns = clock_monotonic_ns();
}

static int collectors_new(struct step *step)
{
	struct board *board = step->stage->board;
	uint64_t interval_ns = step->stage->instance->interval_ns;
	uint32_t at = 0;

	step->rings = calloc(board->worker_count, sizeof(*step->rings));
	if (!step->rings)
		return -ENOMEM;
	for (uint32_t i = 0; i < board->worker_count; i++)
		step->rings[i] = board->worker[i].ring;
	for (uint32_t load = 0; load < step->stage->load_count; load++) {
		struct collector_config config = {
			.rings = step->rings + at,
			.ring_count = step->stage->layout[load].workers,
			.grace_ns = step->grace_ns,
			.ramp_intervals = step->stage->ramp_ns / interval_ns,
			.pauses = stage_pauses(step->stage, step->stage->load[load].load),
			.samples_per_second = step->stage->samples_per_second,
		};
		int error = collector_new(&config, &step->collectors[load]);

		if (error)
			return error;
		at += config.ring_count;
	}
	return step_stalls_new(step);
}

int step_begin(struct step *step)
{
	const struct run_observer *observer = step->context->observer;
	int error = collectors_new(step);

	step->progress.iops = step->progress.bytes_per_second = NAN;	/* no interval is over yet */
	step->progress.read_iops = step->progress.write_iops = NAN;
	step->started = true;
	step->start_ns = step->stage->board->start_ns;
	for (uint32_t i = 0; i < step->stage->load_count && !error; i++) {
		step_load_describe(step, i);
		error = observer->load_begin(observer->context, &step->loads[i]);
	}
	return error;
}

void step_end_followers(struct step *step)
{
	const struct stage *stage = step->stage;
	bool any = false;

	for (uint32_t i = 0; i < stage->board->worker_count; i++) {
		const struct worker_board *worker = &stage->board->worker[i];

		if (stage->load[worker->load].follows)
			any = true;
		else if (__atomic_load_n(&worker->state, __ATOMIC_ACQUIRE) < WORKER_DONE)
			return;
	}
	if (any)
		step_ask_stop(step);
}

int step_tick(struct step *step, uint64_t now_ns)
{
	int error = step_collect(step, now_ns);

	step_end_followers(step);
	if (error)
		return error;
	for (uint32_t i = 0; i < step->stall_count; i++)
		stall_merger_advance(step->stalls[i], now_ns);
	step_progress_tell(step, now_ns);
	return step->stop.met;
}

int step_finish(struct step *step, uint64_t now_ns)
{
	int error;

	if (!step->started)
		return 0;
	step_loads_close(step);
	for (uint32_t load = 0; load < step->stage->load_count; load++)
		if (!step->load_closed[load])
			collector_finish(step->collectors[load], now_ns);
	error = step_collect(step, now_ns);
	if (!error)
		error = step_feed_flush(step);
	if (!error)
		error = step_stalls_tell(step, now_ns);
	for (uint32_t load = 0; load < step->stage->load_count && !error; load++)
		error = step_load_tell(step, load);
	if (step->probe)
		probe_finish(step->probe, collector_total(step->collectors[0]));
	step->record.duration_ns = now_ns - step->start_ns;
	return error;
}

void step_release(struct step *step)
{
	for (uint32_t load = 0; load < PLAN_LOADS_MAX; load++)
		step->collectors[load] = collector_free(step->collectors[load]);
	for (uint32_t i = 0; i < step->stall_count; i++)
		step->stalls[i] = stall_merger_free(step->stalls[i]);
	stop_release(&step->stop);
	free(step->rings);
	free(step->target_rings);
	free(step->steady_json);
	step->steady_json = NULL;
	step->rings = step->target_rings = NULL;
}
