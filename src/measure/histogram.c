#include <math.h>
#include <string.h>
#include "measure/histogram.h"

void moments_clear(struct moments *moments)
{
	*moments = (struct moments){ .min_ns = UINT64_MAX };
}

void moments_add(struct moments *moments, const struct moments *other)
{
	if (other->n == 0)
		return;
	if (moments->n == 0 || other->min_ns < moments->min_ns)
		moments->min_ns = other->min_ns;
	if (other->max_ns > moments->max_ns)
		moments->max_ns = other->max_ns;
	moments->n += other->n;
	moments->sum_ns += other->sum_ns;
	moments->over_range += other->over_range;
	moments->sum_squares_ns2 += other->sum_squares_ns2;
}

void recording_clear(struct recording *recording)
{
	const struct moments *moments = &recording->moments;

	if (moments->min_ns <= moments->max_ns) {
		const uint32_t first = histogram_slot(moments->min_ns);

		memset(&recording->slot[first], 0,
		       (histogram_slot(moments->max_ns) - first + 1) * sizeof(recording->slot[0]));
	}
	moments_clear(&recording->moments);
}

void histogram_clear(struct histogram *histogram)
{
	moments_clear(&histogram->moments);
	memset(histogram->slot, 0, sizeof(histogram->slot));
}

void histogram_add(struct histogram *histogram, const struct histogram *other)
{
	moments_add(&histogram->moments, &other->moments);
	for (uint32_t i = 0; i < HISTOGRAM_SLOTS; i++)
		histogram->slot[i] += other->slot[i];
}

void histogram_add_recording(struct histogram *histogram, const struct recording *recording)
{
	const struct moments *moments = &recording->moments;

	if (moments->n == 0)
		return;
	for (uint32_t i = histogram_slot(moments->min_ns); i <= histogram_slot(moments->max_ns); i++)
		histogram->slot[i] += recording->slot[i];
	moments_add(&histogram->moments, moments);
}

void histogram_record(struct histogram *histogram, uint64_t value_ns)
{
	const struct moments one = {
		.n = 1, .sum_ns = value_ns, .min_ns = value_ns, .max_ns = value_ns,
		.over_range = value_ns >> HISTOGRAM_RANGE_BITS != 0,
		.sum_squares_ns2 = (unsigned __int128)value_ns * value_ns,
	};

	moments_add(&histogram->moments, &one);
	histogram->slot[histogram_slot(value_ns)]++;
}

bool histogram_adds_up(const struct histogram *histogram)
{
	uint64_t left = histogram->moments.n;

	for (uint32_t i = 0; i < HISTOGRAM_SLOTS; i++) {
		if (histogram->slot[i] > left)
			return false;
		left -= histogram->slot[i];
	}
	return left == 0;
}

static uint64_t slot_middle(uint32_t index)
{
	return histogram_slot_low(index, HISTOGRAM_BITS) +
	       (histogram_slot_width(index, HISTOGRAM_BITS) - 1) / 2;
}

static uint64_t moments_clamp(const struct moments *moments, uint64_t value_ns)
{
	if (value_ns > moments->max_ns)
		return moments->max_ns;
	return value_ns < moments->min_ns ? moments->min_ns : value_ns;
}

uint64_t histogram_rank_value(const struct histogram *histogram, uint64_t rank)
{
	const struct moments *moments = &histogram->moments;
	uint64_t counted = 0;

	if (moments->n == 0)
		return 0;
	if (rank <= 1)
		return moments->min_ns;
	if (rank >= moments->n || rank > moments->n - moments->over_range)
		return moments->max_ns;		/* beyond the slots: the only value known not to be too low */
	for (uint32_t i = 0; i < HISTOGRAM_SLOTS; i++) {
		counted += histogram->slot[i];
		if (counted >= rank)
			return moments_clamp(moments, slot_middle(i));
	}
	return moments->max_ns;
}

/* ceil(p * n), not pushed one up by the rounding of p itself (0.07 * 100 > 7). */
static uint64_t percentile_rank(double p, uint64_t n)
{
	const long double exact = (long double)p * (long double)n;
	const long double below = floorl(exact);

	return (uint64_t)(exact - below <= (long double)n * 0x1p-52L ? below : below + 1);
}

uint64_t histogram_percentile(const struct histogram *histogram, double p)
{
	return histogram_rank_value(histogram, percentile_rank(p, histogram->moments.n));
}

double histogram_mean_ns(const struct histogram *histogram)
{
	const struct moments *moments = &histogram->moments;

	return moments->n > 0 ? (double)((long double)moments->sum_ns / (long double)moments->n) : NAN;
}

double histogram_stddev_ns(const struct histogram *histogram)
{
	const struct moments *moments = &histogram->moments;
	const unsigned __int128 sum_squared = (unsigned __int128)moments->sum_ns * moments->sum_ns;
	unsigned __int128 scaled;
	long double n = (long double)moments->n, mean, variance;

	if (moments->n == 0)
		return NAN;
	if (!__builtin_mul_overflow(moments->sum_squares_ns2, (unsigned __int128)moments->n, &scaled))
		return (double)(sqrtl((long double)(scaled - sum_squared)) / n);
	mean = (long double)moments->sum_ns / n;
	variance = (long double)moments->sum_squares_ns2 / n - mean * mean;
	return variance > 0 ? (double)sqrtl(variance) : 0;
}

double histogram_waiting_share(const struct histogram *histogram, uint64_t value_ns)
{
	const struct moments *moments = &histogram->moments;
	long double below = 0, all = 0;

	if (moments->n == 0 || value_ns >= moments->max_ns)
		return 1;
	for (uint32_t i = 0; i < HISTOGRAM_SLOTS; i++) {
		const uint64_t middle_ns = moments_clamp(moments, slot_middle(i));
		const long double waited = (long double)histogram->slot[i] * (long double)middle_ns;

		all += waited;
		if (middle_ns <= value_ns)
			below += waited;
	}
	return all > 0 ? (double)(below / all) : 1;
}
