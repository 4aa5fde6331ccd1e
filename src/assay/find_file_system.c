/* What a file system costs: the same loads on the raw drive and in file systems made on it (vary.fs of a
 * plan), point by point.
 *
 * Rates are compared by the logarithm of their quotient. Its standard error comes from the intervals of both
 * steps, which count as many independent ones as their correlation leaves (effective.h); latencies by the
 * percentiles of all I/Os, without an interval, where they are worth enough independent ones (spread.h). */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/effective.h"
#include "analyze/numbers.h"
#include "assay/finding.h"
#include "assay/tail.h"

#define POINTS_MAX 64u
#define SYSTEMS_MAX 8u
#define INTERVALS_MIN 8u /* for an interval of the ratio */
#define WHOLE 0.9	 /* of an interval's length: shorter ones, the last, are left out */
#define Z95 1.959964

/* I/Os per second of one step, and how sure that is. */
struct rate {
	double mean, relative_error; /* of the mean; NaN: too few intervals */
};

struct point {
	const struct step_record *raw, *made;
	double ratio, low, high; /* of IOPS; low and high NaN when not known */
	double log_variance;	 /* NaN */
	double p99_ratio;	 /* NaN when one has too few I/Os */
};

struct system {
	char name[16];
	uint32_t target, count;
	struct point points[POINTS_MAX];
};

static int rates_read(const struct evidence *evidence, const struct step_record *step, double **ret_rates,
		      uint32_t *ret_count)
{
	struct store_series series;
	uint32_t count = 0;
	int error =
		store_step_series(evidence->store, step->id, STORE_ALL, STORE_ALL, LATENCY_SERVICE, &series);
	double *rates = error ? NULL : calloc(series.count + 1, sizeof(*rates));

	if (error)
		return error;
	for (uint32_t i = 0; rates && i < series.count; i++)
		if (!series.ramp[i] && series.duration_s[i] >= WHOLE * (double)step->interval_ns / 1e9)
			rates[count++] = series.ios[i] / series.duration_s[i];
	store_series_release(&series);
	*ret_rates = rates;
	*ret_count = count;
	return rates ? 0 : -ENOMEM;
}

static int rate_of(const struct evidence *evidence, const struct step_record *step, struct rate *ret_rate)
{
	struct step_sum sum;
	double *rates;
	uint32_t count;
	int error = rates_read(evidence, step, &rates, &count);

	if (error)
		return error;
	step_sum(evidence, step, &sum);
	*ret_rate = (struct rate){ .mean = sum.iops, .relative_error = NAN };
	if (count >= INTERVALS_MIN && sum.iops > 0)
		ret_rate->relative_error =
			sqrt(numbers_variance(rates, count) / effective_count(rates, count)) / sum.iops;
	free(rates);
	return 0;
}

/* All I/Os of a step together: the service time that 1 in 100 exceeds; NaN where they are worth too few to
 * tell. */
static int p99_of(const struct evidence *evidence, const struct step_record *step, double *ret_ns)
{
	struct histogram *all = calloc(1, sizeof(*all));
	uint32_t loads;
	const struct load_record *load = evidence_loads(evidence, step, &loads);
	struct tail_values value = { 1, { 0 } };
	double effective;
	uint64_t n;
	int error;

	if (!all)
		return -ENOMEM;
	histogram_clear(all);
	for (uint32_t i = 0; i < loads; i++)
		for (int op = 0; load[i].total && op < IO_OPS; op++)
			histogram_add(all, &load[i].total->op[op].service);
	n = all->moments.n;
	value.ns[0] = n ? histogram_percentile(all, 0.99) : 0;
	free(all);
	error = tail_effective(evidence, step, STORE_ALL, STORE_ALL, &value, n, &effective);
	if (!error)
		*ret_ns = effective_percentile(n, effective, 0.99).grade == CONFIDENCE_REFUSED
				  ? NAN
				  : (double)value.ns[0];
	return error;
}

