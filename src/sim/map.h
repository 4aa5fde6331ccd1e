/* map: which physical page holds each logical page, which pages are valid, and the superblocks they lie in.
 *
 * Memory: 4 bytes per logical page, 4 bytes and a bit per physical page. Timing is nobody's business here. */
#pragma once
#include <stddef.h>
#include "sim/geometry.h"

enum sim_superblock_state { SIM_FREE, SIM_OPEN, SIM_CLOSED };

struct sim_superblock {
	uint32_t written;	/* next page offset */
	uint32_t capacity;	/* pages in its mode */
	uint32_t valid;
	uint32_t erases;
	uint64_t opened;	/* order of opening */
	uint8_t state, mode;
	bool used;		/* written since it was last erased; a free one may still be to be erased */
};

struct sim_map {
	const struct sim_geometry *geometry;	/* borrowed */
	uint32_t *physical;			/* by logical page; SIM_NOWHERE = not mapped */
	uint32_t *logical;			/* by physical page; 32 entries of slack for prefetching */
	uint64_t *valid;			/* bit by physical page */
	struct sim_superblock *superblocks;
	uint32_t *free_list;			/* FIFO ring: even wear */
	uint32_t free_first, free_count;
	uint32_t mapped;			/* logical pages */
	uint32_t slc_valid;			/* valid pages in SLC superblocks */
	uint64_t opened;
	size_t physical_bytes, logical_bytes, valid_bytes;
};

int sim_map_init(struct sim_map *map,
		 const struct sim_geometry *geometry);	/* 0 or -ENOMEM; release either way */
void sim_map_release(struct sim_map *map);
/* A free superblock, now open; SIM_NOWHERE when there is none. Its `used` says whether it has to be erased
 * first. */
uint32_t sim_map_open(struct sim_map *map, enum sim_mode mode);
/* Nothing in it is valid any more: free again. */
void sim_map_erase(struct sim_map *map, uint32_t superblock);
/* First valid page of the superblock at `offset` or later; its capacity when there is none. */
uint32_t sim_map_next_valid(const struct sim_map *map, uint32_t superblock, uint32_t offset);

static inline uint32_t sim_map_superblock(const struct sim_map *map, uint32_t physical)
{
	return sim_divide(&map->geometry->by_superblock, physical);
}

static inline bool sim_map_is_valid(const struct sim_map *map, uint32_t physical)
{
	return map->valid[physical >> 6] >> (physical & 63) & 1;
}

/* The page's content is no longer needed. The caller changes or clears the logical side. */
static inline void sim_map_invalidate(struct sim_map *map, uint32_t physical)
{
	struct sim_superblock *superblock = &map->superblocks[sim_map_superblock(map, physical)];

	superblock->valid--;
	map->slc_valid -= superblock->mode;
	map->valid[physical >> 6] &= ~(1ull << (physical & 63));
}

static inline void sim_map_bind(struct sim_map *map, uint32_t logical, uint32_t physical,
				struct sim_superblock *superblock)
{
	map->physical[logical] = physical;
	map->logical[physical] = logical;
	map->valid[physical >> 6] |= 1ull << (physical & 63);
	superblock->valid++;
	map->slc_valid += superblock->mode;
}

/* The logical page moves to `physical` of an open superblock; returns where it was, SIM_NOWHERE = nowhere. */
static inline uint32_t sim_map_update(struct sim_map *map, uint32_t logical, uint32_t physical,
				      struct sim_superblock *superblock)
{
	const uint32_t before = map->physical[logical];

	if (before != SIM_NOWHERE)
		sim_map_invalidate(map, before);
	else
		map->mapped++;
	sim_map_bind(map, logical, physical, superblock);
	return before;
}

/* Forgets the logical page (trim); returns whether it was mapped. */
static inline bool sim_map_unmap(struct sim_map *map, uint32_t logical)
{
	const uint32_t physical = map->physical[logical];

	if (physical == SIM_NOWHERE)
		return false;
	sim_map_invalidate(map, physical);
	map->physical[logical] = SIM_NOWHERE;
	map->mapped--;
	return true;
}
