#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "analyze/confidence.h"
#include "analyze/consistency.h"
#include "analyze/numbers.h"

static void judge_dropouts(const double *iops, uint32_t seconds, struct consistency *consistency)
{
	uint32_t half = 0, tenth = 0, silent = 0, half_run = 0, silent_run = 0;

	for (uint32_t i = 0; i < seconds; i++) {
		if (isnan(iops[i]))
			continue;
		half_run = iops[i] < 0.5 * consistency->median ? half_run + 1 : 0;
		silent_run = iops[i] == 0 ? silent_run + 1 : 0;
		half += half_run > 0;
		tenth += iops[i] < 0.1 * consistency->median;
		silent += silent_run > 0;
		if (half_run > consistency->longest_below_half_s)
			consistency->longest_below_half_s = half_run;
		if (silent_run > consistency->longest_silent_s)
			consistency->longest_silent_s = silent_run;
	}
	consistency->below_half = (double)half / consistency->seconds;
	consistency->below_tenth = (double)tenth / consistency->seconds;
	consistency->silent = (double)silent / consistency->seconds;
}

static void judge_floor(const double *sorted, struct consistency *consistency)
{
	const uint32_t n = consistency->seconds;
	uint64_t low, high;

	if (n >= CONSISTENCY_SECONDS_C99)
		consistency->c99 = numbers_sorted_quantile(sorted, n, 0.01) / consistency->mean;
	if (n < CONSISTENCY_SECONDS_FLOOR) {
		consistency->needs_seconds = CONSISTENCY_SECONDS_FLOOR - n;
		return;
	}
	consistency->floor_iops = numbers_sorted_quantile(sorted, n, 0.001);
	consistency->ratio = consistency->floor_iops / consistency->mean;
	if (confidence_ranks(n, 0.001, &low, &high) == 0) {
		consistency->floor_low = sorted[low - 1];
		consistency->floor_high = sorted[high - 1];
	}
}

static uint32_t copy_present(const double *iops, uint32_t seconds, double *copy)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < seconds; i++)
		if (!isnan(iops[i]))
			copy[n++] = iops[i];
	return n;
}

int consistency_of(const double *iops, uint32_t seconds, struct consistency *ret_consistency)
{
	struct consistency consistency = {
		.mean = NAN, .median = NAN, .floor_iops = NAN, .floor_low = NAN, .floor_high = NAN,
		.ratio = NAN, .c99 = NAN, .variation = NAN, .robust_variation = NAN, .below_half = NAN, .below_tenth = NAN,
		.silent = NAN, .needs_seconds = CONSISTENCY_SECONDS_FLOOR,
	};
	double *copy = malloc((seconds + 1) * sizeof(*copy));
	uint32_t n;

	if (!copy)
		return -ENOMEM;
	consistency.seconds = n = copy_present(iops, seconds, copy);
	if (n > 0) {
		consistency.needs_seconds = 0;
		consistency.mean = numbers_mean(copy, n);
		if (n >= CONSISTENCY_SECONDS_SPREAD)
			consistency.variation = sqrt(numbers_variance(copy, n)) / consistency.mean;
		consistency.median = numbers_median_of(copy, n);	/* sorts */
		judge_floor(copy, &consistency);
		judge_dropouts(iops, seconds, &consistency);
		if (n >= CONSISTENCY_SECONDS_SPREAD)
			consistency.robust_variation = numbers_robust_deviation(copy, n) / consistency.median;
	}
	free(copy);
	*ret_consistency = consistency;
	return 0;
}
