#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <gsl/gsl_cdf.h>
#include "analyze/numbers.h"
#include "analyze/recovery.h"

#define ENDED_SHARE 0.7
#define GOLDEN 0.6180339887498949

double recovery_amount(const double *amount, const double *duration, uint32_t count)
{
	double first[3], start, total = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < count && n < 3; i++)
		if (duration[i] > 0)
			first[n++] = amount[i] / duration[i];
	start = numbers_median_of(first, n);
	for (uint32_t i = 0; i < count; i++) {
		const bool slow = amount[i] < ENDED_SHARE * start * duration[i];
		const bool stays = i + 1 >= count || amount[i + 1] < ENDED_SHARE * start * duration[i + 1];

		if (slow && stays)
			break;
		total += amount[i];
	}
	return total;
}

/* Adds a burst to its idle time's point, kept ascending; amount and half_width hold sum and sum of squares
 * meanwhile. */
static void point_add(struct recovery *recovery, double idle_s, double amount)
{
	uint32_t at = 0;

	while (at < recovery->point_count && recovery->point[at].idle_s < idle_s)
		at++;
	if (at == recovery->point_count || recovery->point[at].idle_s != idle_s) {
		if (recovery->point_count == RECOVERY_IDLES)
			return;
		memmove(&recovery->point[at + 1], &recovery->point[at],
			(recovery->point_count - at) * sizeof(recovery->point[0]));
		recovery->point[at] = (struct recovery_point){ .idle_s = idle_s };
		recovery->point_count++;
	}
	recovery->point[at].amount += amount;
	recovery->point[at].half_width += amount * amount;
	recovery->point[at].repeats++;
}

static void point_finish(struct recovery_point *point)
{
	const double n = point->repeats, mean = point->amount / n;
	const double variance = fmax(0, point->half_width - n * mean * mean) / (n - 1);

	point->amount = mean;
	point->half_width = n < 2 ? NAN : gsl_cdf_tdist_Pinv(0.975, n - 1) * sqrt(variance / n);
}

/* Best r_inf for a tau, and the sum of squares that it leaves. */
static double fit_at(const struct recovery *recovery, double tau_s, double *ret_infinite)
{
	double xy = 0, xx = 0, rss = 0, infinite;

	for (uint32_t i = 0; i < recovery->point_count; i++) {
		const double x = -expm1(-recovery->point[i].idle_s / tau_s);

		xy += recovery->point[i].repeats * x * recovery->point[i].amount;
		xx += recovery->point[i].repeats * x * x;
	}
	infinite = xx > 0 ? xy / xx : 0;
	for (uint32_t i = 0; i < recovery->point_count; i++) {
		const double x = -expm1(-recovery->point[i].idle_s / tau_s);
		const double off = recovery->point[i].amount - infinite * x;

		rss += recovery->point[i].repeats * off * off;
	}
	*ret_infinite = infinite;
	return rss;
}

/* Golden section over ln tau, around the best of a coarse grid. */
static double best_tau(const struct recovery *recovery, double shortest_s, double longest_s)
{
	double low = log(shortest_s / 20), high = log(longest_s * 20), best = INFINITY, at = low, infinite;
	const double step = (high - low) / 64;

	for (double x = low; x <= high; x += step) {
		const double rss = fit_at(recovery, exp(x), &infinite);

		if (rss < best) {
			best = rss;
			at = x;
		}
	}
	low = at - step;
	high = at + step;
	for (int i = 0; i < 60; i++) {
		const double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);

		if (fit_at(recovery, exp(a), &infinite) < fit_at(recovery, exp(b), &infinite))
			high = b;
		else
			low = a;
	}
	return exp((low + high) / 2);
}

static void fit(struct recovery *recovery, uint32_t count)
{
	double shortest_s = INFINITY, longest_s = 0, largest = 0, rss;

	for (uint32_t i = 0; i < recovery->point_count; i++) {
		const struct recovery_point *point = &recovery->point[i];

		if (point->idle_s > 0)
			shortest_s = fmin(shortest_s, point->idle_s);
		longest_s = fmax(longest_s, point->idle_s);
		largest = fmax(largest, point->amount);
	}
	if (recovery->point_count < 3 || !(largest > 0) || !(longest_s > 0))
		return;
	recovery->tau_s = best_tau(recovery, shortest_s, longest_s);
	rss = fit_at(recovery, recovery->tau_s, &recovery->amount_infinite);
	recovery->rate_initial = recovery->amount_infinite / recovery->tau_s;
	recovery->misfit = sqrt(rss / count) / recovery->amount_infinite;
	recovery->idle_90_s = recovery->tau_s * M_LN10;
}

void recovery_fit(const double *idle_s, const double *amount, uint32_t count, struct recovery *ret_recovery)
{
	struct recovery recovery = {
		.amount_infinite = NAN, .tau_s = NAN, .rate_initial = NAN, .misfit = NAN, .idle_90_s = NAN,
	};

	for (uint32_t i = 0; i < count; i++)
		point_add(&recovery, idle_s[i], amount[i]);
	for (uint32_t i = 0; i < recovery.point_count; i++)
		point_finish(&recovery.point[i]);
	fit(&recovery, count);
	*ret_recovery = recovery;
}
