#include "run/search.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>
#include "analyze/confidence.h"
#include "run/loads.h"
#include "run/values.h"

#define EVENTS 400.0			/* I/Os beyond the limit that a whole probe at the limit is to see */
#define EVENTS_SCALED 10.0		/* at least, of plans scaled down */
#define MAX_IOS 100000.0		/* of a probe for a maximum */
#define PROBE_NS_MIN 5000000000ull
#define PROBE_NS_MAX 600000000000ull	/* unless the percentile needs more */
#define CONFIRMATION "confirmation"
#define CONFIRM_TIMES 3			/* as long as a probe */
#define CONFIRM_FLOOR 0.1		/* of the rate that the probes found: below it nothing is confirmed */
#define INTERVALS 50			/* of a probe */
#define INTERVAL_NS_MIN 10000000ull
#define START_SHARE 0.7			/* of the closed-loop maximum */
#define STEP_UP 1.25
#define STEP_DOWN 1.5			/* squared each time */
#define RATE_FLOOR 1e-4			/* of the first rate: below it nothing is looked for */

struct search {
	struct conductor *conductor;
	const struct plan_step *step;
	struct plan_instance *instance;
	struct step_record record;		/* of each probe */
	char path[PATH_BYTES];
	uint32_t first_point;			/* numbers of the probes' points start here */
	enum load_arrival process;
	uint64_t runtime_ns, interval_ns, ramp_ns;	/* as the plan says */
	struct probe probe;			/* the last one */
	uint32_t probes;
	double closed;				/* I/O per second; 0 = not measured */
	double met, failed;			/* highest rate that met the limit, lowest above it that did
						 * not; 0 = none */
	bool failed_early;			/* that was found while looking for the bracket */
	bool confirmed;
	struct tried {
		double rate;
		bool meets, sure;		/* sure: told apart from the limit with confidence */
		bool confirms;			/* it was a longer run */
	} tried[SEARCH_PROBES_MAX + 1];
	uint32_t tried_count;
};

static double scale_of(double scale)
{
	return scale < 1 ? scale : 1;
}

uint64_t search_probe_ns(const struct plan_expect *limit, double rate, uint64_t runtime_ns, double scale)
{
	double allowed = probe_allowed(limit);
	double wanted = allowed > 0 ? fmax(EVENTS * scale_of(scale), EVENTS_SCALED) / allowed :
				      MAX_IOS * scale_of(scale);
	double needed = allowed > 0 ? (double)confidence_needed(1 - allowed) : 1;
	double least = (double)PROBE_NS_MIN * scale_of(scale);
	double time = runtime_ns ? (double)runtime_ns : fmin(wanted / rate * 1e9, (double)PROBE_NS_MAX);

	if (!runtime_ns)
		time = fmax(time, least);
	return (uint64_t)fmax(time, needed / rate * 1e9 + 1);
}

/* -- one probe -- */

/* Closed loops have the word, so that every probe has the key. */
static void rate_value_set(struct plan_instance *instance, double rate)
{
	static const char key[] = "arrival_rate";
	struct plan_value *value = NULL;

	for (uint32_t i = 0; i < instance->value_count && !value; i++)
		if (!strcmp(instance->values[i].key, key))
			value = &instance->values[i];
	if (!value) {
		if (instance->value_count == PLAN_VALUES_MAX)
			return;
		value = &instance->values[instance->value_count++];
		snprintf(value->key, sizeof(value->key), "%s", key);
	}
	value->numeric = rate > 0;
	value->number = rate;
	if (rate > 0)
		snprintf(value->text, sizeof(value->text), "%.17g", rate);
	else
		snprintf(value->text, sizeof(value->text), "closed");
}

/* The step's own load at `rate`, 0 = closed loop, for `time_ns`; loads that run with it last as long. */
static void instance_set(struct search *search, double rate, uint64_t time_ns)
{
	struct plan_instance *instance = search->instance;
	uint64_t interval = time_ns / INTERVALS;

	interval = interval > search->interval_ns ? search->interval_ns :
		   interval < INTERVAL_NS_MIN	  ? INTERVAL_NS_MIN :
						    interval;
	instance->interval_ns = interval / 1000000 * 1000000;
	for (uint32_t i = 0; i < instance->load_count; i++) {
		instance->loads[i].runtime_ns = time_ns;
		instance->loads[i].time_based = true;
	}
	instance->loads[0].ramp_ns = search->ramp_ns ? search->ramp_ns : 2 * instance->interval_ns;
	instance->loads[0].arrival = rate > 0 ? search->process : ARRIVAL_CLOSED;
	instance->loads[0].arrival_rate = rate;
	rate_value_set(instance, rate);
}

static void record_set(struct search *search, const struct point *point)
{
	search->record.point = search->first_point + search->probes;
	search->record.note = search->probe.note;
	search->record.interval_ns = search->instance->interval_ns;
	search->record.path = search->path;
	snprintf(search->path, sizeof(search->path), "%.480s/probe%u", point->path, search->probes);
}

