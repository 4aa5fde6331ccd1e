#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "analyze/numbers.h"
#include "analyze/ratio.h"

#define TAIL 0.025
#define POWER_FACTOR 2.8	/* 1.96 + 0.84: 95 % confidence, 80 % power */

const char *ratio_verdict_name(enum ratio_verdict verdict)
{
	static const char *const names[] = { "cannot_tell", "same", "faster", "slower" };

	return names[verdict];
}

/* Shares of all orders by U, built up by one element of the first sample after the other: the coefficients
 * of the Gaussian binomial, prod (1 - x^(m + i)) / (1 - x^i). */
static double *mann_whitney_shares(uint32_t n, uint32_t m)
{
	const uint32_t size = n * m + 1;
	double *share = calloc(size, sizeof(*share));

	if (!share)
		return NULL;
	share[0] = 1;
	for (uint32_t i = 1; i <= n; i++) {
		for (uint32_t u = size; u-- > m + i;)
			share[u] -= share[u - m - i];
		for (uint32_t u = i; u < size; u++)
			share[u] += share[u - i];
		/* of (m + i over i) orders now: keeps numbers small */
		for (uint32_t u = 0; u < size; u++)
			share[u] *= (double)i / (m + i);
	}
	return share;
}

double mann_whitney_cdf(uint32_t n, uint32_t m, uint32_t u)
{
	double *share = mann_whitney_shares(n, m), sum = 0;

	if (!share)
		return NAN;
	for (uint32_t i = 0; i <= u && i <= n * m; i++)
		sum += share[i];
	free(share);
	return fmin(sum, 1);
}

/* -- one comparison -- */

struct pairs {
	uint32_t count;
	double *log_ratio;		/* of each b to each a, ascending */
	double p;
};

static double two_sided_p(const struct pairs *pairs, uint32_t n, uint32_t m)
{
	double wins = 0, u;

	for (uint32_t i = 0; i < pairs->count; i++)
		wins += pairs->log_ratio[i] > 0 ? 1 : pairs->log_ratio[i] == 0 ? 0.5 : 0;
	u = fmin(wins, pairs->count - wins);
	return fmin(1, 2 * mann_whitney_cdf(n, m, (uint32_t)floor(u + 0.5)));
}

/* Largest k with P(U <= k - 1) <= 2.5 %: the interval is [D_(k), D_(count + 1 - k)]. 0 = none. */
static uint32_t interval_rank(uint32_t n, uint32_t m, double *ret_confidence)
{
	double *share = mann_whitney_shares(n, m), sum = 0;
	uint32_t k = 0;

	if (!share)
		return 0;
	while (sum + share[k] <= TAIL)
		sum += share[k++];
	free(share);
	*ret_confidence = 1 - 2 * sum;
	return k;
}

static double log_variation(const double *y, uint32_t n)
{
	double sum = 0, squares = 0;

	for (uint32_t i = 0; i < n; i++) {
		sum += log(y[i]);
		squares += log(y[i]) * log(y[i]);
	}
	return n > 1 ? fmax(0, squares - sum * sum / n) / (n - 1) : 0;
}

static uint32_t runs_needed(const double *a, uint32_t a_count, const double *b, uint32_t b_count,
			    double margin)
{
	const double variance = (log_variation(a, a_count) + log_variation(b, b_count)) / 2;
	const double scaled = POWER_FACTOR / log(1 + margin);
	const double runs = ceil(2 * variance * scaled * scaled);

	if (a_count < 2 || b_count < 2)
		return 0;
	return runs < RATIO_RUNS_MIN ? RATIO_RUNS_MIN : runs > 1e6 ? 1000000 : (uint32_t)runs;
}

static enum ratio_verdict judge(const struct ratio *ratio, double margin, bool bigger_is_better)
{
	enum ratio_verdict up = bigger_is_better ? RATIO_FASTER : RATIO_SLOWER;
	enum ratio_verdict down = bigger_is_better ? RATIO_SLOWER : RATIO_FASTER;

