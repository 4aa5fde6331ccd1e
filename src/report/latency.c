#include "report/latency.h"

#include <math.h>
#include <string.h>
#include "analyze/confidence.h"

const double report_percentiles[REPORT_PERCENTILES] = {
	1, 5, 10, 50, 90, 95, 99, 99.5, 99.9, 99.99, 99.999, 99.9999,
};

#define EXPECTED_GOOD 10.0	/* samples beyond, to print without a mark */
#define EXPECTED_FEW 3.69	/* ln(1 / 0.025): a two-sided 95 % interval inside the sample exists */
#define MEDIAN_SAMPLES 3u

/* Share of the samples that lie beyond a percentile, on its thin side. */
static double tail_share(double share)
{
	return share < 0.5 ? share : 1 - share;
}

static enum report_grade grade_of(double share, uint64_t n)
{
	double expected = (double)n * tail_share(share) * (1 + 1e-9);

	if (expected >= EXPECTED_GOOD)
		return REPORT_GOOD;
	if (expected >= EXPECTED_FEW || (share == 0.5 && n >= MEDIAN_SAMPLES))
		return REPORT_FEW;
	return REPORT_REFUSED;
}

static uint64_t needed(double share, uint64_t n)
{
	uint64_t enough = share == 0.5 ? MEDIAN_SAMPLES : (uint64_t)ceil(EXPECTED_FEW / tail_share(share) - 1e-6);

	return enough > n ? enough - n : 1;
}

struct report_percentile report_percentile_of(const struct histogram *histogram, double percent)
{
	struct report_percentile percentile = { .percent = percent };
	uint64_t n = histogram->moments.n, low, high;
	double share = percent / 100;

	percentile.grade = grade_of(share, n);
	if (percentile.grade == REPORT_REFUSED) {
		percentile.needs = needed(share, n);
		return percentile;
	}
	percentile.value_ns = histogram_percentile(histogram, share);
	if (confidence_ranks(n, share, &low, &high) == 0) {
		percentile.bounded = true;
		percentile.low_ns = histogram_rank_value(histogram, low);
		percentile.high_ns = histogram_rank_value(histogram, high);
	}
	return percentile;
}

void report_latency_init(struct report_latency *latency, const struct histogram *histogram)
{
	*latency = (struct report_latency){ .histogram = histogram, .mean_ns = NAN, .stddev_ns = NAN };
	if (!histogram)
		return;
	latency->n = histogram->moments.n;
	for (int i = 0; i < REPORT_PERCENTILES; i++)
		latency->percentile[i] = report_percentile_of(histogram, report_percentiles[i]);
	if (!latency->n)
		return;
	latency->min_ns = histogram->moments.min_ns;
	latency->max_ns = histogram->moments.max_ns;
	latency->mean_ns = histogram_mean_ns(histogram);
	latency->stddev_ns = histogram_stddev_ns(histogram);
}

const struct report_percentile *report_latency_at(const struct report_latency *latency, double percent)
{
	for (int i = 0; i < REPORT_PERCENTILES; i++)
		if (latency->percentile[i].percent == percent)
			return &latency->percentile[i];
	return NULL;
}
