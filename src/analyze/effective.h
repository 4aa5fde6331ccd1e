/* effective: how many independent observations a correlated series is worth.
 *
 * Neighbouring seconds of a drive resemble each other, and slow I/Os come together. An interval that takes
 * them for independent is too narrow. The variance of the mean of n correlated values is that of n / tau
 * independent ones, tau = 1 + 2 (rho_1 + rho_2 + ...), where rho_k is the autocorrelation at lag k. The
 * sum is cut off by Geyer's initial monotone sequence (Geyer, "Practical Markov chain Monte Carlo",
 * Statistical Science 7, 1992, 3.3): sums of pairs rho_2k + rho_2k+1 are taken while they are positive,
 * and none is larger than the one before. Pure functions. */
#pragma once
#include <stdint.h>
#include "analyze/confidence.h"
#include "measure/histogram.h"

/* tau of y[0 .. n - 1], at least 1 (correlation that makes a mean more certain is not counted) and at most
 * n; 1 when y is constant or shorter than 4. NaN is not allowed in y; NaN comes back when there is no
 * memory. */
double effective_inflation(const double *y, uint32_t n);
/* n / tau; NaN as above. */
double effective_count(const double *y, uint32_t n);

/* A percentile's effective sample count. In each block of time (an interval of the series, in order;
 * `count` of them, NULL or empty ones are left out) some share of the I/Os took longer than value_ns. The
 * variance of the share over all of them is estimated from the blocks as a ratio of two sums (Cochran,
 * Sampling Techniques, 6.4) times their tau, and compared with that of as many independent I/Os: their
 * quotient is the design effect. n / effect, 1 .. n; n when fewer than 4 blocks hold I/Os or none or all
 * are beyond. value_ns: the percentile itself; I/Os in its own slot do not count as beyond. NaN when there
 * is no memory. */
double effective_samples(const struct histogram *const *blocks, uint32_t count, uint64_t value_ns);
/* The same from counts: ios[i] I/Os in block i, of which beyond[i] took longer. */
double effective_of_counts(const double *ios, const double *beyond, uint32_t count);

/* Whether the p-quantile of n samples that are worth `effective` independent ones (at least 1; n when it
 * is larger or NaN) may be printed, and the ranks of its interval: those of that many, stretched to the n.
 * needs: of such samples as these, more. */
struct percentile_confidence effective_percentile(uint64_t n, double effective, double p);
