/* Sweeps, along one key: the queue depth or request size from which on 90, 95 and 100 % of the best are
 * reached; or that the best was the last that was tried, and the curve still rose. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "assay/finding.h"
#include "assay/sweeps.h"
#include "base/units.h"

#define FALL_SHARE 0.8 /* of the best, at the most that was tried */

static const char *best_text(const struct sweep *sweep, char text[UNITS_TEXT])
{
	if (sweep->bytes)
		return rate_format(sweep_best(sweep), text);
	snprintf(text, UNITS_TEXT, "%.0f IOPS", sweep_best(sweep));
	return text;
}

static json_t *sweep_json(const struct sweep *sweep, double best)
{
	json_t *data = json_object(), *points = json_array();

	for (uint32_t i = 0; i < sweep->count; i++) {
		json_t *point = json_object();

		data_real(point, sweep->key, sweep->value[i]);
		data_real(point, sweep->bytes ? "bytes_per_second" : "iops", sweep->figure[i]);
		json_array_append_new(points, point);
	}
	data_text(data, "key", sweep->key);
	data_real(data, "best", best);
	json_object_set_new(data, "rising", json_boolean(sweep_still_rises(sweep, best)));
	data_real(data, "at_90", sweep->value[sweep_reaches(sweep, 0.90, best)]);
	data_real(data, "at_95", sweep->value[sweep_reaches(sweep, 0.95, best)]);
	data_real(data, "at_100", sweep->value[sweep_reaches(sweep, 1, best)]);
	json_object_set_new(data, "points", points);
	return data;
}

static const char *value_text(const struct sweep *sweep, uint32_t at, char *text)
{
	if (!strcmp(sweep->key, "bs"))
		return size_format((uint64_t)sweep->value[at], text);
	snprintf(text, UNITS_TEXT, "%g", sweep->value[at]);
	return text;
}

static const char *kind_of(const struct sweep *sweep)
{
	return !strcmp(sweep->key, "bs")	? "peak_size"
	       : !strcmp(sweep->key, "iodepth") ? "peak_depth"
						: "peak_workers";
}

static void point_words(const struct sweep *sweep, struct saying *words, uint32_t at)
{
	char text[UNITS_TEXT];

	saying_add(words,
		   !strcmp(sweep->key, "bs")	    ? "a request size of %s"
		   : !strcmp(sweep->key, "iodepth") ? "a queue depth of %s"
						    : "a worker count of %s",
		   value_text(sweep, at, text));
}

/* The direction, and where the other keys of the sweep stood: "randrw, rwmixread=65". */
static const char *load_text(const struct evidence *evidence, const struct sweep *sweep, char *text,
			     size_t bytes)
{
	char others[120];

	step_other_text(evidence, sweep->step, sweep->key, others, sizeof(others));
	snprintf(text, bytes, "%s%s%s", step_word(evidence, sweep->step, "rw"), others[0] ? ", " : "",
		 others);
	return text;
}

static int rising_tell(const struct evidence *evidence, const struct sweep *sweep,
		       struct finding_record *finding, double best, const char *figure)
{
	const uint32_t last = sweep->count - 1;
	struct saying what = { 0 }, before = { 0 };
	char load[160];

	point_words(sweep, &what, last);
	point_words(sweep, &before, last - 1);
	finding->high = NAN;
	return finding_put(evidence, sweep->step, finding, sweep_json(sweep, best),
			   "Step '%s' (%s) reached %s with %p, the most that was tried, and was still rising: "
			   "%.0f %% more than with %p. Its peak may lie beyond.",
			   sweep->step->name, load_text(evidence, sweep, load, sizeof(load)), figure, &what,
			   100 * (best / sweep->figure[last - 1] - 1), &before);
}

/* More in flight by itself makes no drive slower: its cache was used up, or it got hot, while the sweep went on. */
static struct saying *fall_say(const struct evidence *evidence, const struct sweep *sweep, double best,
			       struct saying *saying)
{
	const uint32_t last = sweep->count - 1;
	struct saying what = { 0 };

	if (!strstr(step_word(evidence, sweep->step, "rw"), "w") || !strcmp(sweep->key, "bs") ||
	    sweep->figure[last] >= FALL_SHARE * best)
		return saying;
	point_words(sweep, &what, last);
	saying_add(saying, "; with %p it was %.0f %% slower: something changed while it was measured (a cache that was used "
			   "up, heat), so that the peak in one state is not known", &what, 100 * (1 - sweep->figure[last] / best));
	return saying;
}

static int sweep_tell(const struct evidence *evidence, const struct sweep *sweep)
{
	struct finding_record finding = { .kind = kind_of(sweep), .unit = sweep->key };
	char at90[UNITS_TEXT], at95[UNITS_TEXT], figure[UNITS_TEXT], load[160];
	struct saying what = { 0 }, fall = { 0 };
	const double best = sweep_best(sweep);
	const uint32_t from90 = sweep_reaches(sweep, 0.90, best), at = sweep_reaches(sweep, 0.95, best);

	finding.value = finding.high = sweep->value[at];
	finding.low = at ? sweep->value[at - 1] : NAN; /* between the two, nothing was measured */
	best_text(sweep, figure);
	if (sweep_still_rises(sweep, best))
		return rising_tell(evidence, sweep, &finding, best, figure);
	point_words(sweep, &what, sweep_reaches(sweep, 1, best));
	return finding_put(evidence, sweep->step, &finding, sweep_json(sweep, best),
			   "Step '%s' (%s) peaks at %s with %p; 95 %% of that is reached from %s on, "
			   "90 %% from %s on%p.",
			   sweep->step->name, load_text(evidence, sweep, load, sizeof(load)), figure, &what,
			   value_text(sweep, at, at95), value_text(sweep, from90, at90),
			   fall_say(evidence, sweep, best, &fall));
}

