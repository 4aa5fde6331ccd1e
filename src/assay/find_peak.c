/* Sweeps, along one key: the queue depth or request size from which on 90, 95 and 100 % of the best are reached;
 * or that the best was the last that was tried, and the curve still rose. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "assay/finding.h"
#include "base/units.h"

#define POINTS_MIN 4u
#define POINTS_MAX 128u
#define MEASURED_MAX 1024u /* of all points together; more are left out */
#define ROUNDS_LAST 5u	   /* only these count, as on the page: those before them are on the way */

struct sweep {
	const struct step_record *step; /* the first one */
	const char *key;		/* "iodepth" "bs" "numjobs" */
	bool bytes;			/* judged by throughput, else by IOPS */
	uint32_t count;
	double value[POINTS_MAX], figure[POINTS_MAX]; /* ascending by value; medians of what was measured there */
	bool told;
};

/* What was measured at the points of a sweep, before they are made of it. */
struct collecting {
	struct sweep *sweep;
	uint32_t count;
	struct measured {
		double value, figure;
	} measured[MEASURED_MAX];
};

/* The point without the swept key. */
static json_t *rest_of(const struct evidence *evidence, const struct step_record *step, const char *key)
{
	json_t *rest = json_deep_copy(evidence->values[step - evidence->steps]);

	json_object_del(rest, key);
	return rest;
}

static int measured_order(const void *a, const void *b)
{
	const struct measured *first = a, *second = b;

	if (first->value != second->value)
		return first->value > second->value ? 1 : -1;
	return (first->figure > second->figure) - (first->figure < second->figure);
}

/* Points of the sweep from its measurements: the median of each. */
static void points_make(struct collecting *collecting)
{
	struct sweep *sweep = collecting->sweep;
	uint32_t from = 0, to;

	qsort(collecting->measured, collecting->count, sizeof(collecting->measured[0]), measured_order);
	for (; from < collecting->count && sweep->count < POINTS_MAX; from = to) {
		const struct measured *first = &collecting->measured[from];
		uint32_t n = 1;

		while (from + n < collecting->count && first[n].value == first->value)
			n++;
		sweep->value[sweep->count] = first->value;
		sweep->figure[sweep->count++] = (first[(n - 1) / 2].figure + first[n / 2].figure) / 2;
		to = from + n;
	}
}

static bool same_sweep(const struct evidence *evidence, const struct step_record *a,
		       const struct step_record *b, const char *key)
{
	json_t *rest_a, *rest_b;
	bool same;
	uint32_t count;
	const struct load_record *load_a = evidence_loads(evidence, a, &count),
				 *load_b = evidence_loads(evidence, b, &count);

	if (strcmp(a->name, b->name) || !load_a || !load_b || load_a->target != load_b->target ||
	    isnan(step_number(evidence, b, key)) || !step_measured(evidence, b))
		return false;
	rest_a = rest_of(evidence, a, key);
	rest_b = rest_of(evidence, b, key);
	same = json_equal(rest_a, rest_b);
	json_decref(rest_a);
	json_decref(rest_b);
	return same;
}

/* The first round that counts of the steps with this name. */
static uint32_t first_round(const struct evidence *evidence, const char *name)
{
	uint32_t rounds = 0;

	for (uint32_t i = 0; i < evidence->step_count; i++)
		if (!strcmp(evidence->steps[i].name, name) && evidence->steps[i].round >= rounds)
			rounds = evidence->steps[i].round + 1;
	return rounds > ROUNDS_LAST ? rounds - ROUNDS_LAST : 0;
}

static void measured_add(const struct evidence *evidence, struct collecting *collecting,
			 const struct step_record *step)
{
	const struct sweep *sweep = collecting->sweep;
	struct step_sum sum;

	step_sum(evidence, step, &sum);
	if (sum.seconds > 0 && collecting->count < MEASURED_MAX)
		collecting->measured[collecting->count++] = (struct measured){
			step_number(evidence, step, sweep->key), sweep->bytes ? sum.bytes_per_second : sum.iops
		};
}

