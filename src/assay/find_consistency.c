/* How even the service is, second by second, over the verified steady window only. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/confidence.h"
#include "analyze/consistency.h"
#include "assay/often.h"
#include "assay/window.h"
#include "base/units.h"
#include "store/json_reader.h"

#define STALL_NS 100000000ull

struct evenness {
	const struct step_record *step;
	struct window window;
	struct consistency consistency;
	double unit_s;
	bool scored;
	bool swept;	  /* one of several points or rounds */
};

/* Steps that were steady for too short to score: told together. */
#define REFUSALS_MAX 16u
struct refusals {
	uint32_t count;
	struct evenness even[REFUSALS_MAX];
};

static json_t *consistency_json(const struct evenness *even)
{
	const struct consistency *c = &even->consistency;
	json_t *data = json_object();

	json_object_set_new(data, "window_start_ns", json_integer((json_int_t)even->window.start_ns));
	json_object_set_new(data, "window_end_ns", json_integer((json_int_t)even->window.end_ns));
	json_object_set_new(data, "verified_before", json_boolean(even->window.inherited));
	json_object_set_new(data, "scored", json_boolean(even->scored));
	data_real(data, "second_s", even->unit_s);
	json_object_set_new(data, "seconds", json_integer(c->seconds));
	json_object_set_new(data, "needs_seconds", json_integer(c->needs_seconds));
	data_real(data, "mean_iops", c->mean);
	data_real(data, "median_iops", c->median);
	data_real(data, "floor_iops", c->floor_iops);
	data_real(data, "effective_seconds", c->effective_seconds);
	data_real(data, "c99_9", c->ratio);
	data_real(data, "c99", c->c99);
	data_real(data, "variation", c->variation);
	data_real(data, "robust_variation", c->robust_variation);
	data_real(data, "share_below_half", c->below_half);
	data_real(data, "share_below_tenth", c->below_tenth);
	data_real(data, "share_silent", c->silent);
	json_object_set_new(data, "longest_below_half_s", json_integer(c->longest_below_half_s));
	json_object_set_new(data, "longest_silent_s", json_integer(c->longest_silent_s));
	return data;
}

/* A scaled run has no seconds: what is judged in their place is as much shorter. */
static struct saying *seconds_of(const struct evenness *even, struct saying *seconds)
{
	char piece[UNITS_TEXT];

	if (even->scored)
		return saying_word(seconds, SAID_WORD("seconds"));
	saying_add(seconds, "pieces of %s", duration_format((uint64_t)(even->unit_s * 1e9 + 0.5), piece));
	return seconds;
}

static struct saying *mark_of(const struct evenness *even, struct saying *mark)
{
	if (!even->scored)
		saying_add(mark, " (scaled, not scored)");
	return mark;
}

static struct finding_record ratio_finding(const struct evenness *even)
{
	const struct consistency *c = &even->consistency;

	return (struct finding_record){
		.kind = "consistency",
		.unit = "ratio",
		.value = c->ratio,
		.low = c->floor_low / c->mean,
		.high = c->floor_high / c->mean,
	};
}

static int ratio_tell(const struct evidence *evidence, const struct evenness *even, struct refusals *refusals)
{
	const struct consistency *c = &even->consistency;
	struct finding_record finding = ratio_finding(even);
	struct saying title = { 0 }, seconds = { 0 }, mark = { 0 };

	if (isnan(c->ratio)) {
		/* a short point of a sweep: nobody expects it there */
		if (!even->swept && refusals->count < REFUSALS_MAX)
			refusals->even[refusals->count++] = *even;
		return 0;
	}
	return finding_put(evidence, even->step, &finding, consistency_json(even),
			   "Consistency of %p over %u steady %p: the slowest of a thousand had %.1f %% "
			   "of the mean (%.0f of %.0f IOPS)%p.",
			   step_title(evidence, even->step, &title), c->seconds, seconds_of(even, &seconds),
			   100 * c->ratio, c->floor_iops, c->mean, mark_of(even, &mark));
}

