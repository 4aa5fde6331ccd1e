/* slc: when host data goes to superblocks in SLC mode.
 *
 * The cache takes data while it holds less than its limit and enough superblocks are free (dynamic part), or
 * while it holds less than the static part. Once it refuses, it drains: for every host page, then written
 * natively, `fold` pages move from the cache to native superblocks, until it is empty. It opens again after
 * idle time or, with refill, as soon as it is empty. Idle time also collects as many free superblocks as the
 * static part needs, if it has any: on a full drive there is garbage, but nothing free. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "sim/geometry.h"

struct sim_slc {
	bool on, refill;
	bool draining;		/* folding runs with host writes */
	bool closed;		/* used up; opens after idle time */
	uint32_t limit_pages, static_pages;	/* data */
	uint32_t keep_free, reserve, static_superblocks;
	double fold, fold_debt;			/* pages per host page; pages owed */
	uint64_t exhausted;			/* times it was used up */
};

void sim_slc_init(struct sim_slc *slc, const struct sim_params *params, const struct sim_geometry *geometry);
/* A superblock is opened for host data: is it to be an SLC one? `used_pages`: valid pages in the cache. */
bool sim_slc_takes(struct sim_slc *slc, uint32_t used_pages, uint32_t free_superblocks);
/* `pages` host pages were written: how many to fold now, at least `batch` at a time or none. */
uint32_t sim_slc_owed(struct sim_slc *slc, uint32_t used_pages, uint32_t pages, uint32_t batch);
/* Free superblocks that idle time collects; 0 without a static part. */
uint32_t sim_slc_wants_free(const struct sim_slc *slc);
void sim_slc_emptied(struct sim_slc *slc);	/* idle time drained it */
