/* divisive: when did a series of whole runs change? Change points by E-divisive (Matteson & James, "A
 * nonparametric approach for multiple change point analysis of multivariate data", JASA 109, 2014), as used
 * on histories of performance tests (Hunter, ICPE 2023).
 *
 * A series is divided where the energy distance (exponent 1) between what lies before and what follows is
 * largest, over all places and all ends of what follows; then its parts are, best division first, as long
 * as a permutation test calls the best one significant. In a permutation each part is shuffled in itself.
 * No distribution is assumed, not only means count, and single outliers do not make a change. For few long
 * series of figures of one run each; for the thousands of seconds of one run there is analyze/pelt.h.
 * Pure; same seed, same result. */
#pragma once
#include <stdint.h>

#define DIVISIVE_RUNS_MIN 20u		/* below, a history is too short to be judged */
#define DIVISIVE_RUNS_MAX 500u		/* time and memory grow with the square */
#define DIVISIVE_SEGMENT_MIN 4u		/* runs between two changes */
#define DIVISIVE_PERMUTATIONS 199u
#define DIVISIVE_SIGNIFICANCE 0.05

struct divisive_change {
	uint32_t at;			/* first run after the change */
	double p;			/* (1 + permutations at least as divided) / (1 + permutations) */
	double before, after;		/* medians of the two segments it separates */
};

/* The best division of y[0 .. n - 1] and its statistic, without a test. 0, -ERANGE (n below 2 x
 * `segment_min`, which is at least 2, or above DIVISIVE_RUNS_MAX), -ENOMEM. */
int divisive_best(const double *y, uint32_t n, uint32_t segment_min, uint32_t *ret_at, double *ret_statistic);
/* Changes in ascending order, `max` at most. How many, -ERANGE (n out of range), -ENOMEM. */
int divisive_find(const double *y, uint32_t n, uint64_t seed, struct divisive_change *ret_changes,
		  uint32_t max);
