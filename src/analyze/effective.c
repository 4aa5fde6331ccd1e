#include <errno.h>
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

static uint64_t beyond(const struct histogram *histogram, uint64_t value_ns)
{
	uint64_t sum = 0;

	for (uint32_t slot = histogram_slot(value_ns) + 1; slot < HISTOGRAM_SLOTS; slot++)
		sum += histogram->slot[slot];
	return sum;
}

/* Variance of the share of those beyond, over that of n independent I/Os. `d` (count of them) is scratch. */
static double design_effect(const struct histogram *const *blocks, uint32_t count, uint64_t value_ns, double *d)
{
	double ios = 0, slow = 0, squares = 0, share;
	uint32_t used = 0;

	for (uint32_t i = 0; i < count; i++)
		if (blocks[i] && blocks[i]->moments.n) {
			d[used] = (double)beyond(blocks[i], value_ns);
			slow += d[used++];
			ios += (double)blocks[i]->moments.n;
		}
	share = ios > 0 ? slow / ios : 0;
	if (used < BLOCKS_MIN || share <= 0 || share >= 1)
		return 1;
	for (uint32_t i = 0, at = 0; i < count; i++)
		if (blocks[i] && blocks[i]->moments.n) {
			d[at] -= share * (double)blocks[i]->moments.n;
			squares += d[at] * d[at];
			at++;
		}
	return squares * used / (used - 1) * inflation_of(d, used) / (ios * share * (1 - share));
}

double effective_samples(const struct histogram *const *blocks, uint32_t count, uint64_t value_ns)
{
	double *d = malloc((count + 1) * sizeof(*d)), ios = 0, effect;

	if (!d)
		return NAN;
	for (uint32_t i = 0; i < count; i++)
		ios += blocks[i] ? (double)blocks[i]->moments.n : 0;
	effect = design_effect(blocks, count, value_ns, d);
	free(d);
	return effect > 1 ? fmax(ios / effect, 1) : ios;
}

static uint64_t stretched(uint64_t rank, double effective, uint64_t n)
{
	const double at = ceil(((double)rank - 0.5) / effective * (double)n);

	return at < 1 ? 1 : at > (double)n ? n : (uint64_t)at;
}

int effective_ranks(uint64_t n, double effective, double p, uint64_t *ret_low, uint64_t *ret_high)
{
	const uint64_t worth = effective >= (double)n ? n : (uint64_t)fmax(effective, 0);
	uint64_t low, high;
	int error = confidence_ranks(worth, p, &low, &high);

	if (error)
		return error;
	*ret_low = stretched(low, (double)worth, n);
	*ret_high = stretched(high, (double)worth, n);
	return 0;
}
