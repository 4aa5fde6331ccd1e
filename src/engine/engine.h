/* engine: how one I/O is sent and reaped. The contract for every backend, and the only callers of their
 * pointers.
 *
 * One engine belongs to one worker thread: any thread may create it, the first thread that calls
 * engine_submit() or engine_reap() owns it from then on (io_uring binds its ring to that task). It must be
 * created in the process that uses it (not before a fork). Cycle: engine_submit() takes I/Os and stamps
 * submit_ns once per call, before anything is sent; engine_reap() sends what is still queued and returns
 * completions, stamped once per call right after the kernel returned, so that io_uring needs one system
 * call for both. A synchronous engine does the I/O inside reap, stamped around its own call, one after the
 * other. engine_transfer() is both calls in one, for a queue of one I/O. Nothing is allocated, locked or
 * printed after engine_new().
 *
 * Results are data, whatever the device does:
 * - bytes == asked: done. 0 < bytes < asked: a short I/O, reported as such and never continued by the engine.
 * - read or write of 0 bytes inside the target is what Linux returns for a removed drive and for a file
 *   that was truncated meanwhile: reported as -ENODEV. On character devices 0 stays 0 (/dev/null has
 *   nothing to read).
 * - trim, flush and fsync give 0 or -errno.
 *
 * Operations that the kernel can only do synchronously for this engine (trim through io_uring before Linux
 * 6.12, trim with libaio, everything but read and write with iopoll) run one at a time in a side thread:
 * submit_ns and done_ns are then taken around the call itself, and engine->capabilities says so
 * (trim_synchronous, flush_synchronous). */
#pragma once
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/clock.h"
#include "base/fault.h"
#include "base/io.h"
#include "base/target.h"

#define ENGINE_WAIT_FOREVER UINT64_MAX
#define ENGINE_NOTE_BYTES 256

struct engine_config {
	const struct target *target;	/* opened by guard; outlives the engine */
	struct clock *clock;		/* outlives the engine; virtual engines set it */
	uint32_t depth;			/* I/Os in flight at most, slots are 0 .. depth-1 */
	/* depth x stride bytes, aligned; borrowed; may be registered; NULL = none */
	void *buffers;
	uint64_t buffer_stride;
	bool iopoll, sqpoll, fixed_buffers, fixed_files;
	/* with iopoll: sleep for half the usual time, then poll (Linux 6.13) */
	bool hybrid_poll;
	bool vectored;			/* readv/writev with one element instead of read/write */
	/* io_uring only: send IORING_OP_NOP, the ceiling of ring and program */
	bool no_op;
	bool require_options;		/* the plan named them: refuse instead of going on without */
	int32_t sqpoll_cpu;		/* -1 = any */
	/* RWF_ flags on every read/write; SYNC, DSYNC and ATOMIC on writes only */
	uint64_t write_flags;
	/* io_uring: IORING_SETUP_ flags to do without, as on an older kernel; 0 = none */
	uint32_t ring_flags_avoided;
	/* io_uring: trim, flush and fsync in the side thread also where the ring can */
	bool control_aside;
	uint16_t ioprio;		/* ioprio_set(2) value (class << 13 | level); 0 = the thread's own */
};

struct engine_capabilities {
	bool is_virtual;		/* clock is the engine's own: use engine_next_event */
	bool synchronous;		/* depth above 1 has no effect */
	bool trim, flush;		/* ops it can do on this kind of target */
	bool trim_synchronous;		/* trims run one at a time, whatever the depth */
	bool flush_synchronous;		/* the same for flush and fsync */
	uint32_t depth_max;
};

/* What an attached engine really uses; options that were asked for, not required and not granted are false
 * here and explained in engine->note. */
struct engine_options {
	bool iopoll, sqpoll, hybrid_poll, fixed_buffers, fixed_files, vectored, no_op;
	bool deferred;			/* io_uring: completions run only when this thread asks for them */
	/* io_uring: ring descriptor registered (known after the first call) */
	bool registered_ring;
};

