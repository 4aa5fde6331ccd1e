/* work: which I/O comes next. One source per worker, specialised once from its load: no test per option
 * and per I/O, no division, no allocation after work_new(). Same load, seeds and worker: same I/Os, on
 * every machine and engine. A source belongs to one thread; different sources share nothing.
 *
 * Address: range= (or the whole target), inside it offset= (+ worker x offset_increment=) and size=. Every
 * worker of a load (numjobs) covers the whole of it on its own, as in fio. Places given in % are rounded
 * down to 1 MiB (below 1 GiB to a 1024th), so that they stay aligned to flash pages. Sizes of I/Os are
 * rounded up to whole blocks of the target.
 *
 * Sequential (read, write, rw, trim): each I/O begins where the last one ended, whatever its direction: a
 * mix has one position, so one pass covers each block once. The last I/O of a pass is shortened to the end
 * of the range; then it starts again at the beginning.
 *
 * Random without a map: drawn with replacement, every position equally likely. Positions are multiples of
 * the direction's smallest size, counted from the start of the range; an I/O always fits; what is left at
 * the end of the range below one size is not addressed.
 *
 * Random with a map (random_map, or generator_lfsr, which means the same here): each block once per pass,
 * then a new order. It takes no memory: a keyed permutation of the block numbers (shuffle.h). Mixed sizes:
 * see map.h. The last I/O of the range is shortened, so that a pass covers every byte. Distributions other
 * than `random` ignore the map.
 *
 * zipf, pareto: the hot blocks are scattered over the range, in the same places for all workers of a load;
 * with distribution_center the hottest lies there and heat falls off to both sides (round the end).
 * normal: around the centre (0.5), cut off at the ends. zoned: shares of accesses and of the range with
 * any fraction; at least one block per zone. See skew.h.
 *
 * percentage_random < 100: each I/O draws whether it is random or goes on where the last one ended. With a
 * map, the sequential ones don't count as visits of it.
 *
 * rwmixread: see mix.h. fsync=N, fdatasync=N: after every N writes an entry IO_FSYNC / IO_FLUSH with
 * offset and bytes 0; they count for no budget.
 *
 * Seeds: the I/O follows from seed, load->seed, load->section and worker. The same config gives the same
 * I/O again: rounds and repeats that shall draw new offsets need another `seed` each (work_seed).
 * randrepeat=0: take a seed that is different in every run. */
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
	uint64_t seed;			/* of this execution: run, step, round, repeat (work_seed) */
	uint64_t layout_seed;		/* of the run: places of random segments and of zipf's hot blocks;
					 * equal for all steps that shall meet there; 0 is as good as any */
	uint64_t continue_offset;	/* offset=continue: where the last sequential load stopped */
	uint64_t budget_bytes;		/* stop after so many (until=written, io_size); UINT64_MAX = never */
	uint64_t budget_ios;		/* the same in I/Os */
};

/* The addressed part of the target in bytes, after offset, size, range and rounding to blocks. Shared by
 * checks, estimates and reports. 0 or -EINVAL with fault (empty, smaller than one block, beyond the
 * target). A size given in % ends at the end of the range at the latest; one given in bytes must fit. */
struct work_range {
	uint64_t start, bytes;		/* first byte and length of the span that holds it */
	uint32_t segments;		/* >= 1: equal pieces of addressed_bytes / segments in that span */
	uint64_t addressed_bytes;
};
int work_range_resolve(const struct load *load, uint64_t target_bytes, uint32_t block_bytes, uint32_t worker,
		       struct work_range *ret_range, struct fault *fault);

/* What the load itself asks of each worker: io_size (a share is of the addressed range; unset: all of
 * that) times loops; UINT64_MAX when time_based. */
uint64_t work_budget_bytes(const struct load *load, const struct work_range *range);
/* The biggest I/O it will issue on blocks of block_bytes: the size of one slot's buffer. Trims need none. */
uint32_t work_io_bytes_max(const struct load *load, uint32_t block_bytes);
/* Mean size of the I/Os of one direction, on blocks of block_bytes. */
double work_io_bytes_mean(const struct load *load, enum io_op op, uint32_t block_bytes);
/* A seed for one execution out of many: work_seed(work_seed(run seed, step), round) ... */
uint64_t work_seed(uint64_t seed, uint64_t number);

/* Memory that work_new() will take (tables, segments; maps need none), bytes. */
uint64_t work_memory_bytes(const struct work_config *config);
int work_new(const struct work_config *config, struct work **ret_work, struct fault *fault);
struct work *work_free(struct work *work);

/* The next I/Os in order: fills op, offset, bytes of up to `max` entries, slot and flags with 0 (they,
 * buffer and intent are the worker's); returns the count, 0 = the budget is used up. The budget is kept to
 * the byte, rounded down to whole blocks: the last I/O is shortened. */
uint32_t work_next(struct work *work, struct io *ios, uint32_t max);
/* A new budget from here on, for instance when the warm-up ends; UINT64_MAX = no limit. */
void work_budget_set(struct work *work, uint64_t budget_bytes, uint64_t budget_ios);
uint64_t work_position(const struct work *work);	/* where a sequential load goes on */
uint64_t work_issued_bytes(const struct work *work);	/* since work_new, whatever the budgets */
uint64_t work_issued_ios(const struct work *work);	/* without fsync and flush */
