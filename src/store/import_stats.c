/* A latency object of fio: {"min", "max", "mean", "stddev", "N", "percentile": {...}, "bins": {...}}. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"
#include "store/import_inside.h"

struct summary {
	double min, max, mean, stddev;		/* ns */
	bool has_count;
	uint64_t count;
};

struct point {
	double p;		/* 0..1 */
	uint64_t ns;
};
#define POINTS_MAX 64

struct source {
	struct import *import;
	const char *path, *what;
	json_t *object;
	uint64_t unit_ns;
};

static int read_number(const struct source *source, const char *key, double *ret_value)
{
	json_t *value = json_object_get(source->object, key);
	double number = json_is_null(value) ? NAN : json_number_value(value);

	if (!json_is_number(value) && !json_is_null(value))
		return import_refuse(source->import, source->path, 0, "%s: \"%s\" is missing or no number",
				     source->what, key);
	if (number < 0)
		return import_refuse(source->import, source->path, 0, "%s: \"%s\" is negative", source->what,
				     key);
	*ret_value = number;
	return 0;
}

static int read_summary(const struct source *source, struct summary *summary)
{
	double unit = (double)source->unit_ns;
	json_t *count = json_object_get(source->object, "N");
	int result = read_number(source, "min", &summary->min);

	if (result == 0)
		result = read_number(source, "max", &summary->max);
	if (result == 0)
		result = read_number(source, "mean", &summary->mean);
	if (result == 0)
		result = read_number(source, "stddev", &summary->stddev);
	if (result < 0)
		return result;
	if (isnan(summary->min) || isnan(summary->max) || isnan(summary->mean))
		summary->min = summary->max = summary->mean = 0;	/* as when nothing was timed */
	if (isnan(summary->stddev))
		summary->stddev = 0;
	summary->min *= unit;
	summary->max *= unit;
	summary->mean *= unit;
	summary->stddev *= unit;
	summary->has_count = json_is_integer(count) && json_integer_value(count) >= 0;
	summary->count = summary->has_count ? (uint64_t)json_integer_value(count) : 0;
	if (!(summary->max < 9e18))
		return import_refuse(source->import, source->path, 0, "%s: a maximum that cannot be",
				     source->what);
	if (summary->min > summary->max || summary->mean < summary->min * 0.99 ||
	    summary->mean > summary->max * 1.01 + unit)
		return import_refuse(source->import, source->path, 0,
				     "%s: min, mean and max contradict each other", source->what);
	return 0;
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	return value < low ? low : value > high ? high : value;
}

/* -- json+: all buckets -- */

/* fio 3.x names a bucket by its value in ns, 2.x by its number (and counts in us). */
static int bin_value(const struct source *source, bool numbered, const char *key, uint64_t *ret_ns)
{
	uint64_t number;

	if (u64_parse(key, &number) < 0 || number >= INT64_MAX)
		return import_refuse(source->import, source->path, 0, "%s: a bin called \"%s\"", source->what,
				     key);
	if (numbered && number >= 1856)
		return import_refuse(source->import, source->path, 0,
				     "%s: a bin number %s that fio doesn't have", source->what, key);
	*ret_ns = numbered ? import_bin_middle((uint32_t)number, 1) * source->unit_ns : number;
	return 0;
}

static int read_bins(const struct source *source, json_t *bins, const struct summary *summary,
		     struct op_tally *op)
{
	bool numbered = source->unit_ns != 1 || json_object_get(bins, "FIO_IO_U_PLAT_NR");
	const char *key;
	json_t *value;

	json_object_foreach(bins, key, value) {
		json_int_t count = json_integer_value(value);
		uint64_t ns = 0;
		int result;

		if (strncmp(key, "FIO_", 4) == 0 || count == 0)
			continue;
		if (count < 0 || count > (json_int_t)1 << 48)
			return import_refuse(source->import, source->path, 0,
					     "%s: an impossible count in bin %s", source->what, key);
		result = bin_value(source, numbered, key, &ns);
		if (result < 0)
			return result;
		import_add_slot(op, clamp(ns, (uint64_t)summary->min, (uint64_t)summary->max),
				(uint64_t)count);
	}
	return 0;
}

/* -- percentiles only -- */

static int compare_points(const void *a, const void *b)
{
	const struct point *left = a, *right = b;

	return left->p < right->p ? -1 : left->p > right->p;
}

