/* numbers: the few statistics of plain arrays that the rest of this room shares. Pure functions; NaN for
 * empty input. */
#pragma once
#include <stdint.h>

double numbers_mean(const double *y, uint32_t n);
double numbers_variance(const double *y, uint32_t n);	/* of the sample, n - 1; NaN below 2 */
/* Sort a copy first: these take ascending arrays. Nearest rank, as for latencies: X_(ceil(p * n)). */
double numbers_sorted_quantile(const double *sorted, uint32_t n, double p);
void numbers_sort(double *y, uint32_t n);		/* ascending; NaN not allowed */
/* These reorder y. */
double numbers_median_of(double *y, uint32_t n);
/* 1.4826 x median |y - median|: the standard deviation of normal data, deaf to outliers. */
double numbers_robust_deviation(double *y, uint32_t n);
/* Correlation of neighbours; 0 when y is constant or shorter than 3. */
double numbers_lag1(const double *y, uint32_t n);
/* Running median over `width` (odd) neighbours, narrower at the ends; out may not be y. 0 or -ENOMEM. */
int numbers_running_median(const double *y, uint32_t n, uint32_t width, double *out);

struct line {
	double slope, mean_x, mean_y;	/* y = mean_y + slope * (x - mean_x) */
	double sxx, rss;
};
/* Least squares over y at x = 0, 1, 2 ...; n >= 2. */
struct line numbers_fit(const double *y, uint32_t n);
