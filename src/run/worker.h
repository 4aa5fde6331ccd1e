/* worker: one queue of one load, as a state machine with two calls. Who calls them, a thread or the event
 * loop of a simulated drive, makes no difference to it.
 *
 *	worker_issue(now)		asks work for the I/Os that are due and hands them to the engine
 *	worker_complete(done, count)	records what the engine gave back
 *
 * It owns its engine, work source, data, buffers and schedule alone; its recorder ring and its entry on the
 * board lie in shared memory. Nothing is allocated, locked or printed between worker_start and worker_finish.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/fault.h"
#include "engine/engine.h"
#include "measure/recorder.h"
#include "plan/load.h"
#include "run/board.h"
#include "run/buffers.h"
#include "work/arrival.h"
#include "work/data.h"
#include "work/work.h"

#define WORKER_NEVER UINT64_MAX

struct worker_config {
	const struct load *load;
	const struct target *target;
	struct clock *clock;
	struct board *board;
	struct worker_board *entry;		/* on the board; its ring is laid out */
	uint64_t seed, layout_seed;		/* of this execution / of the run (work.h) */
	uint64_t continue_offset;		/* offset=continue */
	uint64_t budget_bytes, budget_ios;	/* of this worker, measured part; UINT64_MAX = none */
	uint64_t ramp_ns;			/* before the measured part, since the start line */
	uint64_t runtime_ns;			/* of the measured part; 0 = no limit */
	uint64_t duty_on_ns, duty_off_ns;	/* 0 = always on */
	uint64_t duty_count;
	bool no_op;				/* io_uring's no-ops instead of I/Os (ceiling.h) */
	int32_t sqpoll_cpu;			/* of the ring's kernel thread (placement.h); -1 = any */
};

struct worker {
	/* touched for every batch */
	struct engine *engine;
	struct work *work;
	struct recorder_ring *ring;
	struct worker_board *entry;
	struct board *board;
	uint16_t *free_slots;			/* stack */
	uint32_t free_count, depth;
	uint32_t batch_submit, reap_min, reap_max;
	uint32_t batch_least, batch_most;	/* batch_submit lies between: batch_adapt */
	struct io *stock;			/* taken from work ahead of need, stock_max entries at most */
	uint32_t stock_next, stock_left;	/* those not yet taken by the engine */
	uint32_t stock_placed;			/* the first of these: they have their slots */
	uint32_t stock_max;
	struct io_done *done;			/* reap_max entries */
	char *buffers;
	uint64_t stride;
	uint64_t attend_ns;			/* next moment at which anything below may change; 0 = not
						 * issuing */
	uint64_t wake_ns;			/* the same without the end of the warm-up, which nobody need
						 * wait for */
	bool issuing;				/* I/Os may start */
	bool open_loop, writes, finished;
	bool sync_last;				/* when all else is done, an fsync follows */
	bool plain;				/* a closed loop of reads and writes: no intended times, a
						 * buffer for each */
	uint32_t errors_in_row;
	uint32_t think_left;			/* I/Os until the next thinktime */
	uint64_t deadline_ns, resume_ns;	/* stop for good / nothing before (thinktime, duty, delay) */
	uint64_t pause_at_ns;			/* duty: end of the load's share of the cycle */
	enum worker_end end;

	struct arrival arrival;
	struct data *data;
	struct clock *clock;
	uint64_t start_ns, measured_ns;
	uint64_t budget_bytes, budget_ios;	/* of the measured part, set when it begins */
	bool measuring;
	uint64_t think_ns, think_spin_ns, spin_until_ns;
	uint32_t think_blocks;
	uint64_t duty_on_ns, duty_off_ns, duty_left;
	uint64_t ramp_ns, runtime_ns, startdelay_ns;
	struct buffers memory;			/* of the buffers */
};

/* Makes everything that the hot loop needs: engine attached, buffers filled. 0 or -errno with fault. A worker
 * that failed to initialise is releasable. */
int worker_init(struct worker *worker, const struct worker_config *config, struct fault *fault);
void worker_release(struct worker *worker);

/* The start line. */
void worker_start(struct worker *worker, uint64_t start_ns);
/* Submits what is due at `now`; returns when it wants to be called again although nothing completes (next
 * arrival, end of a pause, deadline): WORKER_NEVER = only completions matter. */
uint64_t worker_issue(struct worker *worker, uint64_t now_ns);
void worker_complete(struct worker *worker, const struct io_done *done, uint32_t count);
/* On a real target, with nothing in flight: one I/O after the other as long as nothing but I/O is to do;
 * returns the time. For workers that worker_is_single. */
uint64_t worker_run_single(struct worker *worker, uint64_t now_ns);
static inline bool worker_is_single(const struct worker *worker)
{
	return worker->depth == 1 && !worker->open_loop && !worker->think_ns && !worker->duty_on_ns;
}
/* Nothing more to issue, nothing in flight, and no last fsync to come. */
static inline bool worker_is_done(const struct worker *worker)
{
	return worker->finished && worker->engine->in_flight == 0 && !worker->sync_last;
}
/* Writes the end of the story to the board. */
void worker_finish(struct worker *worker, uint64_t now_ns);

/* As engine_find knows it; NULL = the best one. */
const char *worker_engine_name(enum load_engine engine);
/* Bytes of one worker's buffers, for checks of the memory needed. */
uint64_t worker_buffer_bytes(const struct load *load, uint32_t block_bytes);
/* The deepest queue that the load asks for: 1 for synchronous engines. */
uint32_t worker_depth(const struct load *load, const struct engine_ops *ops);