/* All points of the sweep that the step belongs to. False: an earlier step does. */
static bool sweep_collect(const struct evidence *evidence, struct collecting *collecting)
{
	const struct sweep *sweep = collecting->sweep;
	uint32_t from_round = first_round(evidence, sweep->step->name);

	collecting->count = 0;
	for (uint32_t i = 0; i < evidence->step_count; i++) {
		const struct step_record *step = &evidence->steps[i];

		if (!same_sweep(evidence, sweep->step, step, sweep->key))
			continue;
		if (step < sweep->step)
			return false;
		if (step->round >= from_round)
			measured_add(evidence, collecting, step);
	}
	points_make(collecting);
	return true;
}

static double best_of(const struct sweep *sweep)
{
	double best = 0;

	for (uint32_t i = 0; i < sweep->count; i++)
		best = fmax(best, sweep->figure[i]);
	return best;
}

static const char *best_text(const struct sweep *sweep, char text[UNITS_TEXT])
{
	if (sweep->bytes)
		return rate_format(best_of(sweep), text);
	snprintf(text, UNITS_TEXT, "%.0f IOPS", best_of(sweep));
	return text;
}

/* Index of the first point with that share of the best. */
static uint32_t first_with(const struct sweep *sweep, double share, double best)
{
	uint32_t i = 0;

	while (i + 1 < sweep->count && sweep->figure[i] < share * best)
		i++;
	return i;
}

