#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>
#include "analyze/numbers.h"
#include "analyze/period.h"

#define PEAK_MIN 0.5
#define SECOND_PEAK_MIN 0.4

static size_t padded(uint32_t n)
{
	size_t size = 4;

	while (size < 2 * (size_t)n)	/* so that ends do not wrap around */
		size *= 2;
	return size;
}

/* Power spectrum in place, in GSL's half-complex order. */
static void to_power(double *y, size_t size)
{
	y[0] *= y[0];
	y[size / 2] *= y[size / 2];
	for (size_t i = 1; i < size / 2; i++) {
		y[i] = y[i] * y[i] + y[size - i] * y[size - i];
		y[size - i] = 0;
	}
}

/* Autocorrelation of y without its trend, lags 0 .. n - 1, unbiased by the number of pairs; NULL = no
 * memory. */
static double *autocorrelation(const double *y, uint32_t n)
{
	const struct line line = numbers_fit(y, n);
	const size_t size = padded(n);
	double *work = calloc(size, sizeof(*work)), variance;

	if (!work)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		work[i] = y[i] - line.mean_y - line.slope * (i - line.mean_x);
	gsl_fft_real_radix2_transform(work, 1, size);
	to_power(work, size);
	gsl_fft_halfcomplex_radix2_inverse(work, 1, size);
	variance = work[0] / n;
	for (uint32_t i = 0; i < n; i++)
		work[i] = variance > 0 ? work[i] / (n - i) / variance : 0;
	return work;
}

/* Highest point of the first hill above PEAK_MIN after the first zero crossing; 0 = none. Lower hills are
 * noise. */
static uint32_t first_peak(const double *acf, uint32_t last)
{
	uint32_t lag = 1, peak;

	while (lag < last && acf[lag] > 0)
		lag++;
	while (lag < last && acf[lag] <= PEAK_MIN)
		lag++;
	for (peak = lag; lag < last && acf[lag] > 0; lag++)
		if (acf[lag] > acf[peak])
			peak = lag;
	return peak < last ? peak : 0;
}

static double refined(const double *acf, uint32_t peak)
{
	const double curve = acf[peak - 1] - 2 * acf[peak] + acf[peak + 1];

	return curve < 0 ? peak + (acf[peak - 1] - acf[peak + 1]) / (2 * curve) : peak;
}

int period_find(const double *y, uint32_t n, double periods_min, struct period *ret_period)
{
	struct period period = { 0 };
	double *acf;
	uint32_t peak;

	*ret_period = period;
	if (n < 8)
		return 0;
	acf = autocorrelation(y, n);
	if (!acf)
		return -ENOMEM;
	peak = first_peak(acf, n / 2);
	if (peak > 0) {
		period.points = refined(acf, peak);
		period.strength = acf[peak];
		period.found = acf[2 * peak] > SECOND_PEAK_MIN && n >= periods_min * period.points;
	}
	free(acf);
	*ret_period = period;
	return 0;
}
