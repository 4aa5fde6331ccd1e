/* work: which I/O comes next. One source per worker, specialised once from its load: no test per option and per I/O,
 * no division, no allocation after work_new(). Same load, seed and worker: same I/Os, on every machine and engine. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/fault.h"
#include "base/io.h"
#include "plan/load.h"

struct work;

struct work_config {
	const struct load *load;	/* copied as needed */
	uint64_t target_bytes;		/* size of the target (capacity) */
	uint32_t block_bytes;		/* its logical block; every I/O is a multiple and aligned */
	uint32_t worker, workers;	/* this worker's number among the load's workers */
	uint64_t seed;			/* of the run */
	uint64_t continue_offset;	/* offset=continue: where the last sequential load stopped */
	uint64_t budget_bytes;		/* stop after so many bytes (until=written, io_size); UINT64_MAX = no limit */
	uint64_t budget_ios;		/* UINT64_MAX = no limit */
};

/* The addressed part of the target in bytes, after offset, size, range and rounding to blocks. Shared by checks,
 * estimates and reports. 0 or -EINVAL with fault (empty, smaller than one block, beyond the target). */
struct work_range { uint64_t start, bytes; uint32_t segments; uint64_t addressed_bytes; };
int work_range_resolve(const struct load *load, uint64_t target_bytes, uint32_t block_bytes, uint32_t worker,
		       struct work_range *ret_range, struct fault *fault);

/* Memory that work_new() will take (random map ...), bytes. */
uint64_t work_memory_bytes(const struct work_config *config);
int work_new(const struct work_config *config, struct work **ret_work, struct fault *fault);
struct work *work_free(struct work *work);

/* The next I/Os in order: fills op, offset, bytes of up to `max` entries (slot, buffer, intent are the worker's);
 * returns the count, 0 = the budget is used up. */
uint32_t work_next(struct work *work, struct io *ios, uint32_t max);
uint64_t work_position(const struct work *work);	/* where a sequential load goes on */
uint64_t work_issued_bytes(const struct work *work);
