#include <math.h>
#include <stdlib.h>
#include "analyze/confidence.h"
#include "analyze/effective.h"
#include "analyze/numbers.h"

#define BLOCKS_MIN 4u

/* Sum over i of d[i] d[i + lag]. */
static double lagged(const double *d, uint32_t n, uint32_t lag)
{
	double sum = 0;

	for (uint32_t i = lag; i < n; i++)
		sum += d[i] * d[i - lag];
	return sum;
}

/* Of deviations from a mean. */
static double inflation_of(const double *d, uint32_t n)
{
	const double all = lagged(d, n, 0);
	double tau = -1, before = INFINITY;

	if (n < BLOCKS_MIN || !(all > 0))
		return 1;
	for (uint32_t lag = 0; lag + 1 < n; lag += 2) {
		double pair = (lagged(d, n, lag) + lagged(d, n, lag + 1)) / all;

		if (pair <= 0)
			break;
		before = fmin(before, pair);
		tau += 2 * before;
	}
	return fmin(fmax(tau, 1), n);
}

double effective_inflation(const double *y, uint32_t n)
{
	const double mean = numbers_mean(y, n);
	double *d = malloc((n + 1) * sizeof(*d)), tau;

	if (!d)
		return NAN;
	for (uint32_t i = 0; i < n; i++)
		d[i] = y[i] - mean;
	tau = inflation_of(d, n);
	free(d);
	return tau;
}

double effective_count(const double *y, uint32_t n)
{
	return n / effective_inflation(y, n);
}

/* Variance of the share of those beyond, over that of n independent I/Os. d (count of them) is scratch. */
static double design_effect(const double *ios, const double *beyond, uint32_t count, double *d)
{
	double all = 0, slow = 0, squares = 0, share;
	uint32_t used = 0;

	for (uint32_t i = 0; i < count; i++) {
		all += ios[i];
		slow += beyond[i];
		used += ios[i] > 0;
	}
	share = all > 0 ? slow / all : 0;
	if (used < BLOCKS_MIN || share <= 0 || share >= 1)
		return 1;
	for (uint32_t i = 0, at = 0; i < count; i++)
		if (ios[i] > 0) {
			d[at] = beyond[i] - share * ios[i];
			squares += d[at] * d[at];
			at++;
		}
	return squares * used / (used - 1) * inflation_of(d, used) / (all * share * (1 - share));
}

double effective_of_counts(const double *ios, const double *beyond, uint32_t count)
{
	double *d = malloc((count + 1) * sizeof(*d)), all = 0, effect;

	if (!d)
		return NAN;
	for (uint32_t i = 0; i < count; i++)
		all += ios[i];
	effect = design_effect(ios, beyond, count, d);
	free(d);
	return effect > 1 ? fmax(all / effect, 1) : all;
}

static uint64_t beyond(const struct histogram *histogram, uint64_t value_ns)
{
	uint64_t sum = 0;

	for (uint32_t slot = histogram_slot(value_ns) + 1; slot < HISTOGRAM_SLOTS; slot++)
		sum += histogram->slot[slot];
	return sum;
}

double effective_samples(const struct histogram *const *blocks, uint32_t count, uint64_t value_ns)
{
	double *counts = calloc(2 * (size_t)count + 1, sizeof(*counts)), effective;

	if (!counts)
		return NAN;
	for (uint32_t i = 0; i < count; i++)
		if (blocks[i]) {
			counts[i] = (double)blocks[i]->moments.n;
			counts[count + i] = (double)beyond(blocks[i], value_ns);
		}
	effective = effective_of_counts(counts, counts + count, count);
	free(counts);
	return effective;
}

static uint64_t stretched(uint64_t rank, double effective, uint64_t n)
{
	const double at = ceil(((double)rank - 0.5) / effective * (double)n);

	return at < 1 ? 1 : at > (double)n ? n : (uint64_t)at;
}

struct percentile_confidence effective_percentile(uint64_t n, double effective, double p)
{
	const uint64_t worth = effective < (double)n ? (uint64_t)fmax(effective, 1) : n;
	struct percentile_confidence confidence = confidence_percentile(worth, p);

	if (confidence.grade == CONFIDENCE_REFUSED && worth < n)
		confidence.needs = (uint64_t)ceil((double)confidence.needs * ((double)n / (double)worth));
	if (confidence.bounded) {
		confidence.low_rank = stretched(confidence.low_rank, (double)worth, n);
		confidence.high_rank = stretched(confidence.high_rank, (double)worth, n);
	}
	return confidence;
}