static int point_compare(const struct evidence *evidence, struct point *point)
{
	struct rate raw, made;
	double raw_p99, made_p99;
	int error = rate_of(evidence, point->raw, &raw);

	if (!error)
		error = rate_of(evidence, point->made, &made);
	if (!error)
		error = p99_of(evidence, point->raw, &raw_p99);
	if (!error)
		error = p99_of(evidence, point->made, &made_p99);
	if (error)
		return error;
	point->ratio = made.mean / raw.mean;
	point->log_variance =
		raw.relative_error * raw.relative_error + made.relative_error * made.relative_error;
	point->low = point->ratio * exp(-Z95 * sqrt(point->log_variance));
	point->high = point->ratio * exp(Z95 * sqrt(point->log_variance));
	point->p99_ratio = made_p99 / raw_p99;
	return 0;
}

/* -- which steps belong together -- */

static bool same_but_fs(const json_t *a, const json_t *b)
{
	json_t *left = json_copy((json_t *)(uintptr_t)a), *right = json_copy((json_t *)(uintptr_t)b);
	bool same;

	json_object_del(left, "fs");
	json_object_del(right, "fs");
	same = json_equal(left, right);
	json_decref(left);
	json_decref(right);
	return same;
}

static const json_t *values_of(const struct evidence *evidence, const struct step_record *step)
{
	return evidence->values[step - evidence->steps];
}

static uint32_t target_of(const struct evidence *evidence, const struct step_record *step)
{
	uint32_t loads;
	const struct load_record *load = evidence_loads(evidence, step, &loads);

	return loads ? load->target : 0;
}

/* The last time the same point was measured on the raw drive. */
static const struct step_record *raw_twin(const struct evidence *evidence, const struct step_record *step)
{
	const struct step_record *twin = NULL;

	for (uint32_t i = 0; i < evidence->step_count; i++) {
		const struct step_record *other = &evidence->steps[i];

		if (other->plan_step == step->plan_step && !strcmp(step_word(evidence, other, "fs"), "raw") &&
		    step_measured(evidence, other) &&
		    target_of(evidence, other) == target_of(evidence, step) &&
		    other->repeat == step->repeat &&
		    same_but_fs(values_of(evidence, other), values_of(evidence, step)))
			twin = other;
	}
	return twin;
}

static struct system *system_for(struct system *systems, uint32_t *count, const char *name, uint32_t target)
{
	for (uint32_t i = 0; i < *count; i++)
		if (!strcmp(systems[i].name, name) && systems[i].target == target)
			return &systems[i];
	if (*count == SYSTEMS_MAX)
		return NULL;
	systems[*count] = (struct system){ .target = target };
	snprintf(systems[*count].name, sizeof(systems[*count].name), "%s", name);
	return &systems[(*count)++];
}

static bool is_load(const struct step_record *step)
{
	return step->kind && !strcmp(step->kind, "load") && strcmp(step->name, "prepare") != 0;
}

static int systems_collect(const struct evidence *evidence, struct system *systems, uint32_t *count)
{
	int error = 0;

	for (uint32_t i = 0; i < evidence->step_count && !error; i++) {
		const struct step_record *step = &evidence->steps[i];
		const char *fs = step_word(evidence, step, "fs");
		const struct step_record *raw =
			fs[0] && strcmp(fs, "raw") != 0 && is_load(step) && step_measured(evidence, step)
				? raw_twin(evidence, step)
				: NULL;
		struct system *system =
			raw ? system_for(systems, count, fs, target_of(evidence, step)) : NULL;

		if (!system || system->count == POINTS_MAX)
			continue;
		system->points[system->count] = (struct point){ .raw = raw, .made = step };
		error = point_compare(evidence, &system->points[system->count]);
		if (!error && isfinite(log(system->points[system->count].ratio)))
			system->count++;
	}
	return error;
}

/* -- telling -- */

