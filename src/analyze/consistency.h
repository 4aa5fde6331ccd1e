/* consistency: how even a drive's service is, second by second, over the window that the steady-state rule
 * chose (never one that a user chose). Each figure has the number of seconds below which it is refused
 * (NaN). Pure function. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define CONSISTENCY_SECONDS_FLOOR 1000		/* C99.9 and floor are refused below */
#define CONSISTENCY_SECONDS_CONFIDENT 3688	/* ... and have an interval from here on, if independent */
#define CONSISTENCY_SECONDS_SPREAD 300		/* CV */
#define CONSISTENCY_SECONDS_C99 100		/* C99 */

struct consistency {
	uint32_t seconds;
	double mean, median;
	double floor_iops;		/* F99.9: the 99.9th-percentile slowest second */
	double floor_low, floor_high;	/* 95 % interval; NaN below 3688 independent seconds */
	/* independent ones that those around the floor are worth; NaN without a floor */
	double effective_seconds;
	double ratio;			/* C99.9 = floor / mean, as in Intel's data sheets ("Intel-style") */
	double c99;			/* 99th-percentile slowest second / mean: what is left below 1000 s */
	double variation;		/* standard deviation / mean */
	double robust_variation;	/* 1.4826 MAD / median */
	double below_half;		/* share of the seconds below 50 % of the median */
	double below_tenth;		/* ... below 10 % */
	double silent;			/* ... with nothing at all */
	uint32_t longest_below_half_s;	/* in a row */
	uint32_t longest_silent_s;
	uint32_t needs_seconds;		/* more until C99.9 can be printed; 0 = it is */
};

/* iops: completions of each second. Missing seconds (NaN) are left out. 0 or -ENOMEM. */
int consistency_of(const double *iops, uint32_t seconds, struct consistency *ret_consistency);