/* -- many sweeps of one key in one step: told together -- */

#define TOLD_MOST 3u /* one by one */

static uint32_t target_of(const struct evidence *evidence, const struct sweep *sweep)
{
	uint32_t count;

	return evidence_loads(evidence, sweep->step, &count)->target;
}

static bool belong_together(const struct evidence *evidence, const struct sweep *a, const struct sweep *b)
{
	return !strcmp(a->step->name, b->step->name) && !strcmp(a->key, b->key) &&
	       target_of(evidence, a) == target_of(evidence, b);
}

/* What is said of sweeps that belong together. */
struct peaks {
	uint32_t count, rising;
	const struct sweep *highest, *lowest;
	const struct sweep *first, *last; /* with the lowest and highest place of 95 % */
	json_t *sweeps;
};

static double place_of(const struct sweep *sweep)
{
	return sweep->value[sweep_reaches(sweep, 0.95, sweep_best(sweep))];
}

static void peaks_add(const struct evidence *evidence, struct peaks *peaks, const struct sweep *sweep)
{
	json_t *data = sweep_json(sweep, sweep_best(sweep));
	char load[160];

	data_text(data, "load", load_text(evidence, sweep, load, sizeof(load)));
	json_array_append_new(peaks->sweeps, data);
	peaks->count++;
	peaks->rising += sweep_still_rises(sweep, sweep_best(sweep));
	if (!peaks->highest || sweep_best(sweep) > sweep_best(peaks->highest))
		peaks->highest = sweep;
	if (!peaks->lowest || sweep_best(sweep) < sweep_best(peaks->lowest))
		peaks->lowest = sweep;
	if (!peaks->first || place_of(sweep) < place_of(peaks->first))
		peaks->first = sweep;
	if (!peaks->last || place_of(sweep) > place_of(peaks->last))
		peaks->last = sweep;
}

static const char *place_text(const struct sweep *sweep, char text[UNITS_TEXT])
{
	return value_text(sweep, sweep_reaches(sweep, 0.95, sweep_best(sweep)), text);
}

/* Of all sweeps: the lowest and the highest place, or the one that is both. */
static void places_say(const struct peaks *peaks, struct saying *saying)
{
	char from[UNITS_TEXT], to[UNITS_TEXT];

	place_text(peaks->first, from);
	place_text(peaks->last, to);
	if (!strcmp(from, to))
		saying_add(saying, "from %s on", from);
	else
		saying_add(saying, "from %s to %s on", from, to);
}

static int peaks_tell(const struct evidence *evidence, const struct peaks *peaks)
{
	const struct sweep *highest = peaks->highest;
	struct finding_record finding = {
		.kind = kind_of(highest),
		.unit = highest->key,
		.value = place_of(highest),
		.low = place_of(peaks->first),
		.high = place_of(peaks->last),
	};
	char high[UNITS_TEXT], low[UNITS_TEXT], load[160], other[160];
	struct saying what = { 0 }, places = { 0 }, rising = { 0 };
	json_t *data = sweep_json(highest, sweep_best(highest));

	load_text(evidence, highest, load, sizeof(load));
	load_text(evidence, peaks->lowest, other, sizeof(other));
	json_object_set(data, "sweeps", peaks->sweeps);
	point_words(highest, &what, sweep_reaches(highest, 1, sweep_best(highest)));
	places_say(peaks, &places);
	if (peaks->rising == 1)
		saying_add(&rising, "; one of them still rose with the most that was tried");
	else if (peaks->rising)
		saying_add(&rising, "; %u of them still rose with the most that was tried", peaks->rising);
	return finding_put(evidence, highest->step, &finding, data,
			   "Step '%s': the highest peak of its %u sweeps is %s (%s) with %p, the lowest %s "
			   "(%s); 95 %% of each is reached %p%p.",
			   highest->step->name, peaks->count, best_text(highest, high), load, &what,
			   best_text(peaks->lowest, low), other, &places, &rising);
}

/* The sweep at `at` and all that belong to it, unless they are told already. */
static int sweeps_tell(const struct evidence *evidence, struct sweeps *sweeps, uint32_t at)
{
	struct peaks peaks = { .sweeps = json_array() };
	int error = 0;

	for (uint32_t i = at; i < sweeps->count && !sweeps->sweep[at].told; i++)
		if (belong_together(evidence, &sweeps->sweep[at], &sweeps->sweep[i]))
			peaks_add(evidence, &peaks, &sweeps->sweep[i]);
	if (peaks.count > TOLD_MOST)
		error = peaks_tell(evidence, &peaks);
	for (uint32_t i = at; i < sweeps->count && peaks.count && !error; i++) {
		if (i != at && !belong_together(evidence, &sweeps->sweep[at], &sweeps->sweep[i]))
			continue;
		if (peaks.count <= TOLD_MOST)
			error = sweep_tell(evidence, &sweeps->sweep[i]);
		sweeps->sweep[i].told = true;
	}
	json_decref(peaks.sweeps);
	return error;
}

int find_peak(const struct evidence *evidence)
{
	struct sweeps sweeps;
	int error = sweeps_find(evidence, &sweeps);

	for (uint32_t i = 0; i < sweeps.count && !error; i++)
		error = sweeps_tell(evidence, &sweeps, i);
	sweeps_release(&sweeps);
	return error;
}
