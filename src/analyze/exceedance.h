/* exceedance: do few enough I/Os take longer than a limit? A sequential test on counts that come in interval
 * by interval.
 *
 * "The 99.9th percentile is below 1 ms" says: the probability that an I/O takes 1 ms or longer is at most
 * 0.001. At each look the exact binomial tail of what was counted is compared with the share of the error
 * probability that may be spent so far, so that all looks together are wrong in one direction or the other
 * with probability EXCEEDANCE_ALPHA at most (alpha spending, Lan & DeMets 1983; the linear spending function
 * of Kim & DeMets 1987; the increments are added without using that looks are correlated: safe side).
 *
 * I/Os that wait in one queue are slow together. The counts are therefore divided by the dispersion that
 * the intervals show (Pearson's chi-square over its degrees of freedom, at least 1): the effective number
 * of independent samples. As few I/Os exceed the limit, how they cluster is taken from those that exceed a
 * lower mark too: the larger dispersion counts. Pure; no allocation. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define EXCEEDANCE_ALPHA 0.05		/* both directions together */
#define EXCEEDANCE_INTERVALS_MIN 4	/* before anything is decided */
#define EXCEEDANCE_LOOK_RATIO 1.25	/* samples at a look over those at the one before */

enum exceedance_verdict {
	EXCEEDANCE_OPEN,	/* cannot be told apart from the limit */
	EXCEEDANCE_BELOW,	/* fewer than allowed */
	EXCEEDANCE_ABOVE,	/* more than allowed */
};

struct exceedance {
	double allowed;			/* probability that may exceed: 1 - p, 0 < allowed < 1 */
	uint64_t planned;		/* samples at which all of alpha may be spent */
	uint64_t n, exceeding;
	double spent;			/* part of `planned` that was spent at the last look */
	uint64_t next_look;
	struct dispersion {			/* sums over intervals of k^2 / n, k, n */
		uint32_t intervals;
		double squares, counts, weights;
	} beyond_limit, beyond_mark;
	enum exceedance_verdict verdict;
};

void exceedance_init(struct exceedance *exceedance, double allowed, uint64_t planned);
/* One interval: n I/Os, `exceeding` of them at or above the limit, `marked` at or above a lower mark (half
 * of it, say). Returns the verdict, which stays once it is not OPEN. */
enum exceedance_verdict exceedance_feed(struct exceedance *exceedance, uint64_t n, uint64_t exceeding,
					uint64_t marked);
/* Variance of the counts over that of independent I/Os, >= 1. */
double exceedance_dispersion(const struct exceedance *exceedance);
/* P(X <= exceeding) and P(X >= exceeding) for a binomial with the allowed share and the effective number
 * of samples. */
double exceedance_tail_low(const struct exceedance *exceedance);
double exceedance_tail_high(const struct exceedance *exceedance);
