/* map: random order, every block of the range exactly once per pass, without memory.
 *
 * One size: a permutation (shuffle.h) of the block numbers.
 *
 * Mixed sizes (ranges, splits, directions that differ): the range is cut into cells, a multiple of the
 * biggest size; each cell is assigned at random to one size and direction and cut into pieces of that
 * size; all pieces of all cells are then visited in random order. Cells are assigned in proportion to
 * share x size, so that the shares of the I/Os by count are those asked for. Sizes that don't divide the
 * cell leave one shorter piece at its end. A cell is many big sizes long where the range has room for
 * that. Each pass assigns and orders anew. */
#pragma once
#include <stdint.h>
#include "base/io.h"
#include "base/random.h"
#include "work/divide.h"
#include "work/segments.h"
#include "work/shuffle.h"
#include "work/sizes.h"

struct map_kind {		/* the cells of one size and direction */
	uint64_t first_piece;	/* its place among all pieces of the pass */
	uint64_t first_cell;
	double share;			/* wanted, of the bytes of all kinds; not normalised */
	struct divide by_pieces;	/* pieces of one cell */
	uint32_t bytes;
	uint8_t op;
};

struct map {
	uint64_t next, count;	/* pieces of this pass: visited, all */
	struct shuffle order;
	/* mixed sizes only */
	struct shuffle cells;
	struct divide by_cells;	/* cells of one segment */
	uint64_t cell_bytes, segment_bytes;
	uint32_t kind_count;
	struct map_kind *kind;	/* owned */
};

struct map_io {
	uint32_t segment;
	uint64_t inner;		/* bytes from the start of the segment */
	uint32_t bytes;
	uint8_t op;
};

/* share[op]: of the I/Os by count; sizes of ops with share 0 are not looked at. 0 or -ENOMEM. */
int map_init_fixed(struct map *map, uint64_t blocks, struct random *random);
int map_init_mixed(struct map *map, const struct sizes sizes[3], const double share[3],
		   const struct segments *segments, struct random *random);
void map_release(struct map *map);
void map_turn(struct map *map, struct random *random);	/* begins the next pass */

static inline uint64_t map_next_block(struct map *map, struct random *random)
{
	if (__builtin_expect(map->next == map->count, 0))
		map_turn(map, random);
	return shuffle_at(&map->order, map->next++);
}

void map_next_mixed(struct map *map, struct random *random, struct map_io *ret_io);
