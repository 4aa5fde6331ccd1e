/* A step on a simulated drive: one thread drives all workers through a heap of their next events; the clock
 * jumps from event to event. Everything else is what step_real.c does. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/step_parts.h"
#include "run/telemetry.h"

#define TELEMETRY_EVERY_NS 1000000000ull

/* After the deadline or a stop, without a completion: drain.h's limit for a drive that does not say its own. */
#define DRAIN_WAIT_NS 70000000000ull
#define HANG_WAIT_NS (3600 * 1000000000ull)
#define HINT_AHEAD 8u		/* I/Os: long enough for a memory access, short enough to stay in the cache */

struct virtual_worker {
	struct worker worker;
	uint32_t hinted;		/* up to here, the worker's stock was announced to the engine */
	uint64_t next_ns;		/* next completion or next issue, whichever is first */
	uint64_t wake_ns;
};

struct virtual_run {
	struct step *step;
	struct virtual_worker *workers;
	struct virtual_worker **heap;	/* min-heap by next_ns, then by place in workers: deterministic */
	uint32_t count;			/* in the heap */
	uint64_t boundary_ns;		/* next interval boundary */
	uint64_t patience_ns;		/* no completion is waited for beyond; worked out anew when reached */
	uint64_t stop_ns;		/* boundary at which the end was asked for; 0 = not yet */
	uint64_t telemetry_ns;		/* next sample */
	uint64_t moved_ns;		/* the last completion */
	struct target target;		/* the simulated drive, or as much of it as the step may use */
};

static bool earlier(const struct virtual_worker *a, const struct virtual_worker *b)
{
	return a->next_ns != b->next_ns ? a->next_ns < b->next_ns : a < b;
}

static void heap_sink(struct virtual_run *run, uint32_t at)
{
	struct virtual_worker *moved = run->heap[at];

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= run->count)
			break;
		if (child + 1 < run->count && earlier(run->heap[child + 1], run->heap[child]))
			child++;
		if (!earlier(run->heap[child], moved))
			break;
		run->heap[at] = run->heap[child];
		at = child;
	}
	run->heap[at] = moved;
}

static void heap_drop_first(struct virtual_run *run)
{
	run->heap[0] = run->heap[--run->count];
	if (run->count)
		heap_sink(run, 0);
}

static void next_update(struct virtual_worker *virtual)
{
	uint64_t event = engine_next_event(virtual->worker.engine);

	virtual->next_ns = event < virtual->wake_ns ? event : virtual->wake_ns;
}

/* Tells the engine which I/Os come next: simulating a random one is mostly waiting for memory. */
static void hint_ahead(struct virtual_worker *virtual)
{
	const struct worker *worker = &virtual->worker;
	const uint32_t ahead = worker->stock_left < HINT_AHEAD ? worker->stock_left : HINT_AHEAD;
	const uint32_t end = worker->stock_next + ahead;

	if (virtual->hinted > end || virtual->hinted < worker->stock_next)	/* a new stock */
		virtual->hinted = worker->stock_next;
	for (; virtual->hinted < end; virtual->hinted++)
		engine_hint(worker->engine, &worker->stock[virtual->hinted]);
}

/* A worker that can issue more right now does so at once: its first batch held back only on real devices. */
static void issue_all(struct virtual_worker *virtual, uint64_t now_ns)
{
	struct worker *worker = &virtual->worker;
	uint32_t before;

	do {
		before = worker->engine->in_flight;
		virtual->wake_ns = worker_issue(worker, now_ns);
	} while (worker->engine->in_flight > before && worker->free_count && !worker->finished);
	if (virtual->wake_ns <= now_ns)
		virtual->wake_ns = now_ns + 1;
	hint_ahead(virtual);
	next_update(virtual);
}

static int workers_init(struct virtual_run *run)
{
	struct stage *stage = run->step->stage;
	struct step_context *context = run->step->context;
	struct board *board = stage->board;

	run->workers = calloc(board->worker_count, sizeof(*run->workers));
	run->heap = calloc(board->worker_count, sizeof(*run->heap));
	if (!run->workers || !run->heap)
		return -ENOMEM;
	run->target = context->target->sim;
	run->target.size_bytes = run_target_bytes(context->target);
	for (uint32_t i = 0; i < board->worker_count; i++) {
		struct worker_config config;
		int error;

		stage_worker_config(stage, &board->worker[i], &run->target, context->clock, &config);
		error = worker_init(&run->workers[i].worker, &config, &board->fault);
		if (error) {
			board->error = error;
			return error;
		}
		snprintf(board->load[board->worker[i].load].engine, sizeof(board->load[0].engine), "%s",
			 run->workers[i].worker.engine->ops->name);
	}
	return 0;
}

static void workers_start(struct virtual_run *run)
{
	struct stage *stage = run->step->stage;
	uint64_t now = clock_now_ns(run->step->context->clock);

	board_start(stage->board, stage->layout, now);
	stage->board->phase = BOARD_RUNNING;
	run->boundary_ns = now + stage->instance->interval_ns;
	run->telemetry_ns = now;
	for (uint32_t i = 0; i < stage->board->worker_count; i++) {
		worker_start(&run->workers[i].worker, now);
		issue_all(&run->workers[i], now);
		run->heap[run->count++] = &run->workers[i];
	}
	for (uint32_t at = run->count / 2; at-- > 0;)
		heap_sink(run, at);
}

