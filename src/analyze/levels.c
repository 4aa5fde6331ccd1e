#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/levels.h"
#include "analyze/numbers.h"

#define SEPARATION_MIN 2.0
#define SHARE_MIN 0.05

/* How many of the sorted values belong to the low level. */
static uint32_t best_split(const double *sorted, uint32_t n)
{
	const double mean = numbers_mean(sorted, n);
	double below = 0, best = -1;
	uint32_t split = 1;

	for (uint32_t i = 1; i < n; i++) {
		double between;

		below += sorted[i - 1] - mean;
		between = below * below / i + below * below / (n - i);	/* squares between the groups */
		if (between > best) {
			best = between;
			split = i;
		}
	}
	return split;
}

static void count_dwells(const double *y, uint32_t n, double border, struct levels *levels)
{
	uint32_t low_runs = 0, high_runs = 0, low_points = 0;

	for (uint32_t i = 0; i < n; i++) {
		const bool low = y[i] < border;

		low_points += low;
		if (i == 0 || low != (y[i - 1] < border)) {
			low_runs += low;
			high_runs += !low;
		}
	}
	levels->switches = low_runs + high_runs - 1;
	levels->share_low = (double)low_points / n;
	levels->dwell_low = low_runs > 0 ? (double)low_points / low_runs : 0;
	levels->dwell_high = high_runs > 0 ? (double)(n - low_points) / high_runs : 0;
}

int levels_find(const double *y, uint32_t n, struct levels *ret_levels)
{
	struct levels levels = { .low = NAN, .high = NAN, .separation = NAN };
	double *sorted, spread;
	uint32_t split;

	*ret_levels = levels;
	if (n < 4)
		return 0;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, y, n * sizeof(*sorted));
	numbers_sort(sorted, n);
	split = best_split(sorted, n);
	levels.low = numbers_mean(sorted, split);
	levels.high = numbers_mean(sorted + split, n - split);
	spread = (split > 1 ? numbers_variance(sorted, split) : 0) +
		 (n - split > 1 ? numbers_variance(sorted + split, n - split) : 0);
	if (levels.high > levels.low)
		levels.separation =
			spread > 0 ? M_SQRT2 * (levels.high - levels.low) / sqrt(spread) : INFINITY;
	count_dwells(y, n, (sorted[split - 1] + sorted[split]) / 2, &levels);
	levels.bimodal = levels.separation > SEPARATION_MIN && levels.share_low >= SHARE_MIN &&
			 levels.share_low <= 1 - SHARE_MIN;
	free(sorted);
	*ret_levels = levels;
	return 0;
}
