/* report_latency: one latency histogram as it is told: exact moments, and percentiles that the sample count
 * can carry.
 *
 * Percentiles are nearest rank with a distribution-free 95 % interval (analyze/confidence.h). With
 * E = n * (1 - p) samples expected beyond: E >= 10 printed; 3.69 <= E < 10 printed as FEW; below that not printed, and
 * `needs` says how many samples are missing. The same holds for low percentiles with E = n * p. The median is
 * printed from three samples on (as FEW), with an interval as soon as one exists: of four reads of 30 s each
 * it is fair to say that half took 30 s. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "measure/histogram.h"

#define REPORT_PERCENTILES 12
extern const double report_percentiles[REPORT_PERCENTILES];	/* in percent: 1 ... 99.9999, rising */

enum report_grade { REPORT_REFUSED, REPORT_FEW, REPORT_GOOD };

struct report_percentile {
	double percent;
	enum report_grade grade;
	uint64_t value_ns;
	bool bounded;			/* low and high exist */
	uint64_t low_ns, high_ns;
	uint64_t needs;			/* samples missing; 0 unless refused */
};

struct report_latency {
	const struct histogram *histogram;	/* borrowed; NULL = absent (closed loop) */
	uint64_t n;
	uint64_t min_ns, max_ns;		/* 0 when n == 0 */
	double mean_ns, stddev_ns;		/* NaN when n == 0 */
	struct report_percentile percentile[REPORT_PERCENTILES];
};

void report_latency_init(struct report_latency *latency, const struct histogram *histogram);
/* The entry of report_percentiles, or NULL. */
const struct report_percentile *report_latency_at(const struct report_latency *latency, double percent);
/* Any percentile of a histogram, 0 < percent < 100. */
struct report_percentile report_percentile_of(const struct histogram *histogram, double percent);