struct engine;
struct engine_ops {
	const char *name;		/* "io_uring" "libaio" "psync" "sync" "null" "sim" "io_uring_cmd" */
	/* NULL, or why this build lacks it ("built without the simulated drive") */
	const char *unavailable;
	uint32_t target_kinds;		/* 1u << enum target_kind, those it can drive */
	/* otherwise engine_new refuses the option, or notes it */
	bool can_sqpoll, can_iopoll, can_ioprio;
	struct engine_capabilities capabilities;	/* at best; engine->capabilities after attach */
	uint64_t state_bytes;		/* size of the backend's struct, which starts with struct engine */
	/* Called once, with the common part of *engine filled. On failure the backend has released what it
	 * made. */
	int (*attach)(struct engine *engine, const struct engine_config *config, struct fault *fault);
	int (*submit)(struct engine *engine, const struct io *ios, uint32_t count);
	/* wait_min is already limited to what is in flight and to max. */
	int (*reap)(struct engine *engine, struct io_done *done, uint32_t max, uint32_t wait_min,
		    uint64_t timeout_ns);
	/* NULL: submit and reap do it. Otherwise as engine_transfer says; called with nothing in flight. */
	int (*transfer)(struct engine *engine, const struct io *io, uint64_t submit_ns, struct io_done *done);
	uint64_t (*next_event)(struct engine *engine);	/* virtual engines only */
	void (*hint)(struct engine *engine, const struct io *io);	/* virtual engines only */
	void (*detach)(struct engine *engine);	/* waits for what is in flight */
};

struct engine {
	const struct engine_ops *ops;
	const struct target *target;
	struct clock *clock;
	/* of ops, or the one by parts */
	int (*transfer)(struct engine *engine, const struct io *io, uint64_t submit_ns, struct io_done *done);
	uint32_t depth;
	uint32_t in_flight;		/* kept by the wrappers below */
	uint32_t ops_allowed;		/* 1u << enum io_op: what engine and guard allow on this target */
	uint32_t op_bits_allowed;	/* 1u << v: every op made of bits of v is allowed */
	uint64_t bits_forbidden;	/* offsets and sizes & this == 0: below a block, and the sign */
	uint64_t size_bytes;		/* of the target */
	/* stamp of the last submit; 0 where each I/O has its own (psync, sync) */
	uint64_t submitted_ns;
	uint64_t calls;			/* system calls that submitted or waited */
	/* of those, refused for the moment (EAGAIN, EBUSY) and repeated later */
	uint64_t refusals;
	struct engine_capabilities capabilities;	/* on this target */
	struct engine_options options;
	char note[ENGINE_NOTE_BYTES];	/* "" or one sentence: what was asked for and not granted, and why */
};

/* A backend by name, or the best that works for this target (name NULL: io_uring, libaio, psync; sim for
 * simulated drives; io_uring_cmd for NVMe generic devices). Creates and attaches. 0; -ENOENT unknown name;
 * -EINVAL a configuration that can't work; -EOPNOTSUPP, -EPERM, -ENOMEM ... with a fault that names the
 * cause (memlock, seccomp, sysctl, old kernel). Never replaces a named engine by another; the best one
 * says in engine->note why a better one didn't work. */
int engine_new(const char *name, const struct engine_config *config, struct engine **ret_engine,
	       struct fault *fault);
/* Detaches; takes NULL, returns NULL. Waits until nothing is in flight any more, since the device may
 * still write into the buffers; so it does not return while an I/O hangs: leave the process instead. A
 * synchronous engine forgets what it hasn't begun. While I/Os are in flight only the engine's own thread
 * may call it. */
struct engine *engine_free(struct engine *engine);
const struct engine_ops *engine_at(uint32_t index);		/* the table; NULL past the end */
const struct engine_ops *engine_find(const char *name);		/* NULL = unknown */

/* Whether every I/O is one that this engine may send: slot, alignment, range, and no write that guard
 * didn't allow. */
static inline bool engine_accepts_one(const struct engine *engine, const struct io *io)
{
	return engine->ops_allowed >> (io->op & 31) & 1 && io->slot < engine->depth &&
	       !((io->offset | io->bytes) & engine->bits_forbidden) &&
	       io->offset + io->bytes <= engine->size_bytes;
}
bool engine_accepts_each(const struct engine *engine, const struct io *ios, uint32_t count);