/* The curve has not flattened within what was tried: where its peak is, is not known. */
static bool still_rising(const struct sweep *sweep, double best)
{
	return first_with(sweep, 0.95, best) == sweep->count - 1;
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
	json_object_set_new(data, "rising", json_boolean(still_rising(sweep, best)));
	data_real(data, "at_90", sweep->value[first_with(sweep, 0.90, best)]);
	data_real(data, "at_95", sweep->value[first_with(sweep, 0.95, best)]);
	data_real(data, "at_100", sweep->value[first_with(sweep, 1, best)]);
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
static const char *load_text(const struct evidence *evidence, const struct sweep *sweep, char *text, size_t bytes)
{
	char others[120];

	step_other_text(evidence, sweep->step, sweep->key, others, sizeof(others));
	snprintf(text, bytes, "%s%s%s", step_word(evidence, sweep->step, "rw"), others[0] ? ", " : "", others);
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

static int sweep_tell(const struct evidence *evidence, const struct sweep *sweep)
{
	struct finding_record finding = { .kind = kind_of(sweep), .unit = sweep->key };
	char at90[UNITS_TEXT], at95[UNITS_TEXT], figure[UNITS_TEXT], load[160];
	struct saying what = { 0 };
	const double best = best_of(sweep);
	uint32_t at;

	at = first_with(sweep, 0.95, best);
	finding.value = finding.high = sweep->value[at];
	finding.low = at ? sweep->value[at - 1] : NAN; /* between the two, nothing was measured */
	best_text(sweep, figure);
	if (still_rising(sweep, best))
		return rising_tell(evidence, sweep, &finding, best, figure);
	point_words(sweep, &what, first_with(sweep, 1, best));
	return finding_put(evidence, sweep->step, &finding, sweep_json(sweep, best),
			   "Step '%s' (%s) peaks at %s with %p; 95 %% of that is reached from %s on, 90 %% from %s on.",
			   sweep->step->name, load_text(evidence, sweep, load, sizeof(load)), figure, &what,
			   value_text(sweep, at, at95), value_text(sweep, first_with(sweep, 0.90, best), at90));
}

/* -- many sweeps of one key in one step: told together -- */

#define TOLD_MOST 3u /* one by one */

struct sweeps {
	struct sweep *sweep;
	uint32_t count, capacity;
};

static bool belong_together(const struct evidence *evidence, const struct sweep *a, const struct sweep *b)
{
	uint32_t count;

	return !strcmp(a->step->name, b->step->name) && !strcmp(a->key, b->key) &&
	       evidence_loads(evidence, a->step, &count)->target == evidence_loads(evidence, b->step, &count)->target;
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
	return sweep->value[first_with(sweep, 0.95, best_of(sweep))];
}

static void peaks_add(const struct evidence *evidence, struct peaks *peaks, const struct sweep *sweep)
{
	json_t *data = sweep_json(sweep, best_of(sweep));
	char load[160];

	data_text(data, "load", load_text(evidence, sweep, load, sizeof(load)));
	json_array_append_new(peaks->sweeps, data);
	peaks->count++;
	peaks->rising += still_rising(sweep, best_of(sweep));
	if (!peaks->highest || best_of(sweep) > best_of(peaks->highest))
		peaks->highest = sweep;
	if (!peaks->lowest || best_of(sweep) < best_of(peaks->lowest))
		peaks->lowest = sweep;
	if (!peaks->first || place_of(sweep) < place_of(peaks->first))
		peaks->first = sweep;
	if (!peaks->last || place_of(sweep) > place_of(peaks->last))
		peaks->last = sweep;
}

static const char *place_text(const struct sweep *sweep, char text[UNITS_TEXT])
{
	return value_text(sweep, first_with(sweep, 0.95, best_of(sweep)), text);
}

static int peaks_tell(const struct evidence *evidence, const struct peaks *peaks)
{
	const struct sweep *highest = peaks->highest;
	struct finding_record finding = { .kind = kind_of(highest), .unit = highest->key, .value = place_of(highest),
					  .low = place_of(peaks->first), .high = place_of(peaks->last) };
	char high[UNITS_TEXT], low[UNITS_TEXT], from[UNITS_TEXT], to[UNITS_TEXT], load[160], other[160];
	struct saying what = { 0 }, rising = { 0 };
	json_t *data = sweep_json(highest, best_of(highest));

	json_object_set(data, "sweeps", peaks->sweeps);
	point_words(highest, &what, first_with(highest, 1, best_of(highest)));
	if (peaks->rising)
		saying_add(&rising, "; %u of them still rose with the most that was tried", peaks->rising);
	return finding_put(evidence, highest->step, &finding, data,
			   "Step '%s': the highest peak of its %u sweeps is %s (%s) with %p, the lowest %s (%s); "
			   "95 %% of each is reached from %s to %s on%p.",
			   highest->step->name, peaks->count, best_text(highest, high),
			   load_text(evidence, highest, load, sizeof(load)), &what, best_text(peaks->lowest, low),
			   load_text(evidence, peaks->lowest, other, sizeof(other)), place_text(peaks->first, from),
			   place_text(peaks->last, to), &rising);
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

/* Room for one more, zeroed; NULL: no memory. */
static struct sweep *sweeps_room(struct sweeps *sweeps)
{
	if (sweeps->count == sweeps->capacity) {
		uint32_t capacity = sweeps->capacity ? 2 * sweeps->capacity : 16;
		struct sweep *grown = realloc(sweeps->sweep, capacity * sizeof(*grown));

		if (!grown)
			return NULL;
		sweeps->sweep = grown;
		sweeps->capacity = capacity;
	}
	memset(&sweeps->sweep[sweeps->count], 0, sizeof(*sweeps->sweep));
	return &sweeps->sweep[sweeps->count];
}

static int sweep_of(const struct evidence *evidence, const struct step_record *step, const char *key,
		    struct collecting *collecting, struct sweeps *sweeps)
{
	if (!step_measured(evidence, step) || isnan(step_number(evidence, step, key)))
		return 0;
	collecting->sweep = sweeps_room(sweeps);
	if (!collecting->sweep)
		return -ENOMEM;
	collecting->sweep->step = step;
	collecting->sweep->key = key;
	collecting->sweep->bytes = !strcmp(key, "bs");
	if (sweep_collect(evidence, collecting) && collecting->sweep->count >= POINTS_MIN)
		sweeps->count++;
	return 0;
}

int find_peak(const struct evidence *evidence)
{
	static const char *const keys[] = { "iodepth", "bs", "numjobs" };
	struct collecting *collecting = malloc(sizeof(*collecting));
	struct sweeps sweeps = { 0 };
	int error = collecting ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < evidence->step_count && !error; i++)
		for (int k = 0; k < 3 && !error; k++)
			error = sweep_of(evidence, &evidence->steps[i], keys[k], collecting, &sweeps);
	for (uint32_t i = 0; i < sweeps.count && !error; i++)
		error = sweeps_tell(evidence, &sweeps, i);
	free(collecting);
	free(sweeps.sweep);
	return error;
}
