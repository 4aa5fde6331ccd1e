/* confidence: how sure a percentile or a count is, and when there are too few samples to print one.
 *
 * Percentiles are order statistics, so their intervals need no distribution: the interval [X_(low),
 * X_(high)] covers the p-quantile with the probability that a binomial(n, p) lies in low .. high - 1 (David
 * & Nagaraja, Order Statistics, 7.1). Pure functions. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* What was watched for less says nothing of an hour: a count is told alone, and no rate. */
#define CONFIDENCE_HOURS_MIN (1.0 / 6)

/* Ranks (1 .. n, for histogram_rank_value) of the two-sided 95 % interval of the p-quantile, 0 < p < 1. 0,
 * or -ERANGE when n is too small for both ends to lie inside the sample (above: p^n > 0.025). */
int confidence_ranks(uint64_t n, double p, uint64_t *ret_low, uint64_t *ret_high);
/* The same at another confidence, 0 < level < 1. */
int confidence_ranks_at(uint64_t n, double p, double level, uint64_t *ret_low, uint64_t *ret_high);

/* Exact probability that [X_(low), X_(high)] covers the p-quantile of n independent samples. */
double confidence_coverage(uint64_t n, double p, uint64_t low, uint64_t high);

/* Whether a percentile may be printed (E = samples expected beyond it). */
enum confidence_grade {
	CONFIDENCE_REFUSED,	/* E < 3.69: no interval inside the sample; say how many more are needed */
	CONFIDENCE_FEW,		/* 3.69 <= E < 10: in grey, "few events" */
	CONFIDENCE_GOOD,	/* E >= 10 */
};
struct percentile_confidence {
	enum confidence_grade grade;
	double expected;	/* E */
	uint64_t needs;		/* REFUSED: so many more samples; else 0 */
	bool bounded;		/* low_rank and high_rank are set */
	uint64_t low_rank, high_rank;
};
/* Samples that are independent; for others analyze/effective.h. */
struct percentile_confidence confidence_percentile(uint64_t n, double p);
/* Smallest n that carries a two-sided 95 % interval of the p-quantile: ln 0.025 / ln p (for the thinner
 * side). */
uint64_t confidence_needed(double p);

struct bounds {
	double low, high;
};
/* Rate of a Poisson process of which `count` events were seen in `exposure` (Garwood 1936): two-sided 95 %,
 * by chi-square quantiles. For count 0 low is 0 and high is the one-sided 95 % bound -ln 0.05 / exposure
 * ("rule of three"). */
struct bounds confidence_poisson_rate(uint64_t count, double exposure);
/* Upper 95 % bound of the probability of what was never seen in n trials (or the rate in n units of time):
 * 3.0 / n. */
double confidence_never_seen(double n);
