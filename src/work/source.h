/* source: the state of one worker's work source, and its specialised ways to go on. Private to the room.
 *
 * A source's `next` fills exactly `count` entries (streams are endless; the budget is kept by work_next
 * around it) and returns their bytes. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/io.h"
#include "base/random.h"
#include "work/map.h"
#include "work/mix.h"
#include "work/segments.h"
#include "work/sizes.h"
#include "work/skew.h"

struct work;
typedef uint64_t source_next(struct work *work, struct io *ios, uint32_t count);

struct sync_rule {
	uint32_t every;		/* writes; 0 = never */
	uint32_t left;		/* writes until the next one; 0 = due */
};

/* rw=randread:8: the random I/O that the others for its place follow. */
struct follow {
	source_next *draw;
	uint32_t each, left;	/* of these I/Os; how many are still to come */
	bool identical;
	uint64_t end;		/* of the segment */
	struct io last;
};

struct work {
	/* read or written at every I/O */
	source_next *next;
	struct random random;
	uint64_t start;			/* of the only segment */
	uint64_t positions;		/* one size: places in a segment */
	uint32_t bytes;			/* one size: of every I/O */
	uint32_t bytes_shift;		/* if that is a power of two */
	uint8_t op;			/* one direction */
	struct mix mix;

	/* sequential position: the end of the last I/O */
	uint32_t segment;
	uint64_t inner;			/* bytes from the segment's start */
	uint64_t full_left;		/* sequential, one size: whole I/Os until the segment's end */

	/* budgets */
	uint64_t bytes_left, ios_left;
	uint64_t issued_bytes, issued_ios;
	uint32_t bytes_max, block_bytes;
	bool syncs;
	struct sync_rule fsync, fdatasync;

	/* less often */
	struct segments segments;
	struct sizes sizes[3];
	uint64_t random_threshold[3];	/* percentage_random, of 2^64 */
	struct skew skew;
	struct map map;
	struct follow follow;
	int64_t skip;			/* rw=read:4k: bytes between two I/Os; below 0: back */
	struct divide by_segment;	/* blocks of the skew or fixed map in one segment */
	uint64_t block_unit;		/* bytes of such a block */
};

enum source_where {
	SOURCE_SEQUENTIAL,
	SOURCE_UNIFORM, SOURCE_SEGMENTS,	/* equally likely, in one piece or many */
	SOURCE_SKEW, SOURCE_SCATTER,		/* not equally likely, in place or with ranks scattered */
	SOURCE_MAP, SOURCE_MAP_SEGMENTS, SOURCE_MAP_MIXED,	/* each once: of one size or many */
};

/* rw=read:4k and rw=randread:8, of any sizes, in one direction; the latter draws by follow.draw. */
source_next source_holes, source_follow;

/* The specialised function. mixed: reads and writes; table: sizes are drawn; partial: percentage_random
 * below 100. */
source_next *source_choose(enum source_where where, bool mixed, bool table, bool partial, bool power_of_two);