static json_t *points_json(const struct system *system)
{
	json_t *points = json_array();

	for (uint32_t i = 0; i < system->count; i++) {
		const struct point *point = &system->points[i];
		json_t *one = json_object();

		json_object_set_new(one, "raw_step_id", json_integer((json_int_t)point->raw->id));
		json_object_set_new(one, "step_id", json_integer((json_int_t)point->made->id));
		data_real(one, "ratio", point->ratio);
		data_real(one, "low", point->low);
		data_real(one, "high", point->high);
		data_real(one, "p99_ratio", point->p99_ratio);
		json_array_append_new(points, one);
	}
	return points;
}

/* The geometric mean of all points' ratios, with the interval that follows from theirs. */
static void mean_of(const struct system *system, struct finding_record *finding)
{
	double sum = 0, variance = 0;

	for (uint32_t i = 0; i < system->count; i++) {
		sum += log(system->points[i].ratio);
		variance += system->points[i].log_variance;
	}
	finding->value = exp(sum / system->count);
	finding->low = finding->value * exp(-Z95 * sqrt(variance) / system->count);
	finding->high = finding->value * exp(Z95 * sqrt(variance) / system->count);
}

/* " (0.93 to 0.98)"; nothing without an interval. */
static struct saying *between_say(double low, double high, struct saying *saying)
{
	if (isfinite(low) && isfinite(high))
		saying_add(saying, " (%.3g to %.3g)", low, high);
	return saying;
}

/* Is it one that a program in user space serves? Then its reads and writes go through the page cache,
 * whatever the plan says. */
static bool through_fuse(const struct evidence *evidence, const struct system *system)
{
	bool fuse = false;

	for (uint32_t i = 0; i < evidence->event_count && !fuse; i++) {
		const struct event_record *event = &evidence->events[i];
		json_t *data = event->kind && !strcmp(event->kind, "file_system") && event->data_json
				       ? json_loads(event->data_json, 0, NULL)
				       : NULL;
		const char *name = json_string_value(json_object_get(data, "fs"));
		const char *type = json_string_value(json_object_get(data, "mounted_as"));

		fuse = name && type && !strcmp(name, system->name) && !strncmp(type, "fuse", 4) &&
		       json_integer_value(json_object_get(data, "target")) == (json_int_t)system->target;
		json_decref(data);
	}
	return fuse;
}

static int system_tell(const struct evidence *evidence, const struct system *system)
{
	struct finding_record finding = { .kind = "file_system", .unit = "ratio" };
	const struct point *worst = &system->points[0];
	bool fuse = through_fuse(evidence, system);
	struct saying title = { 0 }, all = { 0 }, one = { 0 }, warning = { 0 };
	json_t *data = json_object();

	mean_of(system, &finding);
	for (uint32_t i = 1; i < system->count; i++)
		if (system->points[i].ratio < worst->ratio)
			worst = &system->points[i];
	data_text(data, "fs", system->name);
	json_object_set_new(data, "through_fuse", json_boolean(fuse));
	json_object_set_new(data, "target", json_integer(system->target));
	json_object_set_new(data, "points", points_json(system));
	if (fuse)
		saying_add(&warning,
			   " Warning: it was served by a program in user space (FUSE), through the page "
			   "cache: this is the "
			   "cost of that way, and reads may have come from memory, not from the drive.");
	return finding_put(evidence, worst->made, &finding, data,
			   "In %s the loads ran at %.3g times%p the rate of the raw drive, over %u points; "
			   "least in %p: %.3g times%p.%p",
			   system->name, finding.value, between_say(finding.low, finding.high, &all),
			   system->count, step_title(evidence, worst->made, &title), worst->ratio,
			   between_say(worst->low, worst->high, &one), &warning);
}

int find_file_system(const struct evidence *evidence)
{
	struct system *systems = calloc(SYSTEMS_MAX, sizeof(*systems));
	uint32_t count = 0;
	int error = systems ? systems_collect(evidence, systems, &count) : -ENOMEM;

	for (uint32_t i = 0; i < count && !error; i++)
		if (systems[i].count)
			error = system_tell(evidence, &systems[i]);
	free(systems);
	return error;
}