/* All workers hand over what they have up to the boundary; then the collector has the whole interval. */
static int boundary_pass(struct virtual_run *run)
{
	const struct board *board = run->step->stage->board;
	const uint64_t now_ns = run->boundary_ns;
	int error;

	for (uint32_t i = 0; i < board->worker_count; i++)
		if (board->worker[i].state < WORKER_DONE)
			recorder_boundary(run->workers[i].worker.ring, now_ns);
	error = step_tick(run->step, now_ns);
	if (run->step->stop_asked && !run->stop_ns) {
		run->stop_ns = now_ns;
		run->patience_ns = 0;
	}
	run->boundary_ns += run->step->stage->instance->interval_ns;
	return error < 0 ? error : 0;
}

static int telemetry_pass(struct virtual_run *run)
{
	const uint64_t now_ns = run->telemetry_ns;

	run->telemetry_ns += TELEMETRY_EVERY_NS;
	return telemetry_virtual(run->step->context, now_ns, run->step->record.id);
}

/* What is due by the time. Until the next I/O it may be days, of many intervals and samples: the user can end
 * the step between any two. */
static int schedule_pass(struct virtual_run *run, uint64_t now_ns)
{
	int error = 0;

	while (!error) {
		const bool boundary = run->boundary_ns <= run->telemetry_ns;
		const uint64_t due_ns = boundary ? run->boundary_ns : run->telemetry_ns;

		if (due_ns > now_ns)
			break;
		error = boundary ? boundary_pass(run) : telemetry_pass(run);
		if (error || !step_interrupted(run->step))
			continue;
		clock_set(run->step->context->clock, due_ns);
		run->step->end = STEP_END_INTERRUPTED;
		step_ask_stop(run->step);
		break;
	}
	return error;
}

static int event_pass(struct virtual_run *run)
{
	struct virtual_worker *first = run->heap[0];
	struct worker *worker = &first->worker;
	uint64_t now = first->next_ns;
	int count;

	clock_set(run->step->context->clock, now);
	count = engine_reap(worker->engine, worker->done, worker->reap_max, 0, 0);
	if (count < 0)
		return count;
	if (count) {
		run->moved_ns = now;
		worker_complete(worker, worker->done, (uint32_t)count);
	}
	issue_all(first, now);
	if (worker_is_done(worker)) {
		worker_finish(worker, now);
		heap_drop_first(run);
		step_end_followers(run->step);
	} else {
		heap_sink(run, 0);
	}
	return 0;
}

/* When everything should have come back; 0 = only its I/Os can end the step. */
static uint64_t due_ns(const struct virtual_run *run)
{
	const struct stage *stage = run->step->stage;

	if (run->stop_ns)
		return run->stop_ns;
	return stage->runtime_ns ? run->step->start_ns + stage->ramp_ns + stage->runtime_ns : 0;
}

/* Until when I/Os are waited for: as on a real drive (drain.h), a while after the step should have ended, and
 * after the last sign of life: a slow drive brings back a long queue one by one. A step that only its I/Os
 * can end waits as long as no drive stalls. */
static uint64_t patience_end(const struct virtual_run *run)
{
	const uint64_t due = due_ns(run);

	if (!due)
		return clock_now_ns(run->step->context->clock) + HANG_WAIT_NS;
	return (due > run->moved_ns ? due : run->moved_ns) + DRAIN_WAIT_NS;
}

/* The worker waits for an I/O, not for a moment of its schedule. */
static bool is_completion(const struct virtual_worker *virtual)
{
	return virtual->next_ns < virtual->wake_ns || virtual->next_ns == WORKER_NEVER;
}

/* Nothing will come back: time goes on until patience ends, with empty intervals; then the step is given
 * up. */
static int hang_pass(struct virtual_run *run, uint64_t end_ns)
{
	int error = schedule_pass(run, end_ns);

	if (run->step->end == STEP_END_INTERRUPTED)
		return error;
	clock_set(run->step->context->clock, end_ns);
	if (!error)
		error = step_watch(run->step, end_ns);
	if (!error)
		error = step_give_up(run->step, end_ns);
	run->count = 0;
	return error < 0 ? error : 0;
}

static int events_run(struct virtual_run *run)
{
	int error = 0;

	while (run->count && !error) {
		uint64_t next = run->heap[0]->next_ns;

		if (__builtin_expect(next > run->patience_ns, 0) && is_completion(run->heap[0])) {
			run->patience_ns = patience_end(run);	/* it may have grown */
			if (next > run->patience_ns)
				return hang_pass(run, run->patience_ns);
		}
		if (next >= run->boundary_ns || next >= run->telemetry_ns)
			error = schedule_pass(run, next);
		if (!error && run->step->end == STEP_END_INTERRUPTED)
			break;
		if (!error)
			error = event_pass(run);
	}
	return error;
}

static void errors_note(struct step *step)
{
	const struct board *board = step->stage->board;

	for (uint32_t i = 0; i < board->worker_count; i++)
		if (board->worker[i].error)
			step_fail_io(step, &board->worker[i]);
}

static void virtual_release(struct virtual_run *run)
{
	for (uint32_t i = 0; run->workers && i < run->step->stage->board->worker_count; i++)
		worker_release(&run->workers[i].worker);
	free(run->workers);
	free(run->heap);
}

int step_run_virtual(struct step *step)
{
	struct virtual_run run = { .step = step };
	int error = workers_init(&run);

	if (error && step->stage->board->fault.text[0]) {
		step->end = STEP_END_FAILED;
		snprintf(step->text, sizeof(step->text), "%.250s", step->stage->board->fault.text);
		virtual_release(&run);
		return 0;
	}
	if (!error) {
		workers_start(&run);
		error = step_begin(step);
	}
	if (!error)
		error = events_run(&run);
	errors_note(step);
	if (!error)
		error = step_finish(step, clock_now_ns(step->context->clock));
	virtual_release(&run);
	return error;
}
