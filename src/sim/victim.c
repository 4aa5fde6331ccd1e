#include "sim/victim.h"

static uint32_t pick_greedy(const struct sim_map *map)
{
	uint32_t best = SIM_NOWHERE, best_valid = UINT32_MAX;

	for (uint32_t i = 0; i < map->geometry->superblocks; i++) {
		const struct sim_superblock *superblock = &map->superblocks[i];

		if (superblock->state == SIM_CLOSED && superblock->valid < best_valid) {
			best_valid = superblock->valid;
			best = i;
		}
	}
	return best;
}

/* Collecting a full one gains nothing. One in SLC mode is never full in this sense. */
static bool gains(const struct sim_map *map, const struct sim_superblock *superblock)
{
	return superblock->state == SIM_CLOSED && superblock->valid < map->geometry->superblock_pages;
}

static uint32_t pick_oldest(const struct sim_map *map, bool slc_only)
{
	uint32_t best = SIM_NOWHERE;
	uint64_t best_opened = UINT64_MAX;

	for (uint32_t i = 0; i < map->geometry->superblocks; i++) {
		const struct sim_superblock *superblock = &map->superblocks[i];

		if (gains(map, superblock) && superblock->opened < best_opened &&
		    (!slc_only || superblock->mode == SIM_MODE_SLC)) {
			best_opened = superblock->opened;
			best = i;
		}
	}
	return best;
}

static uint32_t pick_choices(const struct sim_map *map, uint32_t choices, struct random *random)
{
	uint32_t best = SIM_NOWHERE, best_valid = UINT32_MAX;

	/* Most superblocks are closed and not full whenever collection runs; the bound ends the search
	 * otherwise. */
	for (uint32_t drawn = 0, tries = 0; drawn < choices && tries < choices * 100; tries++) {
		const uint32_t i = (uint32_t)random_below(random, map->geometry->superblocks);

		if (!gains(map, &map->superblocks[i]))
			continue;
		drawn++;
		if (map->superblocks[i].valid < best_valid) {
			best_valid = map->superblocks[i].valid;
			best = i;
		}
	}
	return best == SIM_NOWHERE ? pick_oldest(map, false) : best;
}

uint32_t sim_victim_pick(const struct sim_map *map, enum sim_policy policy, uint32_t choices,
			 struct random *random)
{
	switch (policy) {
	case SIM_POLICY_FIFO:
		return pick_oldest(map, false);
	case SIM_POLICY_CHOICES:
		return pick_choices(map, choices, random);
	default:
		return pick_greedy(map);
	}
}

uint32_t sim_victim_pick_slc(const struct sim_map *map)
{
	return pick_oldest(map, true);
}
