/* fill: one long sequential write of a run, and the stages its speed went through. */
#pragma once
#include "analyze/knee.h"
#include "assay/evidence.h"

#define FILL_INTERVALS_MIN 24u	/* no stages are looked for in fewer */

/* The last of many passes over the range: what the drive does after hours. */
#define FILL_PASSES_MIN 3u
struct fill_pass {
	double bytes;		    /* 0: there were fewer */
	double rate, low, high;	    /* bytes per second; of 90 % of its intervals */
};

struct fill {
	const struct step_record *step;
	const struct drive_record *drive;
	struct store_series series; /* of writes, in the first pass */
	double total;		    /* bytes */
	double bin;		    /* bytes of one bin of `knees` */
	double filled_before;	    /* written before since the last purge, as a share of the capacity */
	bool rotates;		    /* a hard disk: it has no flash, its inner tracks are slower than the outer ones */
	bool random_before;	    /* a good part of that at random */
	uint32_t passes;	    /* whole ones over the range; all but the last are left out above */
	struct fill_pass last_pass;
	struct knees knees;
	bool too_coarse;	    /* long enough, but recorded in too few intervals */
	bool has_cache;
	double cache, cache_low, cache_high; /* bytes */
};

/* 1 = the step is a fill long enough to say something; 0 = it is not; -ENOMEM or the store's -errno. Release
 * in any case. */
int fill_of(const struct evidence *evidence, const struct step_record *step, struct fill *fill);
void fill_release(struct fill *fill);

/* Mean rate of the last quarter, bytes per second: what the drive comes down to. */
double fill_last_rate(const struct fill *fill);
/* The sustained rate: of the last of many passes; of one, of its last stage; where the speed goes up and down,
 * of all that is behind the first one. With the 5th and 95th percentile of its bins. Returns the bytes that it
 * was seen over. */
double fill_sustained(const struct fill *fill, double *ret_rate, double *ret_low, double *ret_high);
/* The speed goes up and down behind the cache. */
bool fill_cycles(const struct fill *fill);
/* "empty" "full" "partly filled" "randomly written": the drive when the fill began. */
const char *fill_drive_state(const struct fill *fill);
/* Is the step one sequential write? */
bool step_fills(const struct evidence *evidence, const struct step_record *step);
/* What was written to a target before a step since its last purge, as a share of the capacity. */
double filled_before(const struct evidence *evidence, const struct step_record *step, uint32_t target);