/* The same, mostly by the bits of all words together: what these allow, each of the I/Os is allowed; where
 * they say no, for instance because depth isn't a power of two or sizes differ, the I/Os are looked at one
 * by one. */
static inline bool engine_accepts(const struct engine *engine, const struct io *ios, uint32_t count)
{
	uint64_t offsets = 0, words = 0, offset_max = 0;

	if (count == 1)
		return engine_accepts_one(engine, ios);
#pragma GCC unroll 4
	for (const struct io *io = ios; io != ios + count; io++) {
		offsets |= io->offset;
		words |= io_word(io);
		offset_max = io->offset > offset_max ? io->offset : offset_max;
	}
	if (__builtin_expect(!((offsets | (uint32_t)words) & engine->bits_forbidden) &&
			     offset_max + (uint32_t)words <= engine->size_bytes &&
			     (uint16_t)(words >> 32) < engine->depth &&
			     engine->op_bits_allowed >> (words >> 48 & 7) & 1 && !(words >> 51), 1))
		return true;
	return engine_accepts_each(engine, ios, count);
}

/* Takes up to `count` I/Os (in_flight + count <= depth); returns how many (the rest: try again after a
 * reap) or -errno. */
static inline int engine_submit(struct engine *engine, const struct io *ios, uint32_t count)
{
	int taken;

	assert(engine->in_flight + count <= engine->depth);
	assert(engine_accepts(engine, ios, count));
	taken = engine->ops->submit(engine, ios, count);
	if (taken > 0)
		engine->in_flight += (uint32_t)taken;
	return taken;
}

/* Waits until at least wait_min completions are there (or all that are in flight, if fewer) or timeout_ns
 * passed (0 = don't wait), fills up to max; returns the count or -errno (a broken engine, not a failed
 * I/O: that is in done[].result). Fewer than wait_min: the time-out, a signal, or a kernel that was short
 * of memory for the moment. What doesn't fit into max is returned, and stamped, by the next call. Waiting
 * for ever is the cheapest wait (the kernel needs no timer); a signal without SA_RESTART ends it. A
 * synchronous engine does max(wait_min, 1) of the queued I/Os and can't be timed out inside one. */
static inline int engine_reap(struct engine *engine, struct io_done *done, uint32_t max, uint32_t wait_min,
			      uint64_t timeout_ns)
{
	int count;

	if (wait_min > max)
		wait_min = max;
	if (wait_min > engine->in_flight)
		wait_min = engine->in_flight;
	count = engine->ops->reap(engine, done, max, wait_min, timeout_ns);
	if (count > 0) {
		assert((uint32_t)count <= engine->in_flight);
		engine->in_flight -= (uint32_t)count;
	}
	return count;
}

/* engine_transfer by the two calls, for backends whose own way is for plain transfers only. */
int engine_transfer_parts(struct engine *engine, const struct io *io, struct io_done *done);

/* One I/O with nothing else in flight, from its call to its result, in one system call where the kernel
 * allows it; submit_ns: the caller's reading of the clock right before, which the I/O gets as its stamp
 * (an engine that goes the long way takes its own). 1 and *done; 0 = it is on its way, but the wait ended
 * early (a signal, a kernel short of memory): reap it as usual; or -errno: a broken engine. */
static inline int engine_transfer(struct engine *engine, const struct io *io, uint64_t submit_ns,
				  struct io_done *done)
{
	int count;

	assert(engine->in_flight == 0);
	assert(engine_accepts_one(engine, io));
	count = engine->transfer(engine, io, submit_ns, done);
	if (__builtin_expect(count == 0, 0))
		engine->in_flight = 1;
	return count;
}

/* Virtual engines: when the next completion happens, UINT64_MAX = nothing in flight. */
static inline uint64_t engine_next_event(struct engine *engine)
{
	return engine->ops->next_event(engine);
}

/* Virtual engines: this I/O will be submitted soon. Nothing depends on it: the engine begins to fetch what
 * it needs. */
static inline void engine_hint(struct engine *engine, const struct io *io)
{
	engine->ops->hint(engine, io);
}
