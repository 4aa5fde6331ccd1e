#include "report/latency.h"

#include <math.h>
#include "analyze/confidence.h"
#include "analyze/effective.h"

const double report_percentiles[REPORT_PERCENTILES] = {
	1, 5, 10, 50, 90, 95, 99, 99.5, 99.9, 99.99, 99.999, 99.9999,
};

#define MEDIAN_SAMPLES 3u

static enum report_grade grade_of(enum confidence_grade grade)
{
	return grade == CONFIDENCE_GOOD ? REPORT_GOOD : grade == CONFIDENCE_FEW ? REPORT_FEW : REPORT_REFUSED;
}

struct report_percentile report_percentile_of(const struct histogram *histogram, double percent,
					      double effective)
{
	uint64_t n = histogram->moments.n;
	struct percentile_confidence confidence = effective_percentile(n, effective, percent / 100);
	struct report_percentile percentile = { .percent = percent, .grade = grade_of(confidence.grade),
						.effective = effective < (double)n ? effective : (double)n };

	if (percentile.grade == REPORT_REFUSED && percent == 50 && n >= MEDIAN_SAMPLES)
		percentile.grade = REPORT_FEW;
	if (percentile.grade == REPORT_REFUSED) {
		percentile.needs = percent == 50 ? MEDIAN_SAMPLES - n : confidence.needs;
		percentile.of_step = confidence_percentile(n, percent / 100).grade == CONFIDENCE_GOOD;
		percentile.value_ns = percentile.of_step ? histogram_percentile(histogram, percent / 100) : 0;
		return percentile;
	}
	percentile.value_ns = histogram_percentile(histogram, percent / 100);
	percentile.bounded = confidence.bounded;
	if (confidence.bounded) {
		percentile.low_ns = histogram_rank_value(histogram, confidence.low_rank);
		percentile.high_ns = histogram_rank_value(histogram, confidence.high_rank);
	}
	return percentile;
}

void report_percentile_values(const struct histogram *histogram, uint64_t value_ns[REPORT_PERCENTILES])
{
	for (int i = 0; i < REPORT_PERCENTILES; i++)
		value_ns[i] = histogram_percentile(histogram, report_percentiles[i] / 100);
}

void report_latency_init(struct report_latency *latency, const struct histogram *histogram,
			 const struct spread *spread)
{
	*latency = (struct report_latency){ .histogram = histogram, .mean_ns = NAN, .stddev_ns = NAN };
	if (!histogram)
		return;
	latency->n = histogram->moments.n;
	for (uint32_t i = 0; i < REPORT_PERCENTILES; i++)
		latency->percentile[i] =
			report_percentile_of(histogram, report_percentiles[i],
					     spread ? spread_effective(spread, i, latency->n) : NAN);
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
