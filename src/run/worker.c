#include "run/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_DEFAULT 32u
#define BATCH_SHORT 4u
#define DEPTH_LONG 64u		/* from here on the program's own speed may set the limit */
#define BATCH_GROWN 128u
#define STOCK_LEAST 32u		/* I/Os taken from work at a time, however few are sent at a time */
#define REAP_MAX 256u
#define ERRORS_IN_ROW_MAX 1000u	/* then the device is taken for dead */
#define BUFFER_ALIGN 4096u

static bool load_moves_data(const struct load *load)
{
	return load->rw != LOAD_TRIM && load->rw != LOAD_RANDTRIM;
}

static bool load_writes(const struct load *load)
{
	return load->rw != LOAD_READ && load->rw != LOAD_RANDREAD && load_moves_data(load);
}

static bool load_transfers_only(const struct load *load)
{
	return load_moves_data(load) && !load->fsync_every && !load->fdatasync_every;
}

uint32_t worker_depth(const struct load *load, const struct engine_ops *ops)
{
	if (ops && ops->capabilities.synchronous)
		return 1;
	return load->iodepth ? load->iodepth : 1;
}

/* Bytes of one slot: the biggest I/O, and for writers several of them (data.h). Trims need no buffers,
 * however large. */
static uint64_t slot_bytes(const struct load *load, struct data *data, uint32_t depth, uint32_t block_bytes)
{
	uint64_t bytes;

	if (!load_moves_data(load))
		return 0;
	bytes = work_io_bytes_max(load, block_bytes);
	bytes = (bytes + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
	return data ? data_slot_bytes(data, depth, (uint32_t)bytes) : bytes;
}

uint64_t worker_buffer_bytes(const struct load *load, uint32_t block_bytes)
{
	uint32_t depth = worker_depth(load, NULL);
	struct data *data = NULL;
	uint64_t bytes;

	if (load_writes(load) && data_new(load, 0, 0, &data))
		return 0;
	bytes = slot_bytes(load, data, depth, block_bytes) * depth;
	data_free(data);
	return bytes;
}

const char *worker_engine_name(enum load_engine engine)
{
	switch (engine) {
	case ENGINE_BEST:
		return NULL;
	case ENGINE_URING:
		return "io_uring";
	case ENGINE_AIO:
		return "libaio";
	case ENGINE_PSYNC:
		return "psync";
	case ENGINE_SYNC:
		return "sync";
	case ENGINE_NULL:
		return "null";
	case ENGINE_SIM:
		return "sim";
	case ENGINE_URING_CMD:
		return "io_uring_cmd";
	}
	return NULL;
}

static int buffers_init(struct worker *worker, const struct load *load, const struct target *target,
			struct fault *fault)
{
	int error;

	if (target->kind == TARGET_SIM)		/* moves no data */
		return 0;
	worker->stride = slot_bytes(load, worker->data, worker->depth, target->block_bytes);
	error = buffers_map(&worker->memory, worker->stride * worker->depth, load->huge_pages, fault);
	if (error)
		return error;
	worker->buffers = worker->memory.at;
	if (worker->writes && worker->buffers)
		for (uint32_t slot = 0; slot < worker->depth; slot++)
			data_fill(worker->data, worker->buffers + slot * worker->stride, worker->stride);
	return 0;
}

/* The others take the priority of the thread (placement.h). */
static bool sends_with_priority(const struct load *load)
{
	return load->engine == ENGINE_BEST || load->engine == ENGINE_URING || load->engine == ENGINE_AIO ||
	       load->engine == ENGINE_URING_CMD;
}

static int engine_init(struct worker *worker, const struct worker_config *config, struct fault *fault)
{
	const struct load *load = config->load;
	struct engine_config engine = {
		.target = config->target,
		.clock = config->clock,
		.depth = worker->depth,
		.buffers = worker->buffers,
		.buffer_stride = worker->stride,
		.iopoll = load->iopoll,
		.hybrid_poll = load->hybrid_poll,
		.vectored = load->vectored,
		.sqpoll = load->sqpoll,
		.fixed_buffers = load->fixed_buffers,
		.fixed_files = load->fixed_files,
		.require_options = load->engine_options_named,
		.sqpoll_cpu = config->sqpoll_cpu,
		.write_flags = load->sync_flags,
		.ioprio = sends_with_priority(load) ? load_ioprio(load) : 0,
		.no_op = config->no_op,
	};

	return engine_new(worker_engine_name(load->engine), &engine, &worker->engine, fault);
}

static int arrays_init(struct worker *worker)
{
	worker->free_slots = calloc(worker->depth, sizeof(*worker->free_slots));
	worker->stock = calloc(worker->stock_max, sizeof(*worker->stock));
	worker->done = calloc(worker->reap_max, sizeof(*worker->done));
	if (!worker->free_slots || !worker->stock || !worker->done)
		return -ENOMEM;
	for (uint32_t slot = 0; slot < worker->depth; slot++)
		worker->free_slots[slot] = (uint16_t)(worker->depth - 1 - slot);
	worker->free_count = worker->depth;
	return 0;
}

/* A quarter of the queue: while one batch is on its way, the device still has the rest to do. In short
 * queues, and with libaio, at most four: the block layer holds back larger batches in a plug, which costs a
 * drive more than the calls that it saves (docs/decisions/0015). */
static uint32_t batch_default(const struct load *load, uint32_t depth)
{
	uint32_t most = load->engine == ENGINE_AIO || depth < DEPTH_LONG ? BATCH_SHORT : BATCH_DEFAULT;
	uint32_t quarter = depth / 4 ? depth / 4 : 1;

	return quarter < most ? quarter : most;
}

static void batches_set(struct worker *worker, const struct load *load)
{
	uint32_t depth = worker->depth;
	uint32_t submit = load->batch_submit ? load->batch_submit : batch_default(load, depth);
	uint32_t least = load->batch_complete_min ? load->batch_complete_min : 1;
	uint32_t most = load->batch_complete_max ? load->batch_complete_max : REAP_MAX;

	worker->batch_submit = worker->batch_least = worker->batch_most = submit < depth ? submit : depth;
	if (!load->batch_submit && load->arrival == ARRIVAL_CLOSED)
		worker->batch_most = depth < BATCH_GROWN ? depth : BATCH_GROWN;
	worker->stock_max = worker->batch_most < STOCK_LEAST ? STOCK_LEAST : worker->batch_most;
	worker->reap_max = most < depth ? most : depth;
	worker->reap_min = least < worker->reap_max ? least : worker->reap_max;
}

static int work_init(struct worker *worker, const struct worker_config *config, struct fault *fault)
{
	const struct load *load = config->load;
	struct work_config work = {
		.load = load,
		.target_bytes = config->target->size_bytes,
		.block_bytes = config->target->block_bytes,
		.worker = config->entry->number,
		.workers = load->numjobs,
		.seed = config->seed,
		.layout_seed = config->layout_seed,
		.continue_offset = config->continue_offset,
		.budget_bytes = UINT64_MAX,
		.budget_ios = UINT64_MAX,
	};
	int error = 0;

	if (!config->ramp_ns) {
		work.budget_bytes = config->budget_bytes;
		work.budget_ios = config->budget_ios;
	}
	if (worker->writes)
		error = data_new(load, config->seed, config->entry->load * 65536ull + config->entry->number,
				 &worker->data);
	if (error)
		return fault_system(fault, error, "no memory for the data pattern");
	return work_new(&work, &worker->work, fault);
}

/* A synchronous engine keeps one I/O in flight, whatever was asked: slot 0 is the only one. */
static void depth_limit(struct worker *worker)
{
	worker->depth = worker->free_count = worker->batch_submit = worker->reap_min = worker->reap_max = 1;
	worker->batch_least = worker->batch_most = 1;
	worker->free_slots[0] = 0;
	worker->entry->depth = 1;
}

int worker_init(struct worker *worker, const struct worker_config *config, struct fault *fault)
{
	const struct load *load = config->load;
	int error;

	*worker = (struct worker){
		.ring = config->entry->ring,
		.entry = config->entry,
		.board = config->board,
		.clock = config->clock,
		.depth = config->entry->depth,
		.open_loop = load->arrival != ARRIVAL_CLOSED,
		.writes = load_writes(load),
		.sync_last = load->end_fsync && load_writes(load),
		.plain = load->arrival == ARRIVAL_CLOSED && load_transfers_only(load),
		.think_ns = load->thinktime_ns,
		.think_spin_ns = load->thinktime_spin_ns,
		.think_blocks = load->thinktime_blocks ? load->thinktime_blocks : 1,
		.ramp_ns = config->ramp_ns,
		.runtime_ns = config->runtime_ns,
		.startdelay_ns = load->startdelay_ns,
		.budget_bytes = config->budget_bytes,
		.budget_ios = config->budget_ios,
		.duty_on_ns = config->duty_on_ns,
		.duty_off_ns = config->duty_off_ns,
		.duty_left = config->duty_count,
		.measuring = !config->ramp_ns,
	};
	batches_set(worker, load);
	error = work_init(worker, config, fault);
	if (error)
		return error;
	error = arrays_init(worker);
	if (error)
		return fault_system(fault, error, "load '%s': no memory for %u I/Os", load->name,
				    worker->depth);
	error = buffers_init(worker, load, config->target, fault);
	if (error)
		return error;
	if (worker->open_loop)
		arrival_init(&worker->arrival, load->arrival, load->arrival_rate / load->numjobs,
			     (double)config->entry->number / load->numjobs, 0, config->seed,
			     config->entry->load * 65536ull + config->entry->number);
	error = engine_init(worker, config, fault);
	if (!error && worker->engine->ops->capabilities.synchronous)
		depth_limit(worker);
	if (!error && worker->engine->capabilities.is_virtual)	/* its time stands still between two events */
		worker->batch_most = worker->batch_least;
	return error;
}

void worker_release(struct worker *worker)
{
	worker->engine = engine_free(worker->engine);
	worker->work = work_free(worker->work);
	worker->data = data_free(worker->data);
	buffers_unmap(&worker->memory);
	free(worker->free_slots);
	free(worker->stock);
	free(worker->done);
	*worker = (struct worker){ 0 };
}

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

/* The warm-up is the stage's, and has the start delays in it (loads.c). */
void worker_start(struct worker *worker, uint64_t start_ns)
{
	worker->start_ns = start_ns;
	worker->measured_ns = start_ns + worker->ramp_ns;
	worker->resume_ns = start_ns + worker->startdelay_ns;
	worker->deadline_ns = worker->runtime_ns ? later(worker->measured_ns, worker->resume_ns) + worker->runtime_ns
						 : WORKER_NEVER;
	worker->pause_at_ns = worker->duty_on_ns ? worker->resume_ns + worker->duty_on_ns : WORKER_NEVER;
	worker->think_left = worker->think_blocks;
	worker->arrival.start_ns = worker->resume_ns;
	worker->attend_ns = 0;		/* the first call looks at everything */
	__atomic_store_n(&worker->entry->state, WORKER_RUNNING, __ATOMIC_RELEASE);
}

static void worker_end(struct worker *worker, enum worker_end end)
{
	if (worker->finished)
		return;
	worker->finished = true;
	worker->issuing = false;
	worker->attend_ns = 0;
	worker->wake_ns = WORKER_NEVER;
	worker->end = end;
	__atomic_store_n(&worker->entry->state, WORKER_DRAINING, __ATOMIC_RELAXED);
}

/* The warm-up is over: the budget counts from here. */
static void worker_measure(struct worker *worker)
{
	worker->measuring = true;
	work_budget_set(worker->work, worker->budget_bytes, worker->budget_ios);
}

/* Duty cycles: at the end of the on-time pause, at the end of the last cycle stop. */
static void worker_duty(struct worker *worker)
{
	if (--worker->duty_left == 0) {
		worker_end(worker, WORKER_END_TIME);
		return;
	}
	worker->resume_ns = worker->pause_at_ns + worker->duty_off_ns;
	worker->pause_at_ns = worker->resume_ns + worker->duty_on_ns;
}

static uint64_t earlier(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

/* When to look at the rules again: until then I/Os may start; while none may, each time. */
static void worker_plan(struct worker *worker, uint64_t now_ns)
{
	worker->issuing = !worker->finished && now_ns >= worker->resume_ns;
	worker->wake_ns = worker->finished ? WORKER_NEVER : earlier(worker->deadline_ns, worker->pause_at_ns);
	if (worker->resume_ns > now_ns && !worker->finished)
		worker->wake_ns = earlier(worker->wake_ns, worker->resume_ns);
	worker->attend_ns = worker->measuring ? worker->wake_ns :
						earlier(worker->wake_ns, worker->measured_ns);
	if (!worker->issuing)
		worker->attend_ns = 0;
}

static __attribute__((noinline)) bool worker_attend(struct worker *worker, uint64_t now_ns)
{
	if (__atomic_load_n(&worker->board->stop, __ATOMIC_RELAXED))
		worker_end(worker, WORKER_END_STOP);
	if (now_ns >= worker->deadline_ns)
		worker_end(worker, WORKER_END_TIME);
	if (!worker->finished && !worker->measuring && now_ns >= worker->measured_ns)
		worker_measure(worker);
	if (!worker->finished && now_ns >= worker->pause_at_ns)
		worker_duty(worker);
	worker_plan(worker, now_ns);
	return worker->issuing;
}

/* Whether I/Os may start now; sets the end when none may any more. */
static inline bool worker_may_issue(struct worker *worker, uint64_t now_ns)
{
	const uint32_t stop = __atomic_load_n(&worker->board->stop, __ATOMIC_RELAXED);

	if (__builtin_expect(now_ns < worker->attend_ns && !stop, 1))
		return true;
	return worker_attend(worker, now_ns);
}

/* How many arrivals are due: the next I/Os get their intended times. */
static uint32_t arrivals_take(struct worker *worker, uint32_t max, uint64_t now_ns)
{
	struct io *io = worker->stock + worker->stock_next;
	uint32_t count = 0;

	while (count < max && arrival_next_ns(&worker->arrival) <= now_ns) {
		io[count++].intent_ns = arrival_next_ns(&worker->arrival);
		arrival_advance(&worker->arrival);
	}
	return count;
}

static inline uint32_t batch_limit(const struct worker *worker)
{
	uint32_t limit = worker->free_count < worker->batch_submit ? worker->free_count :
								     worker->batch_submit;

	if (worker->think_ns && worker->think_left < limit)
		limit = worker->think_left;
	return limit;
}

/* Gives each I/O its slot, its buffer and its place in the in-flight table. `plain`: reads and writes of a
 * closed loop. */
static inline __attribute__((always_inline)) void batch_place(struct worker *worker, uint32_t count,
							      uint64_t now_ns, bool plain)
{
	const uint16_t *slots = worker->free_slots + worker->free_count;
	struct inflight *const table = worker->ring->inflight;
	char *const buffers = worker->buffers;
	const uint64_t stride = worker->stride;
	struct io *const first = worker->stock + worker->stock_next;

	worker->free_count -= count;
#pragma GCC unroll 4
	for (struct io *io = first, *const end = first + count; io != end; io++) {
		const uint16_t slot = *--slots;
		struct inflight *entry = &table[slot];
		const uint64_t word = io_slot_set(io, slot);

		io->buffer = buffers + slot * stride;
		if (!plain && io->op >= IO_TRIM)
			io->buffer = NULL;
		if (!plain)
			entry->intent_ns = io->intent_ns;
		inflight_fill(entry, io, word, now_ns);
	}
	if (worker->data && buffers)
		data_next_each(worker->data, first, count);
}

/* Takes the next I/Os from work; in the warm-up, whose end brings a new budget, no more than are sent at
 * once. */
static __attribute__((noinline)) bool stock_fill(struct worker *worker)
{
	const uint32_t wanted = worker->measuring ? worker->stock_max : worker->batch_submit;

	worker->stock_next = 0;
	worker->stock_left = work_next(worker->work, worker->stock, wanted);
	if (!worker->stock_left)
		worker_end(worker, WORKER_END_SIZE);
	return worker->stock_left > 0;
}

/* Makes the next I/Os ready to be sent; false when there are none. */
static inline bool batch_fill(struct worker *worker, uint64_t now_ns)
{
	uint32_t count = batch_limit(worker);

	if (__builtin_expect(!worker->stock_left, 0) && (!count || !stock_fill(worker)))
		return false;
	count = count < worker->stock_left ? count : worker->stock_left;
	if (worker->open_loop)
		count = arrivals_take(worker, count, now_ns);
	if (worker->plain)
		batch_place(worker, count, now_ns, true);
	else
		batch_place(worker, count, now_ns, false);
	worker->stock_placed = count;
	return count > 0;
}

/* Thinks after so many I/Os, when they have completed. */
static void batch_think(struct worker *worker, uint32_t taken, uint64_t now_ns)
{
	worker->think_left -= taken;
	if (worker->think_left)
		return;
	worker->think_left = worker->think_blocks;
	worker->resume_ns = WORKER_NEVER;
	worker_plan(worker, now_ns);
}

/* The moment from which the engine counts these I/Os. */
static inline uint64_t submit_stamp(const struct worker *worker, uint64_t now_ns)
{
	return worker->engine->submitted_ns ? worker->engine->submitted_ns : now_ns;
}

/* The last I/O of all, when everything else has come back: an fsync, not for a user who wants to have the
 * prompt back. */
static __attribute__((noinline)) void worker_sync(struct worker *worker, uint64_t now_ns)
{
	struct io io = { .op = IO_FSYNC, .slot = worker->free_slots[worker->free_count - 1],
			 .intent_ns = worker->open_loop ? now_ns : 0 };
	int taken;

	if (worker->end == WORKER_END_ERROR ||
	    __atomic_load_n(&worker->board->stop, __ATOMIC_RELAXED) == BOARD_STOP_INTERRUPTED) {
		worker->sync_last = false;
		return;
	}
	__atomic_store_n(&worker->entry->state, WORKER_SYNCING, __ATOMIC_RELAXED);
	inflight_set(worker->ring, &io, now_ns);
	taken = engine_submit(worker->engine, &io, 1);
	if (taken == 1) {
		worker->free_count--;
		recorder_submitted(worker->ring, submit_stamp(worker, now_ns), 1);
	} else {
		inflight_clear(worker->ring, io.slot);
	}
	if (taken < 0)
		worker->entry->error = taken;
	worker->sync_last = taken == 0;		/* then once more */
}

/* Hands the batch to the engine; what it does not take stays for the next call. */
static inline bool batch_submit(struct worker *worker, uint64_t now_ns)
{
	int taken = engine_submit(worker->engine, worker->stock + worker->stock_next, worker->stock_placed);

	if (__builtin_expect(taken < 0, 0)) {
		worker->entry->error = taken;
		worker_end(worker, WORKER_END_ERROR);
		worker->stock_placed = 0;
		return false;
	}
	recorder_submitted(worker->ring, submit_stamp(worker, now_ns), (uint32_t)taken);
	worker->stock_next += (uint32_t)taken;
	worker->stock_left -= (uint32_t)taken;
	worker->stock_placed -= (uint32_t)taken;
	if (worker->think_ns)
		batch_think(worker, (uint32_t)taken, now_ns);
	return worker->stock_placed == 0;
}

/* A closed loop lets one batch start before the queue is full; an open loop sends all that is due. */
uint64_t worker_issue(struct worker *worker, uint64_t now_ns)
{
	do {
		if (worker->stock_placed)
			continue;
		if (!worker_may_issue(worker, now_ns) || !batch_fill(worker, now_ns))
			break;
	} while (batch_submit(worker, now_ns) && worker->open_loop);
	if (__builtin_expect(worker->finished, 0) && worker->sync_last && !worker->engine->in_flight &&
	    !worker->stock_placed)
		worker_sync(worker, now_ns);
	if (worker->open_loop && worker->issuing && worker->free_count)
		return earlier(worker->wake_ns, arrival_next_ns(&worker->arrival));
	return worker->wake_ns;
}

/* A device that fails everything is gone: data up to here, then the end. */
static void worker_failed_io(struct worker *worker, int32_t result)
{
	worker->errors_in_row++;
	if (result == -ENODEV || worker->errors_in_row >= ERRORS_IN_ROW_MAX) {
		worker->entry->error = result;
		worker_end(worker, WORKER_END_ERROR);
	}
}

static void worker_failures(struct worker *worker, const struct io_done *done, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (done[i].result < 0)
			worker_failed_io(worker, done[i].result);
		else
			worker->errors_in_row = 0;
}

static inline __attribute__((always_inline)) void complete(struct worker *worker, const struct io_done *done,
							   uint32_t count)
{
	uint16_t *free_slot = worker->free_slots + worker->free_count;
	int32_t results = 0;

	recorder_batch_begin(worker->ring);
	recorder_complete(worker->ring, done, count);
	recorder_batch_end(worker->ring, count);
#pragma GCC unroll 4
	for (const struct io_done *one = done, *const end = done + count; one != end; one++) {
		*free_slot++ = one->slot;
		results |= one->result;
	}
	worker->free_count += count;
	if (__builtin_expect(results < 0, 0))
		worker_failures(worker, done, count);
	else
		worker->errors_in_row = 0;
}

/* A target that has answered everything before more could be sent answers as fast as I/Os come: batches that
 * take turns with the queue's standing idle would measure a part of the depth that was asked for. They double
 * until the queue is full, and are the usual ones again as soon as something is still under way. */
static inline void batch_adapt(struct worker *worker)
{
	const uint32_t twice = 2 * worker->batch_submit;

	if (__builtin_expect(worker->batch_least == worker->batch_most, 0))
		return;
	if (worker->engine->in_flight)
		worker->batch_submit = worker->batch_least;
	else
		worker->batch_submit = twice < worker->batch_most ? twice : worker->batch_most;
}

/* thinktime begins with the last completion; for thinktime_spin of it the CPU stays busy. */
static void worker_pause(struct worker *worker, uint64_t from_ns)
{
	worker->resume_ns = from_ns + worker->think_ns;
	worker->spin_until_ns = from_ns + worker->think_spin_ns;
}

void worker_complete(struct worker *worker, const struct io_done *done, uint32_t count)
{
	complete(worker, done, count);
	batch_adapt(worker);
	if (worker->resume_ns == WORKER_NEVER && worker->engine->in_flight == 0) {
		worker_pause(worker, done[count - 1].done_ns);
		worker_plan(worker, done[count - 1].done_ns);
	}
}

/* Makes the next I/O ready: with a queue of one there is one slot, and nothing is in it. */
static inline struct io *single_place(struct worker *worker, uint64_t now_ns)
{
	struct io *io = worker->stock + worker->stock_next++;
	char *const buffer = worker->buffers;

	worker->stock_left--;
	io->buffer = buffer;
	if (io->op != IO_READ)
		io->buffer = io->op == IO_WRITE && buffer ?
				     data_next(worker->data, buffer, io->bytes, io->offset) :
				     NULL;
	inflight_fill(worker->ring->inflight, io, io_word(io), now_ns);
	return io;
}

/* It did not come back with its call: the ordinary loop reaps it. */
static __attribute__((noinline)) void single_left(struct worker *worker, int count)
{
	if (count == 0) {
		worker->free_count = 0;
		return;
	}
	worker->entry->error = count;
	worker_end(worker, WORKER_END_ERROR);
}

/* The same as worker_issue, a wait and worker_complete, for one I/O: true and the moment of its
 * completion. */
static inline bool single_pass(struct worker *worker, uint64_t *ret_now_ns)
{
	const uint64_t start_ns = clock_now_ns(worker->clock);
	const struct io *io = single_place(worker, start_ns);
	struct io_done *done = worker->done;
	int count;

	recorder_single_begin(worker->ring, start_ns);
	count = engine_transfer(worker->engine, io, start_ns, done);
	if (__builtin_expect(count != 1, 0)) {
		single_left(worker, count);
		return false;
	}
	*ret_now_ns = done->done_ns;
	if (__builtin_expect(!recorder_single_end(worker->ring, done), 0) && done->result < 0)
		worker_failed_io(worker, done->result);
	else
		worker->errors_in_row = 0;
	return true;
}

uint64_t worker_run_single(struct worker *worker, uint64_t now_ns)
{
	bool goes_on = true;

	while (goes_on && worker_may_issue(worker, now_ns) && (worker->stock_left || stock_fill(worker)))
		goes_on = single_pass(worker, &now_ns);
	return now_ns;
}

/* Taken from work and never sent. */
static uint64_t stock_bytes(const struct worker *worker)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < worker->stock_left; i++)
		bytes += worker->stock[worker->stock_next + i].bytes;
	return bytes;
}

/* Where a sequential load goes on: at the first I/O that was not sent. */
static uint64_t stock_position(const struct worker *worker)
{
	for (uint32_t i = 0; i < worker->stock_left; i++)
		if (worker->stock[worker->stock_next + i].op <= IO_TRIM)
			return worker->stock[worker->stock_next + i].offset;
	return work_position(worker->work);
}

void worker_finish(struct worker *worker, uint64_t now_ns)
{
	struct worker_board *entry = worker->entry;

	recorder_boundary(worker->ring, now_ns);
	entry->end = worker->end;
	entry->position = stock_position(worker);
	entry->issued_bytes = work_issued_bytes(worker->work) - stock_bytes(worker);
	entry->engine_calls = worker->engine->calls;
	entry->finished_ns = now_ns;
	__atomic_store_n(&entry->state, worker->end == WORKER_END_ERROR ? WORKER_FAILED : WORKER_DONE,
			 __ATOMIC_RELEASE);
}
