/* recorder: what one worker did, interval by interval, in memory that two processes share.
 *
 * The worker writes, the collector (measure/collect.h; mostly in another process) reads: no locks, no
 * waiting, no system calls. One recorder_ring per worker lies in a MAP_SHARED area that both map at the
 * same address. It holds a few recorders (recorder_count); the worker fills one, hands it over at the
 * interval's end and takes the next. When the collector is late and none is free, the worker goes on in the
 * same one, which then covers several intervals.
 *
 * Everything that the collector may look at while the worker lives is guarded by `seq`: odd while the
 * worker changes something, even otherwise. So the collector can also copy the unfinished recorder of a
 * worker that hangs or died.
 *
 * The worker's cycle (all times: target's clock, ns):
 *
 * 	inflight_set(ring, io, now);			for each I/O, before it is submitted
 * 	recorder_submitted(ring, now, count);		once per submitted batch
 * 	...
 * 	recorder_batch_begin(ring);			once per reaped batch
 * 	recorder_complete(ring, done, count);		in the order of done_ns; clears their slots
 * 	recorder_batch_end(ring, count);
 * 	...
 * 	recorder_boundary(ring, now);			when nothing completed for a while (after a time-out)
 *
 * A worker of a closed loop that keeps one I/O in flight, in slot 0, may instead use, for each, inflight_set,
 * recorder_single_begin(ring, now) and recorder_single_end(ring, done): the same records for fewer
 * instructions.
 *
 * An I/O belongs to the interval in which it completed; intervals are start_ns + k * interval_ns for all
 * workers. An I/O that failed is counted in `errors` and `slow`, and is logged; histograms, ios and bytes
 * hold what worked. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/io.h"
#include "measure/event_log.h"
#include "measure/histogram.h"
#include "measure/tally.h"

#define RECORDERS_LEAST 4u		/* powers of two */
#define RECORDERS_MOST 32u
#define RECORDERS_SPAN_NS 500000000ull	/* for so long a collector may be late, as far as they are enough */
#define RECORDER_TOP 64u		/* slowest I/Os kept per worker and interval */
#define RECORDER_QUIET_NS 1000000ull	/* times without a completion are logged from here on */
#define RECORDER_SLOW_NS 10000000ull	/* == slow_bucket_ns[0] */
#define QUIET_LOG_ENTRIES 4096u		/* power of two: four seconds of the worst case */
#define INFLIGHT_NONE UINT64_MAX

struct recorder_config {
	uint64_t start_ns;		/* the step's start: origin of the grid and of logged times */
	uint64_t interval_ns;		/* > 0 */
	/* log every I/O from here on; 0 = from max(10 ms, 20 x last p50), as far as the collector lets it */
	uint64_t outlier_threshold_ns;
	uint32_t samples_per_second;	/* of this worker, about; 0 = none */
	uint32_t depth;			/* in-flight slots 0 .. depth - 1 */
	uint16_t worker;		/* numbers for the logs */
	uint16_t load;
	bool open_loop;			/* record response time and lateness too */
	/* 1u << enum io_op of those that will come; 0 = all. The others take no memory */
	uint32_t ops;
};

struct op_record {
	uint64_t bytes;
	uint64_t errors;
	uint64_t slow[SLOW_BUCKETS];
	struct recording service;	/* service.moments.n = I/Os that worked */
};

struct op_delay {			/* open loops only */
	struct recording response;
	struct recording lateness;
};

struct recorder {
	/* intervals covered: more than one only when the collector was late */
	uint64_t first_index;
	uint64_t last_index;
	/* integral of I/Os in flight, from start_ns to the end of last_index */
	uint64_t in_flight_ns;
	uint32_t in_flight_after;	/* in flight from then until the next recorder's first interval */
	uint32_t top_count;
	uint32_t ops;			/* as in the config; the records of others are never touched */
	struct logged_io top[RECORDER_TOP];	/* min-heap by response_ns */
	struct op_record op[IO_OPS];
	struct op_delay delay[];	/* IO_OPS of them in open loops, else none */
};

/* No completion after from_ns until to_ns; I/Os in flight from busy_ns on. */
struct quiet {
	uint64_t from_ns, busy_ns, to_ns;
};

struct quiet_log {			/* one writer, one reader, as event_log */
	_Alignas(64) uint64_t head;
	_Alignas(64) uint64_t tail;
	uint64_t dropped;
	struct quiet entry[QUIET_LOG_ENTRIES];
};

/* What is in flight in one slot; submit_ns == INFLIGHT_NONE: nothing. */
struct inflight {
	uint64_t offset;		/* from here on as struct io has them */
	uint32_t bytes;
	uint16_t slot;
	uint8_t op, flags;
	uint64_t intent_ns;
	uint64_t submit_ns;		/* and this one in place of the buffer */
};

