/* victim: which closed superblock is collected next. */
#pragma once
#include "base/random.h"
#include "sim/map.h"

/* Greedy: fewest valid pages. FIFO: opened first, but not one full of valid pages. Choices: fewest valid of
 * `choices` such ones drawn at random with replacement. SIM_NOWHERE when nothing can be gained. */
uint32_t sim_victim_pick(const struct sim_map *map, enum sim_policy policy, uint32_t choices,
			 struct random *random);
/* The oldest closed superblock in SLC mode, for folding; SIM_NOWHERE when there is none. */
uint32_t sim_victim_pick_slc(const struct sim_map *map);
