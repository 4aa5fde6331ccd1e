#include "analyze/trend.h"

#include <math.h>
#include <gsl/gsl_cdf.h>
#include "analyze/numbers.h"

#define PAIRS_MAX (TREND_BATCHES_MAX * (TREND_BATCHES_MAX - 1) / 2)

/* Variance of S when nothing rises or falls: values that are alike count for less. y is sorted. */
static double variance_of(const double *sorted, uint32_t n)
{
	double sum = (double)n * (n - 1) * (2.0 * n + 5);
	uint32_t alike;

	for (uint32_t i = 0; i < n; i += alike) {
		for (alike = 1; i + alike < n && !(sorted[i + alike] > sorted[i]);)
			alike++;
		sum -= (double)alike * (alike - 1) * (2.0 * alike + 5);
	}
	return sum / 18;
}

static double sign_of(double value)
{
	return (value > 0) - (value < 0);
}

/* The test; the slopes of all pairs into `slopes`. */
static uint32_t pairs(const double *y, uint32_t n, struct trend *trend, double *slopes)
{
	uint32_t count = 0;

	for (uint32_t j = 1; j < n; j++)
		for (uint32_t i = 0; i < j; i++) {
			trend->s += sign_of(y[j] - y[i]);
			slopes[count++] = (y[j] - y[i]) / (j - i);
		}
	return count;
}

/* Ranks (count -+ c) / 2 of the sorted slopes, outwards. */
static void slope_set(double *slopes, uint32_t count, double variance, struct trend *trend)
{
	const double c = gsl_cdf_ugaussian_Pinv(0.975) * sqrt(variance);
	const int64_t low = (int64_t)floor((count - c) / 2) - 1, high = (int64_t)ceil((count + c) / 2);

	numbers_sort(slopes, count);
	trend->slope = count % 2 ? slopes[count / 2] : (slopes[count / 2 - 1] + slopes[count / 2]) / 2;
	trend->low = slopes[low < 0 ? 0 : low];
	trend->high = slopes[high >= count ? count - 1 : high];
}

struct trend trend_find(const double *y, uint32_t n)
{
	struct trend trend = { 0 };
	double slopes[PAIRS_MAX], sorted[TREND_BATCHES_MAX], variance;
	uint32_t count;

	if (n < TREND_BATCHES_MIN || n > TREND_BATCHES_MAX)
		return trend;
	trend.batches = n;
	count = pairs(y, n, &trend, slopes);
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = y[i];
	numbers_sort(sorted, n);
	variance = variance_of(sorted, n);
	trend.tau = trend.s / count;
	trend.z = variance > 0 ? (trend.s - sign_of(trend.s)) / sqrt(variance) : 0;
	trend.p = 2 * gsl_cdf_ugaussian_Q(fabs(trend.z));
	slope_set(slopes, count, variance, &trend);
	return trend;
}
