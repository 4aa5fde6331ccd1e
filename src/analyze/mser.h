/* mser: where does a series that has settled begin to be so? MSER-5 (White, Cobb & Spratt, "A comparison of
 * five steady-state truncation heuristics for simulation", WSC 2000): of the means Y of five seconds each, the
 * first d* are left out, d* = the argument of the minimum over d of
 *
 *	sum_{i > d} (Y_i - mean_{> d})^2 / (n - d)^2,	0 <= d <= n - 5
 *
 * A d* in the second half is no find: the series has not settled, or it is so even that its last few values
 * happen to be more so. It looks back, and is no rule to stop by: a plateau that will end looks settled. Beside
 * a verdict it is evidence. Pure. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define MSER_BATCH_S 5u
#define MSER_BATCHES_MIN 10u

struct mser {
	bool valid;		/* enough batches, and d* in the first half of them */
	uint32_t batches, cut;	/* n, d* */
	uint32_t from_s;	/* d* x 5 */
	double mean;		/* of what is left; NaN without any */
};

/* seconds: `count` of them, NaN = missing. 0 or -ENOMEM. */
int mser_find(const double *seconds, uint32_t count, struct mser *ret_mser);
