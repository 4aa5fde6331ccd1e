/* ftl: where host pages go: buffer, open superblock, program units, and the tidying that follows.
 *
 * All times are virtual ns; SIM_UNTIMED does the bookkeeping without taking time (preconditioning). */
#pragma once
#include "sim/buffer.h"
#include "sim/collect.h"
#include "sim/contents.h"
#include "sim/slc.h"

#define SIM_UNIT_PAGES_MAX 4096	/* 64 pages of a row, 4 bits per cell, 16 in a train */

struct sim_ftl_counts {
	uint64_t host_pages;		/* written by the host, trims not counted */
	uint64_t padded_pages;		/* programmed empty, because of flushes */
	uint64_t background_pages;	/* moved in idle time */
	uint64_t unit_free_sum;		/* free superblocks, summed over `units` */
	uint64_t unit_mapped_sum;	/* mapped pages, likewise */
	uint64_t units;			/* host units programmed */
};

struct sim_ftl {
	struct sim_geometry geometry;
	struct sim_map map;
	struct sim_flash flash;
	struct sim_buffer buffer;
	struct sim_collect collect;
	struct sim_slc slc;
	struct sim_contents contents;
	struct sim_frontier frontier;		/* of host data */
	/* Pages of the open unit whose map entries are not changed yet: doing a unit's at once lets the
	 * memory accesses overlap, which makes random writes twice as fast to simulate. See sim_ftl_settle.
	 */
	uint32_t staged[SIM_UNIT_PAGES_MAX];	/* logical pages in order */
	uint32_t staged_count, staged_first;	/* first: physical page of staged[0] */
	uint64_t durable_ns;	/* when everything handed to the flash so far is programmed */
	struct sim_ftl_counts counts;
};

/* 0, -EINVAL with fault, -ENOMEM; release in either case. The struct must not move afterwards. */
int sim_ftl_init(struct sim_ftl *ftl, const struct sim_params *params, uint64_t seed, struct fault *fault);
void sim_ftl_release(struct sim_ftl *ftl);

/* Writes one logical page; admitted_ns is when it entered the buffer, acked_ns when the host is told. Returns
 * false when no flash is left (all superblocks full of valid data). */
bool sim_ftl_write(struct sim_ftl *ftl, uint32_t logical, uint64_t admitted_ns, uint64_t acked_ns);
/* Brings the map up to date with the pages written. Needed before anything looks at the map from outside. */
void sim_ftl_settle_staged(struct sim_ftl *ftl);
static inline void sim_ftl_settle(struct sim_ftl *ftl)
{
	if (ftl->staged_count)
		sim_ftl_settle_staged(ftl);
}
/* Is the physical page still in the write buffer at now_ns? */
bool sim_ftl_is_buffered(struct sim_ftl *ftl, uint32_t physical, uint64_t now_ns);
/* Pads and programs the open unit; returns when everything written so far is on flash. */
uint64_t sim_ftl_flush(struct sim_ftl *ftl, uint64_t now_ns);
/* The host was idle for idle_ns: erases what holds nothing valid, folds, then collects for the cache's static
 * part, as much as the time allows. */
void sim_ftl_tidy(struct sim_ftl *ftl, uint64_t idle_ns);
/* Closes the open superblock, whatever it holds. */
void sim_ftl_close_frontier(struct sim_ftl *ftl);