static int refusal_tell(const struct evidence *evidence, const struct evenness *even)
{
	const struct consistency *c = &even->consistency;
	struct finding_record finding = ratio_finding(even);
	struct saying title = { 0 }, seconds = { 0 }, mark = { 0 };

	return finding_put(evidence, even->step, &finding, consistency_json(even),
			   "Consistency of %p is refused: %u steady %p, %u more are needed; the slowest of "
			   "a hundred had %.1f %% of the mean%p.",
			   step_title(evidence, even->step, &title), c->seconds, seconds_of(even, &seconds),
			   c->needs_seconds, 100 * c->c99, mark_of(even, &mark));
}

static int refusals_tell(const struct evidence *evidence, const struct refusals *refusals)
{
	struct finding_record finding = { .kind = "consistency", .unit = "ratio", .value = NAN, .low = NAN,
					  .high = NAN };
	const struct evenness *first = &refusals->even[0];
	struct saying list = { 0 }, seconds = { 0 }, mark = { 0 };
	json_t *data, *steps;

	if (refusals->count < 2)
		return refusals->count ? refusal_tell(evidence, first) : 0;
	data = json_object();
	steps = json_array();
	for (uint32_t i = 0; i < refusals->count; i++) {
		const struct evenness *even = &refusals->even[i];
		json_t *step = consistency_json(even);

		data_text(step, "step", even->step->name);
		json_array_append_new(steps, step);
		saying_add(&list, i ? ", '%s' (%u, %.1f %%)" : "'%s' (%u, %.1f %%)", even->step->name,
			   even->consistency.seconds, 100 * even->consistency.c99);
	}
	json_object_set_new(data, "steps", steps);
	return finding_put(evidence, first->step, &finding, data,
			   "Consistency is refused for these steps, as it takes %u steady %p (in brackets: how many "
			   "there were, and what the slowest of a hundred had of the mean): %p%p.",
			   first->consistency.seconds + first->consistency.needs_seconds,
			   seconds_of(first, &seconds), &list, mark_of(first, &mark));
}

static int floor_tell(const struct evidence *evidence, const struct evenness *even)
{
	const struct consistency *c = &even->consistency;
	struct finding_record finding = {
		.kind = "floor_iops",
		.unit = "iops",
		.value = c->floor_iops,
		.low = c->floor_low,
		.high = c->floor_high,
	};
	struct saying title = { 0 }, seconds = { 0 }, mark = { 0 };

	if (isnan(c->floor_iops))
		return 0;
	if (!(c->floor_iops > 0))
		return finding_put(evidence, even->step, &finding, consistency_json(even),
				   "Floor of %p: more than one in a thousand steady %p had no I/O at all%p.",
				   step_title(evidence, even->step, &title), seconds_of(even, &seconds),
				   mark_of(even, &mark));
	return finding_put(evidence, even->step, &finding, consistency_json(even),
			   "Floor of %p: in 999 of 1000 steady %p %.0f IOPS or more%p.",
			   step_title(evidence, even->step, &title), seconds_of(even, &seconds), c->floor_iops,
			   mark_of(even, &mark));
}

static int dropouts_tell(const struct evidence *evidence, const struct evenness *even)
{
	const struct consistency *c = &even->consistency;
	struct finding_record finding = {
		.kind = "dropouts",
		.unit = "ratio",
		.value = c->below_half,
		.low = NAN,
		.high = NAN,
	};
	struct saying title = { 0 }, seconds = { 0 }, mark = { 0 }, silent = { 0 };

	if (!(c->below_half > 0) || even->swept)
		return 0;
	if (c->silent > 0)
		saying_add(&silent, "; %.0f had nothing at all", c->silent * c->seconds);
	return finding_put(evidence, even->step, &finding, consistency_json(even),
			   "Of %u steady %p of %p %.0f fell below half of the median, at worst %u in a row%p%p.",
			   c->seconds, seconds_of(even, &seconds), step_title(evidence, even->step, &title),
			   c->below_half * c->seconds, c->longest_below_half_s, &silent, mark_of(even, &mark));
}

