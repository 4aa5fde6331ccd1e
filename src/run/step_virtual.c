/* A step on a simulated drive: one thread drives all workers through a heap of their next events; the clock jumps from
 * event to event. Everything else is what step_real.c does. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/step.h"
#include "run/telemetry.h"

#define TELEMETRY_EVERY_NS 1000000000ull

struct virtual_worker {
	struct worker worker;
	uint64_t next_ns;		/* next completion or next issue, whichever is first */
	uint64_t wake_ns;
};

struct virtual_run {
	struct step *step;
	struct virtual_worker *workers;
	struct virtual_worker **heap;	/* min-heap by next_ns, then by place in workers: deterministic */
	uint32_t count;			/* in the heap */
	uint64_t boundary_ns;		/* next interval boundary */
	uint64_t telemetry_ns;		/* next sample */
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
	for (uint32_t i = 0; i < board->worker_count; i++) {
		struct worker_config config;
		int error;

		stage_worker_config(stage, &board->worker[i], &context->target->sim, context->clock, &config);
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
static int boundary_pass(struct virtual_run *run, uint64_t now_ns)
{
	const struct board *board = run->step->stage->board;
	uint64_t interval_ns = run->step->stage->instance->interval_ns;
	int error = 0;

	while (run->boundary_ns <= now_ns && error >= 0) {
		for (uint32_t i = 0; i < board->worker_count; i++)
			if (board->worker[i].state < WORKER_DONE)
				recorder_boundary(run->workers[i].worker.ring, run->boundary_ns);
		error = step_tick(run->step, run->boundary_ns);
		run->boundary_ns += interval_ns;
		if (step_interrupted(run->step)) {
			run->step->end = STEP_END_INTERRUPTED;
			step_ask_stop(run->step);
			break;
		}
	}
	return error < 0 ? error : 0;
}

static int telemetry_pass(struct virtual_run *run, uint64_t now_ns)
{
	int error = 0;

	for (; run->telemetry_ns <= now_ns && !error; run->telemetry_ns += TELEMETRY_EVERY_NS)
		error = telemetry_virtual(run->step->context, run->telemetry_ns, run->step->record.id);
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
	if (count)
		worker_complete(worker, worker->done, (uint32_t)count);
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

static int events_run(struct virtual_run *run)
{
	int error = 0;

	while (run->count && !error) {
		uint64_t next = run->heap[0]->next_ns;

		if (next == WORKER_NEVER)
			return -EDEADLK;	/* in flight for ever: the simulated drive hangs */
		if (next >= run->boundary_ns)
			error = boundary_pass(run, next);
		if (!error && next >= run->telemetry_ns)
			error = telemetry_pass(run, next);
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
		if (board->worker[i].error) {
			step->end = STEP_END_FAILED;
			snprintf(step->text, sizeof(step->text), "I/O failed: %s", strerror(-board->worker[i].error));
		}
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
	if (error == -EDEADLK) {
		step->end = STEP_END_FAILED;
		error = step_tell_unfinished(step, clock_now_ns(step->context->clock));
		error = error < 0 ? error : 0;
	}
	errors_note(step);
	if (!error)
		error = step_finish(step, clock_now_ns(step->context->clock));
	virtual_release(&run);
	return error;
}
