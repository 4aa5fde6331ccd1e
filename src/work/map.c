#include "work/map.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int map_init_fixed(struct map *map, uint64_t blocks, struct random *random)
{
	memset(map, 0, sizeof(*map));
	map->count = blocks;
	map_turn(map, random);
	return 0;
}

void map_release(struct map *map)
{
	free(map->kind);
	memset(map, 0, sizeof(*map));
}

void map_turn(struct map *map, struct random *random)
{
	map->next = 0;
	shuffle_init(&map->order, map->count, random);
	if (map->kind_count > 0)
		shuffle_init(&map->cells, map->cells.count, random);
}

/* A cell is up to 64 biggest sizes long, as long as there remain 64 cells for each kind. */
static uint64_t choose_cell_bytes(const struct segments *segments, uint64_t bytes_max, uint32_t kinds)
{
	uint64_t addressed = segments->bytes * segments->count, factor = 64;

	while (factor > 1 && (addressed / (bytes_max * factor) < 64ull * kinds ||
			      bytes_max * factor > segments->bytes))
		factor /= 2;
	return bytes_max * factor;
}

static void add_kinds(struct map *map, const struct sizes *sizes, double share, uint8_t op)
{
	double weight_sum = 0;

	for (uint32_t i = 0; i < sizes->count; i++)
		weight_sum += sizes->weight[i];
	for (uint32_t i = 0; i < sizes->count; i++) {
		struct map_kind *kind = &map->kind[map->kind_count];

		if (!(sizes->weight[i] > 0))
			continue;
		kind->bytes = sizes->size[i].bytes;
		kind->op = op;
		divide_init(&kind->by_pieces, (map->cell_bytes + kind->bytes - 1) / kind->bytes);
		kind->share = share * sizes->weight[i] / weight_sum * kind->bytes;
		map->kind_count++;
	}
}

/* Turns the wanted shares into runs of cells (their bounds rounded, so that nothing adds up) and of
 * pieces. */
static void assign_cells(struct map *map, uint64_t cells)
{
	double sum = 0, before = 0;
	uint64_t piece = 0, cell = 0;

	for (uint32_t i = 0; i < map->kind_count; i++)
		sum += map->kind[i].share;
	for (uint32_t i = 0; i < map->kind_count; i++) {
		struct map_kind *kind = &map->kind[i];
		uint64_t end;

		before += kind->share;
		end = i == map->kind_count - 1 ? cells : (uint64_t)(before / sum * (double)cells + 0.5);
		kind->first_cell = cell;
		kind->first_piece = piece;
		piece += (end - cell) * kind->by_pieces.by;
		cell = end;
	}
	map->count = piece;
}

int map_init_mixed(struct map *map, const struct sizes sizes[3], const double share[3],
		   const struct segments *segments, struct random *random)
{
	uint32_t kinds = 0, bytes_max = 0;
	uint64_t cells;

	memset(map, 0, sizeof(*map));
	for (uint8_t op = 0; op < 3; op++) {
		if (!(share[op] > 0))
			continue;
		kinds += sizes[op].count;
		if (sizes[op].bytes_max > bytes_max)
			bytes_max = sizes[op].bytes_max;
	}
	map->kind = calloc(kinds, sizeof(*map->kind));
	if (!map->kind)
		return -ENOMEM;
	map->segment_bytes = segments->bytes;
	map->cell_bytes = choose_cell_bytes(segments, bytes_max, kinds);
	for (uint8_t op = 0; op < 3; op++)
		if (share[op] > 0)
			add_kinds(map, &sizes[op], share[op], op);
	cells = (segments->bytes + map->cell_bytes - 1) / map->cell_bytes;
	divide_init(&map->by_cells, cells);
	cells *= segments->count;
	assign_cells(map, cells);
	shuffle_init(&map->cells, cells, random);
	map_turn(map, random);
	return 0;
}

/* The last kind that begins at or before `piece` (empty kinds share their beginning with the next one). */
static const struct map_kind *find_kind(const struct map *map, uint64_t piece)
{
	uint32_t low = 0, count = map->kind_count;

	while (count > 1) {
		uint32_t half = count / 2;

		low += map->kind[low + half].first_piece <= piece ? half : 0;
		count -= half;
	}
	return &map->kind[low];
}

void map_next_mixed(struct map *map, struct random *random, struct map_io *ret_io)
{
	uint64_t cell, piece, in_cell, end;
	const struct map_kind *kind;

	do {	/* the last cell of a segment may be short: its missing pieces are passed over */
		piece = map_next_block(map, random);
		kind = find_kind(map, piece);
		cell = kind->first_cell + divide_by(&kind->by_pieces, piece - kind->first_piece, &piece);
		in_cell = piece * kind->bytes;
		ret_io->segment = (uint32_t)divide_by(&map->by_cells, shuffle_at(&map->cells, cell), &cell);
		ret_io->inner = cell * map->cell_bytes + in_cell;
	} while (ret_io->inner >= map->segment_bytes);
	end = (cell + 1) * map->cell_bytes;
	end = end < map->segment_bytes ? end : map->segment_bytes;
	ret_io->bytes = end - ret_io->inner < kind->bytes ? (uint32_t)(end - ret_io->inner) : kind->bytes;
	ret_io->op = kind->op;
}
