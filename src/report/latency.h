/* report_latency: one latency histogram as it is told: exact moments, and percentiles that the sample count
 * can carry.
 *
 * Percentiles are nearest rank with a distribution-free 95 % interval (analyze/confidence.h). Slow I/Os come
 * together, so the I/Os count for as many independent ones as they are worth (analyze/spread.h). With E =
 * that many * (1 - p) expected beyond: E >= 10 printed; 3.69 <= E < 10 printed as FEW; below that not
 * printed, and `needs` says how many I/Os are missing. The same holds for low percentiles with E = n * p.
 * Where the I/Os themselves would be enough (E >= 10 with n) and only come too unevenly in time, as in a step
 * in which the drive changed its state, the value is told as `of_step`: true of these I/Os, not a property of
 * the drive. The median is printed from three samples on (as FEW), with an interval as soon as one exists: of
 * four reads of 30 s each it is fair to say that half took 30 s. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "analyze/spread.h"
#include "measure/histogram.h"

#define REPORT_PERCENTILES 12
extern const double report_percentiles[REPORT_PERCENTILES];	/* in percent: 1 ... 99.9999, rising */

enum report_grade { REPORT_REFUSED, REPORT_FEW, REPORT_GOOD };

struct report_percentile {
	double percent;
	enum report_grade grade;
	bool of_step;			/* refused, and value_ns is that of these I/Os alone */
	uint64_t value_ns;		/* 0 when refused, unless of_step */
	bool bounded;			/* low and high exist */
	uint64_t low_ns, high_ns;
	uint64_t needs;			/* samples missing; 0 unless refused */
	/* independent samples that those around it are worth, 1 .. n; 0 when n == 0 */
	double effective;
};

struct report_latency {
	const struct histogram *histogram;	/* borrowed; NULL = absent (closed loop) */
	uint64_t n;
	uint64_t min_ns, max_ns;		/* 0 when n == 0 */
	double mean_ns, stddev_ns;		/* NaN when n == 0 */
	struct report_percentile percentile[REPORT_PERCENTILES];
};

/* The values of report_percentiles in a histogram, for a spread. */
void report_percentile_values(const struct histogram *histogram, uint64_t value_ns[REPORT_PERCENTILES]);
/* `spread` over time of those values; NULL: the I/Os are taken as independent. */
void report_latency_init(struct report_latency *latency, const struct histogram *histogram,
			 const struct spread *spread);
/* The entry of report_percentiles, or NULL. */
const struct report_percentile *report_latency_at(const struct report_latency *latency, double percent);
/* Any percentile of a histogram, 0 < percent < 100; effective: see there, NaN = as many as there are. */
struct report_percentile report_percentile_of(const struct histogram *histogram, double percent,
					      double effective);
