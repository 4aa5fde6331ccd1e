#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gsl/gsl_sort.h>
#include "analyze/numbers.h"

double numbers_mean(const double *y, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += y[i];
	return n > 0 ? sum / n : NAN;
}

double numbers_variance(const double *y, uint32_t n)
{
	const double mean = numbers_mean(y, n);
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += (y[i] - mean) * (y[i] - mean);
	return n > 1 ? sum / (n - 1) : NAN;
}

double numbers_sorted_quantile(const double *sorted, uint32_t n, double p)
{
	const double rank = ceil(p * n - 1e-9 * n);

	if (n == 0)
		return NAN;
	return sorted[rank < 1 ? 0 : rank > n ? n - 1 : (uint32_t)rank - 1];
}

void numbers_sort(double *y, uint32_t n)
{
	gsl_sort(y, 1, n);
}

double numbers_median_of(double *y, uint32_t n)
{
	if (n == 0)
		return NAN;
	numbers_sort(y, n);
	return n % 2 ? y[n / 2] : (y[n / 2 - 1] + y[n / 2]) / 2;
}

double numbers_robust_deviation(double *y, uint32_t n)
{
	const double median = numbers_median_of(y, n);

	for (uint32_t i = 0; i < n; i++)
		y[i] = fabs(y[i] - median);
	return 1.4826 * numbers_median_of(y, n);
}

double numbers_lag1(const double *y, uint32_t n)
{
	const double mean = numbers_mean(y, n);
	double all = 0, neighbours = 0;

	for (uint32_t i = 0; i < n; i++)
		all += (y[i] - mean) * (y[i] - mean);
	for (uint32_t i = 1; i < n; i++)
		neighbours += (y[i] - mean) * (y[i - 1] - mean);
	return n < 3 || !(all > 0) ? 0 : neighbours / all;
}

/* Keeps `window` sorted: one value leaves, one comes. */
static void window_remove(double *window, uint32_t *count, double value)
{
	uint32_t at = 0;

	while (at + 1 < *count && window[at] != value)
		at++;
	memmove(&window[at], &window[at + 1], (*count - at - 1) * sizeof(window[0]));
	(*count)--;
}

static void window_insert(double *window, uint32_t *count, double value)
{
	uint32_t at = *count;

	while (at > 0 && window[at - 1] > value) {
		window[at] = window[at - 1];
		at--;
	}
	window[at] = value;
	(*count)++;
}

int numbers_running_median(const double *y, uint32_t n, uint32_t width, double *out)
{
	const uint32_t half = width / 2;
	double *window = malloc((width + 1) * sizeof(*window));
	uint32_t count = 0;

	if (!window)
		return -ENOMEM;
	for (uint32_t i = 0; i < half && i < n; i++)
		window_insert(window, &count, y[i]);
	for (uint32_t i = 0; i < n; i++) {
		if (i + half < n)
			window_insert(window, &count, y[i + half]);
		if (i > half)
			window_remove(window, &count, y[i - half - 1]);
		out[i] = count % 2 ? window[count / 2] : (window[count / 2 - 1] + window[count / 2]) / 2;
	}
	free(window);
	return 0;
}

struct line numbers_fit(const double *y, uint32_t n)
{
	struct line line = { .mean_x = (n - 1) / 2.0, .mean_y = numbers_mean(y, n) };
	double sxy = 0;

	for (uint32_t i = 0; i < n; i++) {
		line.sxx += (i - line.mean_x) * (i - line.mean_x);
		sxy += (i - line.mean_x) * (y[i] - line.mean_y);
	}
	line.slope = line.sxx > 0 ? sxy / line.sxx : 0;
	for (uint32_t i = 0; i < n; i++) {
		const double off = y[i] - line.mean_y - line.slope * (i - line.mean_x);

		line.rss += off * off;
	}
	return line;
}