	if (isnan(ratio->low))
		return RATIO_CANNOT_TELL;
	if (ratio->low > 1 && ratio->ratio > 1 + margin)
		return up;
	if (ratio->high < 1 && ratio->ratio < 1 / (1 + margin))
		return down;
	if (ratio->low > 1 / (1 + margin) && ratio->high < 1 + margin)
		return RATIO_SAME;
	return RATIO_CANNOT_TELL;
}

static bool one_sided(const struct pairs *pairs, double ratio, double margin)
{
	return (pairs->log_ratio[0] > 0 && ratio > 1 + margin) ||
	       (pairs->log_ratio[pairs->count - 1] < 0 && ratio < 1 / (1 + margin));
}

static void compare(const struct pairs *pairs, uint32_t n, uint32_t m, double margin, struct ratio *ratio)
{
	const uint32_t count = pairs->count;
	uint32_t k = 0;

	ratio->ratio = exp(count % 2 ? pairs->log_ratio[count / 2]
				     : (pairs->log_ratio[count / 2 - 1] + pairs->log_ratio[count / 2]) / 2);
	ratio->p = two_sided_p(pairs, n, m);
	if (n >= RATIO_RUNS_MIN && m >= RATIO_RUNS_MIN)
		k = interval_rank(n, m, &ratio->confidence);
	if (k > 0) {
		ratio->low = exp(pairs->log_ratio[k - 1]);
		ratio->high = exp(pairs->log_ratio[count - k]);
	} else {
		ratio->indicative = one_sided(pairs, ratio->ratio, margin);
	}
}

static bool is_valid(const double *y, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!(y[i] > 0) || !isfinite(y[i]))
			return false;
	return n > 0 && n <= RATIO_RUNS_MAX;
}

int ratio_compare(const double *a, uint32_t a_count, const double *b, uint32_t b_count, double margin,
		  bool bigger_is_better, struct ratio *ret_ratio)
{
	struct ratio ratio = { .low = NAN, .high = NAN, .confidence = NAN };
	struct pairs pairs = { 0 };

	if (!is_valid(a, a_count) || !is_valid(b, b_count))
		return -EINVAL;
	pairs.log_ratio = malloc((size_t)a_count * b_count * sizeof(*pairs.log_ratio));
	if (!pairs.log_ratio)
		return -ENOMEM;
	for (uint32_t i = 0; i < a_count; i++)
		for (uint32_t j = 0; j < b_count; j++)
			pairs.log_ratio[pairs.count++] = log(b[j] / a[i]);
	numbers_sort(pairs.log_ratio, pairs.count);
	compare(&pairs, a_count, b_count, margin, &ratio);
	free(pairs.log_ratio);
	if (isnan(ratio.p))
		return -ENOMEM;
	ratio.verdict = judge(&ratio, margin, bigger_is_better);
	if (ratio.verdict == RATIO_CANNOT_TELL)
		ratio.needs_runs = runs_needed(a, a_count, b, b_count, margin);
	*ret_ratio = ratio;
	return 0;
}

void holm_adjust(double *p, uint32_t count)
{
	double floor = 0;

	/* smallest one left x how many are left, never below an earlier one; done ones are kept negative */
	for (uint32_t left = count; left > 0; left--) {
		uint32_t least = UINT32_MAX;

		for (uint32_t i = 0; i < count; i++)
			if (p[i] >= 0 && (least == UINT32_MAX || p[i] < p[least]))
				least = i;
		floor = fmax(floor, fmin(1, p[least] * left));
		p[least] = -floor - 1;
	}
	for (uint32_t i = 0; i < count; i++)
		p[i] = -p[i] - 1;
}

int ratio_judge_together(struct ratio *ratios, uint32_t count)
{
	double *p = malloc((count + 1) * sizeof(*p));

	if (!p)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		p[i] = ratios[i].p;
	holm_adjust(p, count);
	for (uint32_t i = 0; i < count; i++) {
		ratios[i].p = p[i];
		if ((ratios[i].verdict == RATIO_FASTER || ratios[i].verdict == RATIO_SLOWER) &&
		    p[i] > 2 * TAIL)
			ratios[i].verdict = RATIO_CANNOT_TELL;
	}
	free(p);
	return 0;
}
