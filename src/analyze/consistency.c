#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "analyze/consistency.h"
#include "analyze/effective.h"
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

/* How many independent seconds those at or below the floor are worth: slow ones come together. -ENOMEM. */
static int effective_read(const double *iops, uint32_t seconds, struct consistency *consistency)
{
	double *ones = malloc(2 * ((size_t)seconds + 1) * sizeof(*ones)), *slow = ones + seconds + 1;
	uint32_t n = 0;

	if (!ones)
		return -ENOMEM;
	for (uint32_t i = 0; i < seconds; i++)
		if (!isnan(iops[i])) {
			ones[n] = 1;
			slow[n++] = iops[i] <= consistency->floor_iops;
		}
	consistency->effective_seconds = effective_of_counts(ones, slow, n);
	free(ones);
	return isnan(consistency->effective_seconds) ? -ENOMEM : 0;
}

static int judge_floor(const double *iops, uint32_t seconds, const double *sorted,
		       struct consistency *consistency)
{
	const uint32_t n = consistency->seconds;
	struct percentile_confidence sure;
	int error;

	if (n >= CONSISTENCY_SECONDS_C99)
		consistency->c99 = numbers_sorted_quantile(sorted, n, 0.01) / consistency->mean;
	if (n < CONSISTENCY_SECONDS_FLOOR) {
		consistency->needs_seconds = CONSISTENCY_SECONDS_FLOOR - n;
		return 0;
	}
	consistency->floor_iops = numbers_sorted_quantile(sorted, n, 0.001);
	consistency->ratio = consistency->floor_iops / consistency->mean;
	error = effective_read(iops, seconds, consistency);
	if (error)
		return error;
	sure = effective_percentile(n, consistency->effective_seconds, 0.001);
	if (sure.bounded) {
		consistency->floor_low = sorted[sure.low_rank - 1];
		consistency->floor_high = sorted[sure.high_rank - 1];
	}
	return 0;
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
		.mean = NAN,
		.median = NAN,
		.floor_iops = NAN,
		.floor_low = NAN,
		.floor_high = NAN,
		.ratio = NAN,
		.c99 = NAN,
		.variation = NAN,
		.robust_variation = NAN,
		.below_half = NAN,
		.below_tenth = NAN,
		.silent = NAN,
		.effective_seconds = NAN,
		.needs_seconds = CONSISTENCY_SECONDS_FLOOR,
	};
	double *copy = malloc((seconds + 1) * sizeof(*copy));
	uint32_t n;
	int error = 0;

	if (!copy)
		return -ENOMEM;
	consistency.seconds = n = copy_present(iops, seconds, copy);
	if (n > 0) {
		consistency.needs_seconds = 0;
		consistency.mean = numbers_mean(copy, n);
		if (n >= CONSISTENCY_SECONDS_SPREAD)
			consistency.variation = sqrt(numbers_variance(copy, n)) / consistency.mean;
		consistency.median = numbers_median_of(copy, n);	/* sorts */
		error = judge_floor(iops, seconds, copy, &consistency);
		judge_dropouts(iops, seconds, &consistency);
		if (n >= CONSISTENCY_SECONDS_SPREAD)
			consistency.robust_variation = numbers_robust_deviation(copy, n) / consistency.median;
	}
	free(copy);
	if (!error)
		*ret_consistency = consistency;
	return error;
}