struct recorder_ring {
	/* the worker's */
	_Alignas(64) uint64_t seq;
	struct recorder *current;
	uint64_t boundary_ns;		/* end of the current interval */
	/* from here on an I/O may be slow, an outlier or one of the slowest */
	uint64_t gate_ns;
	uint64_t quiet_since_ns;	/* last completion */
	uint32_t sample_countdown;
	uint32_t in_flight;
	bool open_loop;

	/* integral of I/Os in flight over time, from start_ns to settled_ns */
	uint64_t in_flight_ns;
	uint64_t threshold_ns;		/* slow: counted from here on, */
	uint64_t keep_ns;		/* and logged from here on: more would be too many */
	uint64_t settled_ns;
	uint32_t sample_every_now;
	uint64_t busy_since_ns;		/* in flight since; UINT64_MAX = nothing is */
	uint32_t samples_left;		/* of this interval, before sample_every_now doubles */
	uint64_t outliers_seen;		/* at or above the threshold; read by the collector */
	struct inflight *inflight;
	struct recorder_config config;
	uint64_t recorder_bytes;	/* distance of two recorders */
	uint32_t recorders;		/* how many, a power of two */

	/* handing over */
	/* recorders handed over, by the worker; number `head` is being filled */
	_Alignas(64) uint64_t head;
	_Alignas(64) uint64_t tail;	/* recorders taken and cleared, by the collector */
	uint64_t p50_ns;		/* of the last interval, by the collector */
	uint64_t keep_from_ns;		/* by the collector, after the last interval; 0 = all that are slow */
	uint32_t sample_every;		/* by the collector */

	struct event_log outliers;
	struct event_log samples;
	struct quiet_log quiet;
	/* then the recorders, then `depth` inflight */
};

/* More of them where intervals are short. */
uint32_t recorder_count(const struct recorder_config *config);
/* Bytes of a ring, a multiple of 64; the memory must be zeroed (fresh shared memory is) and 64-byte
 * aligned. */
uint64_t recorder_ring_bytes(const struct recorder_config *config);
/* The config's ops, none meaning all. */
static inline uint32_t recorder_ops(const struct recorder_config *config)
{
	return config->ops ? config->ops : (1u << IO_OPS) - 1;
}

struct recorder_ring *recorder_ring_init(void *memory, const struct recorder_config *config);
/* The same start for a ring that has recorded nothing yet: a few stores, where making it touches much fresh
 * memory. */
void recorder_ring_start(struct recorder_ring *ring, uint64_t start_ns);

/* -- the worker's slow paths: called by the inline functions below -- */
void recorder_cross(struct recorder_ring *ring, uint64_t now_ns);
void recorder_quiet(struct recorder_ring *ring, uint64_t done_ns);
void recorder_slow(struct recorder_ring *ring, const struct inflight *io, const struct io_done *done,
		   uint64_t service_ns, uint64_t response_ns);
/* One I/O that was slow or moved nothing, of a batch that is otherwise recorded by the fast path. */
void recorder_complete_odd(struct recorder_ring *ring, const struct io_done *done);
/* The same where every I/O is a batch of its own; also for one that is to be a sample. */
void recorder_single_odd(struct recorder_ring *ring, const struct io_done *done);
/* One I/O after the other: open loops, different moments, samples. */
void recorder_complete_each(struct recorder_ring *ring, const struct io_done *done, uint32_t count);