static int probe_run(struct search *search, struct point *point, double rate, uint64_t time_ns,
		     const char *purpose)
{
	struct conductor *conductor = search->conductor;
	bool early = strcmp(purpose, CONFIRMATION) != 0;
	char *values;
	int error;

	instance_set(search, rate, time_ns);
	probe_init(&search->probe, &search->step->search, rate,
		   (uint64_t)(rate * (double)time_ns / 1e9), early);
	search->probe.purpose = purpose;
	search->probe.number = ++search->probes;
	record_set(search, point);
	values = values_json(search->instance);
	if (!values)
		return -ENOMEM;
	search->record.id = conductor_id(search->conductor);
	search->record.values_json = values;
	conductor->probe = &search->probe;
	error = loads_run(conductor, search->step, search->instance, &search->record, LOADS_ALONE);
	conductor->probe = NULL;
	free(values);
	return error;
}

static void outcome_note(struct search *search, double rate)
{
	const struct probe *probe = &search->probe;

	search->tried[search->tried_count++] = (struct tried){ rate, probe->meets, probe->decided,
							       !strcmp(probe->purpose, CONFIRMATION) };
	if (probe->meets) {
		search->met = fmax(search->met, rate);
		return;
	}
	search->failed = search->failed > 0 ? fmin(search->failed, rate) : rate;
	search->failed_early = !strcmp(probe->purpose, "bracket");
}

/* Runs a probe and notes what it says. Nothing when the run has ended. */
static int rate_try(struct search *search, struct point *point, double rate, const char *purpose)
{
	uint64_t time_ns = search_probe_ns(&search->step->search, rate, search->runtime_ns,
					   search->conductor->config->plan->scale);
	int error;

	if (!strcmp(purpose, CONFIRMATION))
		time_ns *= CONFIRM_TIMES;
	error = probe_run(search, point, rate, time_ns, purpose);
	if (!error && !search->conductor->ended)
		outcome_note(search, rate);
	return error;
}

/* To four digits: finer than what is searched for, and readable. */
static double rounded(double rate)
{
	double unit = pow(10, floor(log10(rate)) - 3);

	return unit < 1 ? round(rate * round(1 / unit)) / round(1 / unit) : round(rate / unit) * unit;
}

static bool goes_on(const struct search *search)
{
	return !search->conductor->ended && search->probes < SEARCH_PROBES_MAX;
}

/* -- the search -- */

static int closed_measure(struct search *search, struct point *point)
{
	const double scale = scale_of(search->conductor->config->plan->scale);
	uint64_t time_ns = (uint64_t)((double)PROBE_NS_MIN * scale);
	int error;

	if (search->runtime_ns && search->runtime_ns < time_ns)
		time_ns = search->runtime_ns;
	error = probe_run(search, point, 0, time_ns, "closed loop");
	if (error || search->conductor->ended)
		return error;
	search->closed = search->probe.reached;
	if (search->closed <= 0)
		conductor_end(search->conductor, RUN_FAILED,
			      "step '%s': nothing completed in the closed loop, so that there is no rate to "
			      "start from", search->step->name);
	return 0;
}

/* Until one rate meets the limit and a higher one does not. */
static int bracket_find(struct search *search, struct point *point, double start)
{
	double rate = start, factor = STEP_DOWN;
	int error = 0;

	while (goes_on(search) && !error && rate >= start * RATE_FLOOR &&
	       !(search->met > 0 && search->failed > 0)) {
		rate = rounded(rate);
		error = rate_try(search, point, rate, "bracket");
		if (search->probe.meets) {
			rate *= STEP_UP;
		} else {
			rate /= factor;
			factor *= factor;
		}
	}
	return error;
}

static int bracket_halve(struct search *search, struct point *point)
{
	int error = 0;

	while (goes_on(search) && !error && search->failed > search->met * (1 + SEARCH_TOLERANCE))
		error = rate_try(search, point, rounded(sqrt(search->met * search->failed)), "bisection");
	return error;
}

/* When all rates in between met the limit, the upper end is as old as the search, and the drive may have been
 * busy with what came before: it is tried again. Sets *ret_again when the search must go on above it. */
static int upper_end_check(struct search *search, struct point *point, bool *ret_again)
{
	double rate = search->failed;
	int error;

	*ret_again = false;
	if (!goes_on(search) || !search->failed_early || search->met <= 0 || rate <= 0)
		return 0;
	search->failed = 0;
	error = rate_try(search, point, rate, "upper end again");
	*ret_again = !error && search->probe.meets;
	return error;
}

/* The longer run may say otherwise, and a drive or a host may have become slower since: then lower, a little at
 * first, with steps that grow. *ret_missed: the lowest that did not, 0 = none. */
static int confirm_below(struct search *search, struct point *point, double *ret_missed)
{
	const double floor = search->met * CONFIRM_FLOOR;
	double rate = search->met, step = 1 + SEARCH_TOLERANCE;
	int error = 0;

	*ret_missed = 0;
	while (rate >= floor && goes_on(search) && !search->confirmed) {
		rate = rounded(rate);
		error = rate_try(search, point, rate, CONFIRMATION);
		if (error || search->conductor->ended)
			return error;
		search->confirmed = search->probe.meets;
		search->met = rate;
		*ret_missed = search->confirmed ? *ret_missed : rate;
		rate /= step;
		step = fmin(step * step, STEP_DOWN);
	}
	return 0;
}

