#include <errno.h>
#include <math.h>
#include <gsl/gsl_cdf.h>
#include "analyze/confidence.h"

#define EXPECTED_GOOD 10.0
#define NORMAL_FROM 1e6			/* expected count from which the normal law is exact enough */

/* Which counts of a binomial(n, share) are improbably low or high. */
struct tails {
	int64_t low;			/* largest i with P(B <= i) <= tail; -1 = none */
	uint64_t high;			/* smallest j with P(B >= j) <= tail; n + 1 = none */
};

static double log_binomial_mass(double n, double share, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(share) + (n - k) * log1p(-share);
}

/* Binomial masses from k on, by the ratio of neighbours. */
struct mass {
	double n, odds, k, value;
};

static struct mass mass_at(uint64_t n, double share, uint64_t k)
{
	return (struct mass){ .n = (double)n, .odds = share / (1 - share), .k = (double)k,
			      .value = exp(log_binomial_mass((double)n, share, (double)k)) };
}

static void mass_up(struct mass *mass)
{
	mass->value *= (mass->n - mass->k) / (mass->k + 1) * mass->odds;
	mass->k++;
}

static void mass_down(struct mass *mass)
{
	mass->value *= mass->k / ((mass->n - mass->k + 1) * mass->odds);
	mass->k--;
}

/* Far enough out that what lies beyond does not count. */
static double reach(uint64_t n, double share)
{
	return 12 * sqrt((double)n * share * (1 - share)) + 60;
}

static int64_t low_tail(uint64_t n, double share, double tail)
{
	const double start = floor((double)n * share - reach(n, share));
	struct mass mass = mass_at(n, share, start > 0 ? (uint64_t)start : 0);
	double sum = mass.value;

	while (sum <= tail && mass.k < mass.n) {
		mass_up(&mass);
		sum += mass.value;
	}
	return (int64_t)mass.k - 1;		/* the one that went over does not belong to it */
}

static uint64_t high_tail(uint64_t n, double share, double tail)
{
	const double start = ceil((double)n * share + reach(n, share));
	struct mass mass = mass_at(n, share, start < (double)n ? (uint64_t)start : n);
	double sum = mass.value;

	while (sum <= tail && mass.k > 0) {
		mass_down(&mass);
		sum += mass.value;
	}
	return (uint64_t)mass.k + 1;
}

static struct tails binomial_tails(uint64_t n, double share, double tail)
{
	const double mean = (double)n * share;
	double z;

	if (mean < NORMAL_FROM)
		return (struct tails){ low_tail(n, share, tail), high_tail(n, share, tail) };
	z = gsl_cdf_ugaussian_Qinv(tail) * sqrt(mean * (1 - share));
	return (struct tails){ (int64_t)floor(mean - z - 0.5), (uint64_t)ceil(mean + z + 0.5) };
}

int confidence_ranks_at(uint64_t n, double p, double level, uint64_t *ret_low, uint64_t *ret_high)
{
	const double tail = (1 - level) / 2;
	uint64_t low, high;
	struct tails tails;

	if (n == 0 || !(p > 0) || !(p < 1))
		return -ERANGE;
	tails = binomial_tails(n, p > 0.5 ? 1 - p : p, tail);
	if (tails.low < 0 || tails.high > n)
		return -ERANGE;
	if (p > 0.5) {		/* counted from the top */
		low = n - tails.high + 1;
		high = n - (uint64_t)tails.low;
	} else {
		low = (uint64_t)tails.low + 1;
		high = tails.high;
	}
	*ret_low = low;
	*ret_high = high;
	return 0;
}

int confidence_ranks(uint64_t n, double p, uint64_t *ret_low, uint64_t *ret_high)
{
	return confidence_ranks_at(n, p, 0.95, ret_low, ret_high);
}

double confidence_coverage(uint64_t n, double p, uint64_t low, uint64_t high)
{
	struct mass mass = mass_at(n, p, low);
	double sum = 0;

	for (uint64_t k = low; k < high; k++) {
		sum += mass.value;
		mass_up(&mass);
	}
	return sum;
}

uint64_t confidence_needed(double p)
{
	return (uint64_t)ceil(log(0.025) / log(p > 0.5 ? p : 1 - p));
}

struct percentile_confidence confidence_percentile(uint64_t n, double p)
{
	const uint64_t needed = confidence_needed(p);
	struct percentile_confidence confidence = { .expected = (double)n * (p > 0.5 ? 1 - p : p) };

	confidence.bounded = confidence_ranks(n, p, &confidence.low_rank, &confidence.high_rank) == 0;
	if (!confidence.bounded || confidence.expected < -log(0.025)) {
		confidence.grade = CONFIDENCE_REFUSED;
		confidence.needs = needed > n ? needed - n : 1;
	} else {
		confidence.grade = confidence.expected < EXPECTED_GOOD ? CONFIDENCE_FEW : CONFIDENCE_GOOD;
	}
	return confidence;
}

struct bounds confidence_poisson_rate(uint64_t count, double exposure)
{
	if (count == 0)
		return (struct bounds){ 0, confidence_never_seen(exposure) };
	return (struct bounds){
		gsl_cdf_chisq_Pinv(0.025, 2.0 * (double)count) / 2 / exposure,
		gsl_cdf_chisq_Pinv(0.975, 2.0 * (double)count + 2) / 2 / exposure,
	};
}

double confidence_never_seen(double n)
{
	return -log(0.05) / n;
}