/* -- the worker -- */
static inline void recorder_batch_begin(struct recorder_ring *ring)
{
#ifdef __SANITIZE_THREAD__
	__atomic_fetch_add(&ring->seq, 1, __ATOMIC_ACQ_REL);	/* it does not know fences */
#else
	__atomic_store_n(&ring->seq, __atomic_load_n(&ring->seq, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}

static inline void recorder_unlock(struct recorder_ring *ring)
{
	__atomic_store_n(&ring->seq, __atomic_load_n(&ring->seq, __ATOMIC_RELAXED) + 1, __ATOMIC_RELEASE);
}

static inline void recorder_settle(struct recorder_ring *ring, uint64_t now_ns)
{
	if (now_ns <= ring->settled_ns)
		return;
	ring->in_flight_ns += ring->in_flight * (now_ns - ring->settled_ns);
	ring->settled_ns = now_ns;
}

static inline void recorder_batch_end(struct recorder_ring *ring, uint32_t completed)
{
	recorder_settle(ring, ring->quiet_since_ns);
	ring->in_flight -= completed;
	if (ring->in_flight == 0)
		ring->busy_since_ns = UINT64_MAX;
	recorder_unlock(ring);
}

/* `count` I/Os were given to the engine at now_ns; recorder_submitted and completions may come in any order
 * of time as long as each I/O is submitted first. */
static inline void recorder_submitted(struct recorder_ring *ring, uint64_t now_ns, uint32_t count)
{
	recorder_batch_begin(ring);
	if (__builtin_expect(now_ns >= ring->boundary_ns, 0))
		recorder_cross(ring, now_ns);
	recorder_settle(ring, now_ns);
	if (ring->in_flight == 0 && count > 0)
		ring->busy_since_ns = now_ns;
	ring->in_flight += count;
	recorder_unlock(ring);
}

/* Hands over what is finished at now_ns: for a worker that waits. */
static inline void recorder_boundary(struct recorder_ring *ring, uint64_t now_ns)
{
	if (now_ns < ring->boundary_ns)
		return;
	recorder_batch_begin(ring);
	recorder_cross(ring, now_ns);
	recorder_unlock(ring);
}

static inline uint64_t recorder_since(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;	/* stamps of two clocks may differ by a hair */
}

/* A completion with another time stamp than the one before. */
static inline void recorder_advance(struct recorder_ring *ring, uint64_t done_ns)
{
	if (__builtin_expect(done_ns >= ring->boundary_ns, 0))
		recorder_cross(ring, done_ns);
	if (__builtin_expect(done_ns - ring->quiet_since_ns >= RECORDER_QUIET_NS, 0))
		recorder_quiet(ring, done_ns);
	else
		ring->quiet_since_ns = done_ns;
}

/* I/Os of one batch that are alike: submitted together and of one operation, so that they took equally
 * long. */
struct recorder_run {
	uint64_t submit_ns;		/* INFLIGHT_NONE: there is no run */
	uint64_t bytes;
	uint32_t op, count;
};

static inline void recorder_run_end(struct recorder_ring *ring, struct recorder_run *run, uint64_t done_ns)
{
	struct op_record *op;

	if (run->count == 0)
		return;
	op = &ring->current->op[run->op];
	op->bytes += run->bytes;
	recording_add_equal(&op->service, done_ns - run->submit_ns, run->count);
	run->bytes = run->count = 0;
}

/* `count` > 0 completions that were reaped at the same moment, of a closed loop, none of them to be a sample.
 * Those that are slow or moved nothing are left to recorder_complete_odd. */
static inline void recorder_complete_batch(struct recorder_ring *ring, const struct io_done *done,
					   uint32_t count)
{
	const uint64_t done_ns = done->done_ns;
	struct inflight *const table = ring->inflight;
	struct recorder_run run = { .submit_ns = INFLIGHT_NONE };

	recorder_advance(ring, done_ns);
	for (const struct io_done *const end = done + count; done != end; done++) {
		struct inflight *entry = &table[done->slot];
		const uint32_t moved = (uint32_t)done->result;

		if (__builtin_expect((done->submit_ns != run.submit_ns) | (entry->op != run.op) | (moved != entry->bytes), 0)) {
			recorder_run_end(ring, &run, done_ns);
			run.submit_ns = INFLIGHT_NONE;
			if (done_ns - done->submit_ns >= ring->gate_ns || moved != entry->bytes) {
				recorder_complete_odd(ring, done);
				continue;
			}
			run.submit_ns = done->submit_ns;
			run.op = entry->op;
		}
		__atomic_store_n(&entry->submit_ns, INFLIGHT_NONE, __ATOMIC_RELAXED);
		run.bytes += moved;
		run.count++;
	}
	recorder_run_end(ring, &run, done_ns);
}

/* Between recorder_batch_begin and recorder_batch_end: completions of I/Os that stand in the in-flight table,
 * in the order of done_ns. */
static inline void recorder_complete(struct recorder_ring *ring, const struct io_done *done, uint32_t count)
{
	if (__builtin_expect(done[0].done_ns != done[count - 1].done_ns || ring->open_loop, 0)) {
		recorder_complete_each(ring, done, count);
		return;
	}
	while (__builtin_expect(count >= ring->sample_countdown, 0)) {
		const uint32_t before = ring->sample_countdown - 1;

		ring->sample_countdown = 1;
		if (before)
			recorder_complete_batch(ring, done, before);
		recorder_complete_each(ring, done + before, 1);
		done += before + 1;
		count -= before + 1;
	}
	ring->sample_countdown -= count;
	if (count)
		recorder_complete_batch(ring, done, count);
}

/* recorder_submitted for one I/O with nothing else in flight. */
static inline void recorder_single_begin(struct recorder_ring *ring, uint64_t now_ns)
{
	recorder_batch_begin(ring);
	if (__builtin_expect(now_ns >= ring->boundary_ns, 0))
		recorder_cross(ring, now_ns);
	ring->settled_ns = now_ns;	/* nothing was in flight until here */
	ring->busy_since_ns = now_ns;
	ring->in_flight = 1;
	recorder_unlock(ring);
}

/* Its completion, of a closed loop: recorder_batch_begin, recorder_complete and recorder_batch_end. Whether
 * it moved all that was asked (false also for a few that did: samples and slow ones). */
static inline bool recorder_single_end(struct recorder_ring *ring, const struct io_done *done)
{
	const uint64_t done_ns = done->done_ns, service_ns = done_ns - done->submit_ns;
	struct inflight *const entry = ring->inflight;
	bool plain = true;
	const uint32_t moved = (uint32_t)done->result;

	recorder_batch_begin(ring);
	recorder_advance(ring, done_ns);
	if (__builtin_expect((ring->sample_countdown == 1) | (service_ns >= ring->gate_ns) | (moved != entry->bytes), 0)) {
		recorder_single_odd(ring, done);
		plain = false;
	} else {
		struct op_record *op = &ring->current->op[entry->op];

		ring->sample_countdown--;
		__atomic_store_n(&entry->submit_ns, INFLIGHT_NONE, __ATOMIC_RELAXED);
		op->bytes += moved;
		recording_add_small(&op->service, service_ns);
	}
	if (__builtin_expect(done_ns > ring->settled_ns, 1)) {
		ring->in_flight_ns += done_ns - ring->settled_ns;
		ring->settled_ns = done_ns;
	}
	ring->in_flight = 0;
	ring->busy_since_ns = UINT64_MAX;
	recorder_unlock(ring);
	return plain;
}

/* -- in flight: what hangs, where, since when. Written by the worker, read by anyone -- */

/* `word` is io_word(io); the intended time is left as it is: 0 in closed loops. */
static inline void inflight_fill(struct inflight *entry, const struct io *io, uint64_t word,
				 uint64_t submit_ns)
{
	_Static_assert(offsetof(struct inflight, op) - offsetof(struct inflight, bytes) ==
		       offsetof(struct io, op) - offsetof(struct io, bytes), "the same word");
	__atomic_store_n(&entry->offset, io->offset, __ATOMIC_RELAXED);
	memcpy(&entry->bytes, &word, sizeof(word));
	__atomic_store_n(&entry->submit_ns, submit_ns, __ATOMIC_RELEASE);
}

static inline void inflight_set(struct recorder_ring *ring, const struct io *io, uint64_t submit_ns)
{
	struct inflight *entry = &ring->inflight[io->slot];

	__atomic_store_n(&entry->intent_ns, io->intent_ns, __ATOMIC_RELAXED);
	inflight_fill(entry, io, io_word(io), submit_ns);
}

static inline void inflight_clear(struct recorder_ring *ring, uint16_t slot)
{
	__atomic_store_n(&ring->inflight[slot].submit_ns, INFLIGHT_NONE, __ATOMIC_RELAXED);
}

/* The oldest I/O in flight: true and *ret_entry, or false when there is none. */
bool inflight_oldest(const struct recorder_ring *ring, struct inflight *ret_entry);
uint32_t inflight_count(const struct recorder_ring *ring);

/* -- the collector's side; measure/collect.h does all of this -- */
struct recorder_state {			/* of a worker, consistent */
	uint64_t seq, head;
	uint64_t in_flight_ns, settled_ns, quiet_since_ns, busy_since_ns;
	uint32_t in_flight;
};

static inline struct recorder *recorder_ring_at(const struct recorder_ring *ring, uint64_t number)
{
	return (struct recorder *)((char *)ring + ((sizeof(*ring) + 63) & ~63ull) +
				   (number & (ring->recorders - 1)) * ring->recorder_bytes);
}

/* Empties a recorder, which knows its ops; cheap, as only the touched slots are cleared. */
void recorder_clear(struct recorder *recorder, bool open_loop);
/* The oldest recorder that was handed over, NULL = none; recorder_release clears it and gives it back. */
struct recorder *recorder_take(struct recorder_ring *ring);
void recorder_release(struct recorder_ring *ring, struct recorder *recorder);
/* Copies the recorder that the worker is filling (into a cleared one of ring->recorder_bytes) and the
 * state. 0, or -EAGAIN when the worker was writing each time. `torn_ok`: for a dead worker, that may have
 * died in mid-write: always 0, counts that disagree are made to agree. */
int recorder_snapshot(const struct recorder_ring *ring, struct recorder *copy,
		      struct recorder_state *ret_state, bool torn_ok);
/* Only the state: 0 or -EAGAIN. */
int recorder_peek(const struct recorder_ring *ring, struct recorder_state *ret_state, bool torn_ok);
uint32_t quiet_log_take(struct quiet_log *log, struct quiet *entries, uint32_t max);
