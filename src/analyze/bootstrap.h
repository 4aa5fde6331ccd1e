/* bootstrap: how sure a percentile or a mean of correlated latencies is, and how far it differs between two
 * drives.
 *
 * I/Os of one moment resemble each other, so single I/Os may not be drawn. What is drawn, with replacement,
 * are pieces of time (histograms of an interval): in blocks of neighbours that stay together and wrap around
 * at the end (circular block bootstrap, Politis & Romano 1992). With several runs, whole runs are drawn first
 * and then blocks within each (hierarchical bootstrap), as runs differ more than the seconds of one do. The
 * drawn histograms are added, the figure is taken of the sum, and the interval is what lies between its 2.5th
 * and 97.5th percentile over all draws. Two sides are drawn independently; for each draw the quotient of
 * their figures is taken: the shift function of Doksum and Wilcox, as a ratio. Same seed, same result.
 *
 * Resolution: values are middles of histogram slots. Few runs (below five) cannot show how much runs
 * differ: intervals are then too narrow. Cost: about a nanosecond for each used slot of each drawn piece;
 * of an hour, pieces of 10 s are enough. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "measure/histogram.h"

#define BOOTSTRAP_RESAMPLES 2000u
#define BOOTSTRAP_PIECES_MIN 8u		/* of all runs together; below, there is no interval */
#define BOOTSTRAP_FIGURES_MAX 16u
#define BOOTSTRAP_MEAN 0.0		/* in place of a percentile: the mean */

/* The pieces of one side. */
struct bootstrap_sample;
/* NULL: out of memory. */
struct bootstrap_sample *bootstrap_sample_new(void);
void bootstrap_sample_free(struct bootstrap_sample *sample);	/* NULL is fine */
/* Begins another run: pieces that are added from now on are its. The first need not be begun. -ENOMEM or
 * 0. */
int bootstrap_sample_run(struct bootstrap_sample *sample);
/* The next piece of time of this run; the histogram is copied. Empty ones are left out. -ENOMEM or 0. */
int bootstrap_sample_add(struct bootstrap_sample *sample, const struct histogram *histogram);
uint32_t bootstrap_sample_pieces(const struct bootstrap_sample *sample);

struct bootstrap_plan {
	const double *p;		/* figures: percentiles, 0 < p < 1, or BOOTSTRAP_MEAN */
	uint32_t count;			/* 1 .. BOOTSTRAP_FIGURES_MAX */
	uint32_t resamples;		/* 0 = BOOTSTRAP_RESAMPLES */
	uint32_t block;			/* neighbouring pieces that stay together; 0 = 1 */
	double level;			/* of the interval; 0 = 0.95 */
	uint64_t seed;
};

/* value: ns, or the ratio b / a. low <= value <= high; both NaN with too few pieces. */
struct bootstrap_figure {
	double value, low, high;
};

/* One figure for each of plan->p. 0, -ENODATA (nothing in a sample), -EINVAL (plan), -ENOMEM. */
int bootstrap_figures(const struct bootstrap_sample *sample, const struct bootstrap_plan *plan,
		      struct bootstrap_figure *ret_figures);
int bootstrap_ratios(const struct bootstrap_sample *a, const struct bootstrap_sample *b,
		     const struct bootstrap_plan *plan, struct bootstrap_figure *ret_ratios);
