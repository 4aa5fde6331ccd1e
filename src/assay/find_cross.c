/* After random writes, how long does it take until sequential ones are as fast as they come to be: cross
 * stimulus recovery. */
#include <math.h>
#include <string.h>
#include "assay/fill.h"
#include "assay/finding.h"
#include "base/units.h"

#define RECOVERED 0.9	   /* of the level of the last half */
#define INTERVALS_MIN 50u
#define SAMPLE_S 60.0	   /* the procedure's: what is compared is the mean of one */
#define SAMPLES_MIN 50.0	   /* of the step: of shorter ones samples are shorter */

struct cross {
	/* sequential, random, sequential writes of one target */
	const struct step_record *before, *random, *after;
	double level, level_before;			   /* bytes per second, of their last halves */
	double start;					   /* of the first sample */
	double sample_s;
	double recovered_s;				   /* NaN: not before the last half */
};

static double rate_between(const struct store_series *series, uint32_t from, uint32_t to)
{
	double bytes = 0, seconds = 0;

	for (uint32_t i = from; i < to; i++) {
		bytes += series->bytes[i];
		seconds += series->duration_s[i];
	}
	return seconds > 0 ? bytes / seconds : NAN;
}

/* Intervals of one sample. */
static uint32_t sample_width(const struct store_series *series)
{
	double seconds = 0, share;

	for (uint32_t i = 0; i < series->count; i++)
		seconds += series->duration_s[i];
	share = fmin(SAMPLE_S / seconds, 1 / SAMPLES_MIN);
	return (uint32_t)fmax(1, round(share * series->count));
}

/* The first fast interval of the first sample from which on none is below the share of the level. Not the
 * end of the last one below it: that holds the last of the slow part, and would be late by nearly all of
 * its length. */
static double recovered_at(const struct store_series *series, uint32_t width, double level)
{
	uint32_t from = 0;
	double seconds = 0;

	for (uint32_t i = 0; i + width <= series->count; i++)
		if (rate_between(series, i, i + width) < RECOVERED * level)
			from = i + 1;
	while (from && from < series->count && rate_between(series, from, from + 1) < RECOVERED * level)
		from++;
	if (from > series->count / 2)
		return NAN;
	for (uint32_t i = 0; i < from; i++)
		seconds += series->duration_s[i];
	return seconds;
}

/* Of a series with so many intervals that there is one. */
static void recovery_measure(struct cross *cross, const struct store_series *series)
{
	uint32_t width = sample_width(series);

	for (uint32_t i = 0; i < width; i++)
		cross->sample_s += series->duration_s[i];
	cross->level = rate_between(series, series->count / 2, series->count);
	cross->start = rate_between(series, 0, width);
	cross->recovered_s = recovered_at(series, width, cross->level);
}

static int series_of(const struct evidence *evidence, const struct step_record *step,
		     struct store_series *series)
{
	return store_step_series(evidence->store, step->id, STORE_ALL, IO_WRITE, LATENCY_SERVICE, series);
}

/* 1, 0 = too few intervals to tell, or -errno. */
static int cross_measure(const struct evidence *evidence, struct cross *cross)
{
	struct store_series series = { 0 };
	int error = series_of(evidence, cross->before, &series);

	if (!error)
		cross->level_before = rate_between(&series, series.count / 2, series.count);
	store_series_release(&series);
	if (!error)
		error = series_of(evidence, cross->after, &series);
	if (!error && series.count >= INTERVALS_MIN) {
		recovery_measure(cross, &series);
		error = 1;
	}
	store_series_release(&series);
	return error;
}

static int cross_tell(const struct evidence *evidence, const struct cross *cross)
{
	struct finding_record finding = { .kind = "bandwidth_recovery",
					  .unit = "s",
					  .value = cross->recovered_s,
					  .low = NAN,
					  .high = NAN };
	json_t *data = json_object();
	char time[UNITS_TEXT], start[UNITS_TEXT], level[UNITS_TEXT], before[UNITS_TEXT], sample[UNITS_TEXT];

	data_text(data, "after_step", cross->random->name);
	data_text(data, "before_step", cross->before->name);
	data_real(data, "start_bytes_per_second", cross->start);
	data_real(data, "level_bytes_per_second", cross->level);
	data_real(data, "before_bytes_per_second", cross->level_before);
	data_real(data, "sample_s", cross->sample_s);
	rate_format(cross->start, start);
	rate_format(cross->level, level);
	rate_format(cross->level_before, before);
	if (isnan(cross->recovered_s))
		return finding_put(
			evidence, cross->after, &finding, data,
			"After the random writes of step '%s' the bandwidth of step '%s' had not "
			"levelled off in the first half of it: %s at its start, %s over its last half (%s "
			"in step '%s', before).",
			cross->random->name, cross->after->name, start, level, before, cross->before->name);
	if (!(cross->recovered_s > 0))
		return finding_put(
			evidence, cross->after, &finding, data,
			"After the random writes of step '%s' the bandwidth of step '%s' was back "
			"at once: %s at its start, %s over its last half (%s in step '%s', before).",
			cross->random->name, cross->after->name, start, level, before, cross->before->name);
	return finding_put(evidence, cross->after, &finding, data,
			   "After the random writes of step '%s' the bandwidth of step '%s' took %s to "
			   "recover: %s at its start, from then on, averaged over %s, 90 %% or more of the "
			   "%s of its last half "
			   "(%s in step '%s', before).",
			   cross->random->name, cross->after->name,
			   duration_format((uint64_t)(cross->recovered_s * 1e9), time), start,
			   duration_format((uint64_t)(cross->sample_s * 1e9), sample), level, before,
			   cross->before->name);
}

static bool one_target(const struct evidence *evidence, const struct step_record *a,
		       const struct step_record *b)
{
	return step_target(evidence, a) != UINT32_MAX && step_target(evidence, a) == step_target(evidence, b);
}

static bool is_load(const struct evidence *evidence, const struct step_record *step, const char *rw)
{
	return step_measured(evidence, step) && !strcmp(step->kind, "load") &&
	       !strcmp(step_word(evidence, step, "rw"), rw);
}

/* Three steps in a row: sequential writes, random writes, and the same sequential ones again. */
static bool is_cross(const struct evidence *evidence, uint32_t at, struct cross *ret_cross)
{
	const struct step_record *step = &evidence->steps[at];

	if (at < 2 || !is_load(evidence, step, "write") || !is_load(evidence, step - 1, "randwrite") ||
	    !is_load(evidence, step - 2, "write") || !one_target(evidence, step, step - 1) ||
	    !one_target(evidence, step, step - 2) ||
	    step_number(evidence, step, "bs") != step_number(evidence, step - 2, "bs"))
		return false;
	*ret_cross = (struct cross){ .before = step - 2, .random = step - 1, .after = step };
	return true;
}

int find_cross(const struct evidence *evidence)
{
	int error = 0;

	for (uint32_t i = 0; i < evidence->step_count && error >= 0; i++) {
		struct cross cross;

		if (!is_cross(evidence, i, &cross))
			continue;
		error = cross_measure(evidence, &cross);
		if (error > 0)
			error = cross_tell(evidence, &cross);
	}
	return error < 0 ? error : 0;
}
