/* sizes: the block sizes of one direction as a table of different sizes with weights: single size, split
 * and range alike (a range stands for every multiple of its lower end, all equally likely). Sizes are
 * rounded up to whole blocks of the target: 512 becomes 4096 on a 4Kn drive, 4096 becomes 4224 on 528-byte
 * blocks. */
#pragma once
#include <stdint.h>
#include "base/fault.h"
#include "plan/load.h"
#include "work/alias.h"
#include "work/divide.h"

#define SIZES_MAX 4096		/* different sizes; a longer range is thinned out evenly, its ends kept */

struct size {
	uint32_t bytes;
	uint64_t positions;	/* multiples of the unit at which an I/O of this size still fits a segment */
};

struct sizes {
	uint32_t count;
	uint32_t bytes_min, bytes_max;
	/* random offsets are multiples of it: bytes_min, as in fio, or what was asked for */
	uint64_t unit;
	struct divide by_unit;
	struct size *size;	/* owned */
	double *weight;		/* owned: share of the I/Os by count */
	struct alias alias;
};

/* align_bytes: unit of random offsets, rounded up to whole blocks of the target; 0 = the smallest size.
 * segment_bytes: length of each separate part of the addressed range. 0, -ENOMEM, or -EINVAL with a fault
 * when a size is 0 or doesn't fit the range, or no share is above 0. */
int sizes_init(struct sizes *sizes, const struct load_sizes *load, uint32_t align_bytes, uint32_t block_bytes,
	       uint64_t segment_bytes, struct fault *fault);
void sizes_release(struct sizes *sizes);
uint32_t sizes_count(const struct load_sizes *load);	/* entries that it will have */

static inline const struct size *sizes_draw(const struct sizes *sizes, uint64_t random)
{
	return &sizes->size[alias_draw(&sizes->alias, random)];
}