/* What was confirmed may lie far below what was not: the gap is halved as that of the probes was. */
static int confirm_between(struct search *search, struct point *point, double missed)
{
	int error = 0;

	while (!error && goes_on(search) && missed > search->met * (1 + 2 * SEARCH_TOLERANCE)) {
		const double rate = rounded(sqrt(search->met * missed));

		error = rate_try(search, point, rate, CONFIRMATION);
		if (!error && !search->probe.meets)
			missed = rate;
	}
	return error;
}

/* The last probe is of the rate that is told, and met the limit: shares of this step (arrival=60%@STEP) and the
 * page are of that probe. Where halving ended with a miss, the rate is run once more. */
static int confirm(struct search *search, struct point *point)
{
	bool again = true;
	int error = 0;

	while (!error && again && goes_on(search)) {
		double missed;

		search->confirmed = false;
		error = confirm_below(search, point, &missed);
		if (!error && search->confirmed)
			error = confirm_between(search, point, missed);
		again = search->confirmed && !search->probe.meets;
	}
	return error;
}

/* The highest rate below `value` that surely met the limit, or `value` when its confirmation did; 0 =
 * none. */
static double bound_low(const struct search *search, double value)
{
	double low = 0;

	for (uint32_t i = 0; i < search->tried_count; i++) {
		const struct tried *tried = &search->tried[i];

		if (tried->meets && tried->sure && tried->rate > low &&
		    (tried->rate < value || (tried->confirms && tried->rate <= value)))
			low = tried->rate;
	}
	return low;
}

/* The lowest rate above `value` that surely missed it, or that missed it at all; 0 = none. */
static double bound_high(const struct search *search, double value)
{
	double sure = 0, any = 0;

	for (uint32_t i = 0; i < search->tried_count; i++) {
		const struct tried *tried = &search->tried[i];

		if (tried->meets || tried->rate <= value)
			continue;
		if (!any || tried->rate < any)
			any = tried->rate;
		if (tried->sure && (!sure || tried->rate < sure))
			sure = tried->rate;
	}
	return sure > 0 ? sure : any;
}

static json_t *rate_json(double rate)
{
	return rate > 0 ? json_real(rate) : json_null();
}

static int outcome_tell(struct search *search)
{
	const char *limit = search->step->search.text;
	bool found = search->met > 0 && search->confirmed;
	double value = found ? search->met : 0;
	json_t *data = json_object();
	char *json;
	int error;

	json_object_set_new(data, "limit", json_string(limit));
	json_object_set_new(data, "value", rate_json(value));
	json_object_set_new(data, "low", rate_json(bound_low(search, value)));
	json_object_set_new(data, "high", rate_json(bound_high(search, value)));
	json_object_set_new(data, "closed_loop", rate_json(search->closed));
	json_object_set_new(data, "probes", json_integer(search->probes));
	json_object_set_new(data, "confirmed", json_boolean(search->confirmed));
	json = json_dumps(data, JSON_COMPACT);
	json_decref(data);
	if (!json)
		return -ENOMEM;
	error = conductor_event(search->conductor, search->record.id, "search", json,
				found ? "search for %s: found after %u probes"
				      : "search for %s: no rate found after %u probes",
				limit, search->probes);
	free(json);
	return error;
}

static int search_steps(struct search *search, struct point *point, double start)
{
	bool again = true;
	int error = 0;

	if (start <= 0) {
		error = closed_measure(search, point);
		start = search->closed * START_SHARE;
	}
	while (!error && again && goes_on(search)) {
		error = bracket_find(search, point, start);
		if (!error && search->met > 0 && search->failed > 0)
			error = bracket_halve(search, point);
		if (!error)
			error = upper_end_check(search, point, &again);
		start = search->met * STEP_UP;
	}
	if (!error && goes_on(search) && search->met > 0)
		error = confirm(search, point);
	if (!error && !search->conductor->ended)
		error = outcome_tell(search);
	return error;
}

int search_run(struct conductor *conductor, struct point *point, const struct step_record *record)
{
	struct search *search = calloc(1, sizeof(*search));
	const struct load *load = &point->instance->loads[0];
	double start = load->arrival != ARRIVAL_CLOSED ? load->arrival_rate : 0;
	int error;

	if (!search)
		return -ENOMEM;
	search->conductor = conductor;
	search->step = point->step;
	search->instance = point->instance;
	search->record = *record;
	search->first_point = record->point * (SEARCH_PROBES_MAX + 1);
	search->process = load->arrival == ARRIVAL_CONSTANT ? ARRIVAL_CONSTANT : ARRIVAL_POISSON;
	search->runtime_ns = load->runtime_ns;
	search->interval_ns = point->instance->interval_ns;
	search->ramp_ns = load->ramp_ns;
	error = search_steps(search, point, start);
	free(search);
	return error;
}
