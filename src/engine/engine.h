/* engine: how one I/O is sent and reaped. The contract for every backend, and the only callers of their pointers.
 *
 * One engine belongs to one worker thread. Cycle: engine_submit() takes I/Os (it stamps submit_ns once per call,
 * before anything is sent); engine_reap() sends what is still queued and returns completions (stamped once per call,
 * right after the kernel returned), so that io_uring needs one system call for both. A synchronous engine
 * does the I/O inside reap, stamped around its own call. Nothing is allocated, locked or printed after attach. */
#pragma once
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/clock.h"
#include "base/fault.h"
#include "base/io.h"
#include "base/target.h"

#define ENGINE_WAIT_FOREVER UINT64_MAX

struct engine_config {
	const struct target *target;	/* opened by guard; outlives the engine */
	struct clock *clock;		/* virtual engines set it */
	uint32_t depth;			/* I/Os in flight at most, slots are 0 .. depth-1 */
	void *buffers;			/* depth x stride bytes, aligned; borrowed; may be registered */
	uint64_t buffer_stride;
	bool iopoll, sqpoll, fixed_buffers, fixed_files;
	bool require_options;		/* the plan named them: refuse instead of going on without */
	int32_t sqpoll_cpu;		/* -1 = any */
	uint64_t write_flags;		/* RWF_ flags on every read/write */
};

struct engine_capabilities {
	bool is_virtual;		/* clock is the engine's own: use engine_next_event */
	bool synchronous;		/* depth above 1 has no effect */
	bool trim, flush;		/* ops it can do on this kind of target */
	uint32_t depth_max;
};

struct engine;
struct engine_ops {
	const char *name;		/* "io_uring" "libaio" "psync" "sync" "null" "sim" "io_uring_cmd" */
	const char *unavailable;	/* NULL, or why this build or machine lacks it ("built without libaio") */
	struct engine_capabilities capabilities;
	uint64_t state_bytes;		/* size of the backend's struct, which starts with struct engine */
	int (*attach)(struct engine *engine, const struct engine_config *config, struct fault *fault);
	int (*submit)(struct engine *engine, const struct io *ios, uint32_t count);
	int (*reap)(struct engine *engine, struct io_done *done, uint32_t max, uint32_t wait_min,
		    uint64_t timeout_ns);
	uint64_t (*next_event)(struct engine *engine);	/* virtual engines only */
	void (*detach)(struct engine *engine);
};

struct engine {
	const struct engine_ops *ops;
	const struct target *target;
	struct clock *clock;
	uint32_t depth;
	uint32_t in_flight;		/* kept by the wrappers below */
	uint64_t calls;			/* system calls that submitted or waited */
};

/* A backend by name, or the best that works for this target (name NULL: io_uring, libaio, psync; sim for simulated
 * drives). Creates and attaches. 0; -ENOENT unknown name; -EOPNOTSUPP, -EPERM, -ENOMEM ... with a fault that names
 * the cause (memlock, seccomp, sysctl, old kernel). Never replaces a named engine by another. */
int engine_new(const char *name, const struct engine_config *config, struct engine **ret_engine,
	       struct fault *fault);
struct engine *engine_free(struct engine *engine);		/* detaches; takes NULL, returns NULL */
const struct engine_ops *engine_at(uint32_t index);		/* the table; NULL past the end */
const struct engine_ops *engine_find(const char *name);

/* Takes up to `count` I/Os; returns how many (the rest: try again after a reap) or -errno. */
static inline int engine_submit(struct engine *engine, const struct io *ios, uint32_t count)
{
	int taken;

	assert(engine->in_flight + count <= engine->depth);
#ifndef NDEBUG
	for (uint32_t i = 0; i < count; i++) {
		assert(ios[i].slot < engine->depth);
		assert(ios[i].op == IO_READ || ios[i].op >= IO_FLUSH || engine->target->may_write);
		assert(ios[i].offset % engine->target->block_bytes == 0);
		assert(ios[i].offset + ios[i].bytes <= engine->target->size_bytes);
	}
#endif
	taken = engine->ops->submit(engine, ios, count);
	if (taken > 0)
		engine->in_flight += (uint32_t)taken;
	return taken;
}

/* Waits until at least wait_min completions are there or timeout_ns passed (0 = don't wait), fills up to max; returns
 * the count (0 after the time-out) or -errno (a broken engine, not a failed I/O: that is in done[].result). */
static inline int engine_reap(struct engine *engine, struct io_done *done, uint32_t max, uint32_t wait_min,
			      uint64_t timeout_ns)
{
	int count = engine->ops->reap(engine, done, max, wait_min, timeout_ns);

	if (count > 0) {
		assert((uint32_t)count <= engine->in_flight);
		engine->in_flight -= (uint32_t)count;
	}
	return count;
}

/* Virtual engines: when the next completion happens, UINT64_MAX = nothing in flight. */
static inline uint64_t engine_next_event(struct engine *engine)
{
	return engine->ops->next_event(engine);
}