/* Standstills that began in the window. False: there were more in the step than its list holds. */
static bool stalls_in(const struct evidence *evidence, const struct evenness *even, uint64_t *ret_count,
		      uint64_t *longest_ns)
{
	uint64_t count = 0, listed = 0, counted = 0;

	*longest_ns = 0;
	for (uint32_t i = 0; i < evidence->event_count; i++) {
		json_t *data, *stall;
		size_t k;

		if (evidence->events[i].step != even->step->id || strcmp(evidence->events[i].kind, "stalls"))
			continue;
		data = json_loads(evidence->events[i].data_json ? evidence->events[i].data_json : "", 0,
				  NULL);
		counted += json_count_in(json_object_get(data, "count"), "ge_100ms");
		json_array_foreach (json_object_get(data, "list"), k, stall) {
			uint64_t start = (uint64_t)json_integer_value(json_array_get(stall, 0));
			uint64_t length = (uint64_t)json_integer_value(json_array_get(stall, 1));

			listed += length >= STALL_NS;
			if (start < even->window.start_ns || start >= even->window.end_ns)
				continue;
			count += length >= STALL_NS;
			*longest_ns = length > *longest_ns ? length : *longest_ns;
		}
		json_decref(data);
	}
	*ret_count = count;
	return listed >= counted;
}

static int stalls_tell(const struct evidence *evidence, const struct evenness *even)
{
	double hours = window_seconds(&even->window) / 3600;
	uint64_t longest_ns, count;
	bool all = stalls_in(evidence, even, &count, &longest_ns);
	struct finding_record finding = { .kind = "steady_stalls" };
	json_t *data = json_object();
	char time[UNITS_TEXT], length[UNITS_TEXT];
	struct saying title = { 0 }, mark = { 0 }, often = { 0 };

	often_put(count, hours, &finding);
	json_object_set_new(data, "stalls", json_integer((json_int_t)count));
	json_object_set_new(data, "longest_ns", json_integer((json_int_t)longest_ns));
	data_real(data, "hours", hours);
	duration_format(even->window.end_ns - even->window.start_ns, time);
	/* find_stalls.c tells of all of the step */
	if (!all || even->swept || (count && !even->window.start_ns && even->window.end_ns >= even->step->duration_ns)) {
		json_decref(data);
		return 0;
	}
	step_title(evidence, even->step, &title);
	if (hours >= CONFIDENCE_HOURS_MIN)
		often_say(count, hours, &often);
	if (!count)
		return finding_put(evidence, even->step, &finding, data,
				   "No standstill of 100 ms or longer in %s of steady state of %p%p%p.", time,
				   &title, &often, mark_of(even, &mark));
	if (count == 1)
		return finding_put(evidence, even->step, &finding, data,
				   "One standstill of 100 ms or longer in %s of steady state of %p, of %s%p%p.", time,
				   &title, duration_format(longest_ns, length), &often, mark_of(even, &mark));
	return finding_put(evidence, even->step, &finding, data,
			   "%" PRIu64 " standstills of 100 ms or longer in %s of steady state of %p, the longest "
			   "%s%p%p.",
			   count, time, &title, duration_format(longest_ns, length), &often, mark_of(even, &mark));
}

/* Are there other points or rounds of it? */
static bool is_swept(const struct evidence *evidence, const struct step_record *step)
{
	for (uint32_t i = 0; i < evidence->step_count; i++)
		if (&evidence->steps[i] != step && step_siblings(evidence, &evidence->steps[i], step))
			return true;
	return false;
}

static int evenness_tell(const struct evidence *evidence, struct evenness *even, struct refusals *refusals)
{
	double *iops;
	uint32_t count;
	int error = window_iops(evidence, even->step, &even->window, &iops, &count, &even->unit_s);

	if (error)
		return error == -ERANGE ? 0 : error;
	error = count >= CONSISTENCY_SECONDS_C99 ? consistency_of(iops, count, &even->consistency) : -ERANGE;
	free(iops);
	if (error)
		return error == -ERANGE ? 0 : error;
	even->swept = is_swept(evidence, even->step);
	even->scored = evidence->run->scale == 1;
	error = ratio_tell(evidence, even, refusals);
	if (!error)
		error = floor_tell(evidence, even);
	if (!error)
		error = dropouts_tell(evidence, even);
	return error ? error : stalls_tell(evidence, even);
}

int find_consistency(const struct evidence *evidence)
{
	struct refusals refusals = { 0 };
	int error = 0;

	for (uint32_t i = 0; i < evidence->step_count && !error; i++) {
		struct evenness even = { .step = &evidence->steps[i] };

		if (window_of(evidence, even.step, &even.window))
			error = evenness_tell(evidence, &even, &refusals);
	}
	return error ? error : refusals_tell(evidence, &refusals);
}