static int read_points(const struct source *source, json_t *percentiles, struct point *points,
		       uint32_t *ret_count)
{
	uint32_t count = 0;
	const char *key;
	json_t *value;

	json_object_foreach(percentiles, key, value) {
		double p, ns = json_number_value(value);

		if (double_parse(key, &p) < 0 || !(ns >= 0) || !(ns < 9e15))
			return import_refuse(source->import, source->path, 0,
					     "%s: percentile \"%s\" makes no sense", source->what, key);
		if (p > 0 && p <= 100 && count < POINTS_MAX)
			points[count++] = (struct point){ p / 100, (uint64_t)ns * source->unit_ns };
	}
	qsort(points, count, sizeof(*points), compare_points);
	for (uint32_t i = 1; i < count; i++)
		if (points[i].ns < points[i - 1].ns)
			return import_refuse(source->import, source->path, 0, "%s: percentiles that fall",
					     source->what);
	*ret_count = count;
	return 0;
}

/* Every I/O up to a percentile gets its value, what is above the last one the maximum: then the percentiles
 * that fio printed come out again, and none between them is better than it was. */
static void spread_points(const struct point *points, uint32_t count, const struct summary *summary,
			  uint64_t n, struct op_tally *op)
{
	uint64_t given = 1, low = (uint64_t)summary->min, high = (uint64_t)summary->max;

	import_add_slot(op, low, 1);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t until = (uint64_t)ceil(points[i].p * (double)n - 1e-9);

		until = until < n ? until : n - 1;
		if (until <= given)
			continue;
		import_add_slot(op, clamp(points[i].ns, low, high), until - given);
		given = until;
	}
	if (given < n)
		import_add_slot(op, high, n - given);
}

/* Without the percentiles that everybody looks at. */
static bool points_coarse(const struct point *points, uint32_t count)
{
	static const double usual[] = { 0.5, 0.99, 0.999 };
	uint32_t found = 0;

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		for (uint32_t j = 0; j < count; j++)
			found += fabs(points[j].p - usual[i]) < 1e-9;
	return found < sizeof(usual) / sizeof(usual[0]);
}

static int rebuild(const struct source *source, json_t *percentiles, const struct summary *summary,
		   uint64_t n, struct op_tally *op, bool *ret_coarse)
{
	struct point points[POINTS_MAX];
	uint32_t count = 0;
	int result = read_points(source, percentiles, points, &count);

	if (result == 0) {
		spread_points(points, count, summary, n, op);
		*ret_coarse = points_coarse(points, count);
	}
	return result;
}

static void set_moments(const struct summary *summary, struct moments *moments)
{
	double n = (double)moments->n;

	moments->min_ns = (uint64_t)summary->min;
	moments->max_ns = (uint64_t)summary->max;
	moments->sum_ns = (uint64_t)(summary->mean * n + 0.5);
	moments->sum_squares_ns2 =
		(unsigned __int128)((summary->stddev * summary->stddev + summary->mean * summary->mean) * n);
}

static int check_counts(const struct source *source, const struct summary *summary, uint64_t ios, uint64_t n)
{
	if (summary->has_count && n != summary->count)
		return import_refuse(source->import, source->path, 0,
				     "%s: the bins hold %llu I/Os but N is %llu", source->what,
				     (unsigned long long)n, (unsigned long long)summary->count);
	if (n >
	    ios + ios / 100 + 1024) /* those in flight at the end, and of a ramp, are timed but not counted */
		return import_refuse(source->import, source->path, 0, "%s: %llu latencies of %llu I/Os",
				     source->what, (unsigned long long)n, (unsigned long long)ios);
	if (!(summary->mean * (double)n < 9e18) ||
	    !((summary->stddev * summary->stddev + summary->mean * summary->mean) * (double)n < 1e38))
		return import_refuse(source->import, source->path, 0,
				     "%s: a mean or deviation that cannot be", source->what);
	return 0;
}

int import_latency_read(struct import *import, const char *path, const char *what, json_t *object,
			uint64_t unit_ns, struct op_tally *op, struct import_latency *ret_latency)
{
	struct source source = { import, path, what, object, unit_ns };
	json_t *bins = json_object_get(object, "bins"), *percentiles = json_object_get(object, "percentile");
	struct import_latency latency = { 0 };
	struct summary summary;
	int result = read_summary(&source, &summary);

	if (result < 0)
		return result;
	if (op->ios == 0 || summary.max == 0) {
		*ret_latency = latency;		/* latencies were not recorded */
		return 0;
	}
	latency.n = summary.has_count ? summary.count : op->ios;
	result = check_counts(&source, &summary, op->ios, latency.n);
	if (result == 0 && json_object_size(bins) > 0) {
		result = read_bins(&source, bins, &summary, op);
		if (result == 0)
			result = check_counts(&source, &summary, op->ios, op->service.moments.n);
	} else if (result == 0 && json_object_size(percentiles) > 0 && latency.n > 0) {
		latency.rebuilt = true;
		result = rebuild(&source, percentiles, &summary, latency.n, op, &latency.coarse);
	} else {
		latency.summary_only = true;
	}
	if (result < 0)
		return result;
	latency.n = op->service.moments.n;
	if (latency.n > 0)
		set_moments(&summary, &op->service.moments);
	*ret_latency = latency;
	return 0;
}
