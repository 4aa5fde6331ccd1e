/* trend: does a series of batch means rise or fall? The test of Mann and Kendall, which needs no
 * distribution, with the slope of Theil and Sen. A trend that is not significant is no proof of none: noisy
 * data always pass. Beside the verdict of an equivalence test it is evidence. Pure. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define TREND_BATCHES_MIN 24u
#define TREND_BATCHES_MAX 96u

struct trend {
	uint32_t batches;	/* 0: fewer than 24, nothing is told */
	double s, tau;		/* pairs that rise less those that fall; as a share of all pairs */
	double z, p;		/* normal approximation with ties and continuity correction; two-sided */
	double slope, low, high;	/* per batch: median of the slopes of all pairs, and its 95 % interval (Sen 1968) */
};

/* y[0 .. n), n <= 96. */
struct trend trend_find(const double *y, uint32_t n);
