/* mapcache: the part of the map that is in (host) memory; the rest costs a flash read.
 *
 * One map page of 4 KiB covers 1024 logical pages (4 MiB). Direct-mapped. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "sim/params.h"

#define SIM_MAP_PAGE_COVERS 1024u

struct sim_mapcache {
	uint32_t *tags;		/* owned; NULL: everything is in memory */
	uint32_t count;
	uint64_t misses, hits;
};

int sim_mapcache_init(struct sim_mapcache *cache, const struct sim_params *params);	/* 0 or -ENOMEM */
void sim_mapcache_release(struct sim_mapcache *cache);

/* Looks the logical page up and loads its map page; true when that was a miss. */
static inline bool sim_mapcache_miss(struct sim_mapcache *cache, uint32_t logical)
{
	const uint32_t tag = logical / SIM_MAP_PAGE_COVERS;
	uint32_t *slot;

	if (!cache->tags)
		return false;
	slot = &cache->tags[tag % cache->count];
	if (*slot == tag) {
		cache->hits++;
		return false;
	}
	*slot = tag;
	cache->misses++;
	return true;
}
