/* collect: garbage collection and folding: moves valid pages out of a victim and erases it.
 *
 * Pace: a continuous controller, without thresholds. With F free superblocks (open ones counted by what is
 * left of them) and the aim F0, each host page owes u/(1-u) * g moved pages, where u is the victim's share of
 * valid pages when it was picked (a running value explodes at the victim's end) and g = clamp(1 + gain * (F0
 * + 1 - F), 0, 3). Debt is paid in lumps of `batch` pages. At `floor` free superblocks the host waits for
 * whole victims. Collected pages go to a frontier of their own. */
#pragma once
#include "sim/flash.h"
#include "sim/victim.h"

/* A superblock that is being filled. */
struct sim_frontier {
	uint32_t index;		/* SIM_NOWHERE: none */
	uint32_t unit_fill;	/* pages in the open unit */
};

struct sim_collect_counts {
	uint64_t moved;		/* pages moved by collection */
	uint64_t folded;	/* pages moved out of SLC superblocks, by either */
	uint64_t rows;		/* rows read */
	uint64_t erased;	/* superblocks */
};

struct sim_collect {
	struct sim_map *map;		/* borrowed */
	struct sim_flash *flash;	/* borrowed */
	struct sim_frontier frontier;
	enum sim_policy policy;
	uint32_t choices, batch, floor;
	double aim, gain, debt;
	uint32_t victim;		/* SIM_NOWHERE: none */
	uint32_t cursor;		/* its next offset to look at */
	double victim_share;		/* u */
	struct random random;
	struct sim_collect_counts counts;
	void (*moved)(void *context, uint32_t from, uint32_t to);	/* NULL or told of every move */
	void *context;
};

void sim_collect_init(struct sim_collect *collect, struct sim_map *map, struct sim_flash *flash,
		      const struct sim_params *params, uint64_t seed);
void sim_collect_reset(struct sim_collect *collect);	/* after the map was cleared */
/* After a power cut: the open superblock is closed as it is, the victim is picked anew (old versions may be
 * back in it). */
void sim_collect_restart(struct sim_collect *collect);
/* Moves up to `pages` pages at now_ns (SIM_UNTIMED: takes no time); returns the number moved. */
uint32_t sim_collect_move(struct sim_collect *collect, uint32_t pages, bool slc_only, uint64_t now_ns);
/* Idle time: superblocks without valid data are erased, all of them. */
void sim_collect_erase_empty(struct sim_collect *collect);
/* `pages` host pages were written; `left` is the share left of the host's open superblock, 0..1. */
void sim_collect_pace(struct sim_collect *collect, uint32_t pages, double left, uint64_t now_ns);
/* Closes the superblock being filled and opens the next; false when none is free. A used one is erased now,
 * right before it is written, as drives do: erases come as evenly as writes do, even when many superblocks
 * become free at once. */
bool sim_frontier_open(struct sim_frontier *frontier, struct sim_map *map, struct sim_flash *flash,
		       enum sim_mode mode, uint64_t now_ns);
/* Share left of an open superblock, 0..1. */
double sim_frontier_left(const struct sim_frontier *frontier, const struct sim_map *map);
