/* Did the drive reach steady state, where, and how it answered there, the transient apart. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/effective.h"
#include "analyze/steady.h"
#include "assay/finding.h"
#include "assay/window.h"
#include "base/units.h"
#include "store/json_reader.h"

#define SLOW_NS 10000000u
#define SHORT_WINDOW_NS 600e9		/* what a shorter one lost is told of it and not of an hour */
#define BOUND_PERCENT_MIN 0.001		/* a drift below it is told as at most that */

/* NaN where the I/Os are worth too few to tell. */
static double percentile_of(const struct histogram *times, double p, double effective)
{
	bool told = effective_percentile(times->moments.n, effective, p).grade != CONFIDENCE_REFUSED;

	return told ? (double)histogram_percentile(times, p) : NAN;
}

static json_t *percentiles_json(const struct histogram *times, const double effective[WINDOW_PERCENTILES])
{
	json_t *object = json_object();
	double value[WINDOW_PERCENTILES];
	char name[16];

	json_object_set_new(object, "n", json_integer((json_int_t)times->moments.n));
	data_real(object, "mean", histogram_mean_ns(times));
	for (uint32_t i = 0; i < WINDOW_PERCENTILES; i++) {
		value[i] = percentile_of(times, window_percentiles[i] / 100, effective[i]);
		snprintf(name, sizeof(name), "p%g", window_percentiles[i]);
		data_real(object, name, value[i]);
	}
	json_object_set_new(object, "max", json_integer((json_int_t)times->moments.max_ns));
	data_real(object, "p99.9_over_p50", value[2] / value[0]);
	data_real(object, "p99.99_over_p50", value[3] / value[0]);
	data_real(object, "waiting_share_over_10ms", 1 - histogram_waiting_share(times, SLOW_NS));
	return object;
}

static json_t *ops_json(const struct window_part *part)
{
	json_t *object = json_object();

	for (int op = 0; op < IO_OPS; op++)
		if (part->times[op].moments.n)
			json_object_set_new(object, io_op_name((enum io_op)op),
					    percentiles_json(&part->times[op], part->effective[op]));
	return object;
}

/* How the speed moves in the window, in words; "" = evenly. Regimes may lie on more than two levels: then
 * none are told. */
static void shape_say(const json_t *verdict, struct saying *saying)
{
	const char *name = json_string_value(json_object_get(verdict, "verdict"));
	const json_t *levels = json_object_get(verdict, "levels");
	double wave = json_real_in(json_object_get(verdict, "period"), "length_ns");
	double low = json_real_in(levels, "low"), high = json_real_in(levels, "high");
	char length[UNITS_TEXT];

	if (!strcmp(name, "steady_oscillating") && wave >= 0)
		saying_add(saying, ", in waves of %s", duration_format((uint64_t)wave, length));
	else if (!strcmp(name, "steady_oscillating"))
		saying_add(saying, ", in waves");
	else if (!strcmp(name, "steady_regimes") && isfinite(low) && isfinite(high))
		saying_add(saying, ", jumping between %.0f and %.0f IOPS", low, high);
	else if (!strcmp(name, "steady_regimes"))
		saying_add(saying, ", jumping, but not between two clear levels");
}

/* "0.52 % an hour", of a window that is longer "... over it"; a scaled run has a scaled hour. */
static struct saying *drift_say(const json_t *verdict, const struct window *window, double run_scale,
				struct saying *drift)
{
	double bound = fmax(100 * json_real_in(json_object_get(verdict, "drift"), "bound"), BOUND_PERCENT_MIN);

	const double horizon_s = steady_config_scaled(&steady_config_default, fmin(run_scale, 1)).horizon_s;
	char time[UNITS_TEXT];

	if (window_seconds(window) > horizon_s)
		saying_add(drift, "%.2g %% over it", bound);
	else if (run_scale < 1)
		saying_add(drift, "%.2g %% in %s", bound, duration_format((uint64_t)(horizon_s * 1e9), time));
	else
		saying_add(drift, "%.2g %% an hour", bound);
	return drift;
}

static int steady_tell(const struct evidence *evidence, const struct step_record *step,
		       const struct window *window)
{
	const json_t *verdict = step_verdict(evidence, step),
		     *interval = json_object_get(verdict, "interval");
	struct finding_record finding = {
		.kind = "steady_state",
		.unit = "iops",
		.value = json_real_in(verdict, "mean"),
		.low = json_real_in(interval, "low"),
		.high = json_real_in(interval, "high"),
	};
	struct window_times *times = malloc(sizeof(*times));
	json_t *data = json_deep_copy(verdict);
	struct saying title = { 0 }, drift = { 0 }, how = { 0 }, mark = { 0 };
	bool met = json_is_true(json_object_get(json_object_get(verdict, "snia"), "met"));
	char from[UNITS_TEXT], to[UNITS_TEXT], unseen[UNITS_TEXT];
	int error = times && data ? window_times(evidence, step, window, times) : -ENOMEM;

	if (!error) {
		json_object_set_new(data, "window_service_ns", ops_json(&times->inside));
		json_object_set_new(data, "transient_service_ns", ops_json(&times->before));
		shape_say(verdict, &how);
		if (evidence->run->scale < 1)
			saying_add(&mark, " (scaled, not scored)");
		error = finding_put(
			evidence, step, &finding, json_incref(data),
			met ? "Steady state in %p from %s to %s: %.0f IOPS (%.0f to %.0f), drift at most %p%p; SNIA's rule: "
			      "met; a state that comes less often than every %s would not have been seen%p."
			    : "Steady state in %p from %s to %s: %.0f IOPS (%.0f to %.0f), drift at most %p%p; SNIA's rule: "
			      "not met; a state that comes less often than every %s would not have been seen%p.",
			step_title(evidence, step, &title), duration_format(window->start_ns, from),
			duration_format(window->end_ns, to), finding.value, finding.low, finding.high,
			drift_say(verdict, window, evidence->run->scale, &drift), &how,
			duration_format((window->end_ns - window->start_ns) / 3, unseen), &mark);
	}
	json_decref(data);
	free(times);
	return error;
}

/* Without an exponent. */
static const char *percent_text(double share, char text[NUMBER_TEXT])
{
	if (fabs(share) >= 9)
		return number_text(100 * share, text);
	snprintf(text, NUMBER_TEXT, "%.3g", 100 * share);
	return text;
}

static uint64_t since_gate_ns(const struct step_record *step, const json_t *gate)
{
	double opened = json_real_in(gate, "opened_ns");

	return opened >= 0 && opened < (double)step->duration_ns ? step->duration_ns - (uint64_t)opened : 0;
}

static double window_ns(const json_t *verdict)
{
	const json_t *window = json_object_get(verdict, "window");

	return json_real_in(window, "end_ns") - json_real_in(window, "start_ns");
}

/* An hour is none of a short window's business: the second half of a step of some seconds would change by
 * "94648 % an hour". */
static void change_say(const json_t *drift, double judged_ns, struct saying *saying)
{
	const bool is_short = judged_ns < SHORT_WINDOW_NS;
	const double times = is_short ? judged_ns / 3600e9 : 1;
	char time[UNITS_TEXT], percent[3][NUMBER_TEXT];

	percent_text(times * json_real_in(drift, "per_hour"), percent[0]);
	percent_text(times * json_real_in(drift, "low"), percent[1]);
	percent_text(times * json_real_in(drift, "high"), percent[2]);
	if (is_short)
		saying_add(saying, "the speed went on changing by %s %% in the %s that were judged (%s to %s)",
			   percent[0], duration_format((uint64_t)judged_ns, time), percent[1], percent[2]);
	else
		saying_add(saying, "the speed went on changing by %s %% an hour (%s to %s)", percent[0],
			   percent[1], percent[2]);
}

/* What had to be written first was not. */
static void closed_gate_say(const json_t *gate, struct saying *saying)
{
	char written[UNITS_TEXT], needed[UNITS_TEXT];

	capacity_format((uint64_t)json_real_in(gate, "written_bytes"), written);
	capacity_format((uint64_t)json_real_in(gate, "needed_bytes"), needed);
	if (strcmp(written, needed))
		saying_add(saying, "it ended when %s of the %s were written that must be before it can be judged",
			   written, needed);
	else
		saying_add(saying, "it ended as the %s were written that must be before it can be judged", needed);
}

static void too_short_say(const struct step_record *step, const json_t *gate, struct saying *saying)
{
	char lasted[UNITS_TEXT], needed[UNITS_TEXT];

	if (!json_is_true(json_object_get(gate, "open")))
		closed_gate_say(gate, saying);
	else if (json_is_true(json_object_get(gate, "coarse")))
		saying_add(saying, "one of its intervals lasted %s, and how even the speed was in it is not known (a busy "
			   "computer puts intervals together)",
			   duration_format((uint64_t)json_real_in(gate, "longest_interval_ns"), lasted));
	else if (since_gate_ns(step, gate))
		saying_add(saying, "too short to say: it ended %s after its work gate had opened, and is judged from "
			   "%s on",
			   duration_format(since_gate_ns(step, gate), lasted),
			   duration_format((uint64_t)json_real_in(gate, "needed_ns"), needed));
	else
		saying_add(saying, "too short to say: it ended as its work gate opened, and is judged from %s on",
			   duration_format((uint64_t)json_real_in(gate, "needed_ns"), needed));
}

/* Judged, and neither steady nor drifting for sure: what was beyond what is allowed. */
static void unsure_say(const json_t *verdict, struct saying *saying)
{
	const json_t *drift = json_object_get(verdict, "drift");
	const double bound = json_real_in(drift, "bound"), bound_allowed = json_real_in(drift, "bound_allowed");
	const double precision = json_real_in(verdict, "precision");
	const double precision_allowed = json_real_in(verdict, "precision_allowed");
	char percent[NUMBER_TEXT];

	percent_text(bound, percent);
	if (precision > precision_allowed && !(bound > bound_allowed))
		saying_add(saying, "no drift, but the mean is known to %.2g %% only (%.2g %% allowed)", 100 * precision,
			   100 * precision_allowed);
	else if (precision > precision_allowed)
		saying_add(saying, "the mean is known to %.2g %% only (%.2g %% allowed), and the speed may still drift by up "
			   "to %s %% (%.0f %% allowed)",
			   100 * precision, 100 * precision_allowed, percent, 100 * bound_allowed);
	else if (bound > bound_allowed)
		saying_add(saying, "the speed may still drift by up to %s %% (%.0f %% allowed)", percent,
			   100 * bound_allowed);
	else
		saying_add(saying, "the speed has jumped too lately: it must have stayed for two thirds of the time");
}

/* Why there is none, in words. */
static void reason_say(const struct step_record *step, const json_t *verdict, struct saying *saying)
{
	const char *name = json_string_value(json_object_get(verdict, "verdict"));

	name = name ? name : "";
	if (!strcmp(name, "time_limited"))
		too_short_say(step, json_object_get(verdict, "gate"), saying);
	else if (!strcmp(name, "drifting"))
		change_say(json_object_get(verdict, "drift"), window_ns(verdict), saying);
	else
		unsure_say(verdict, saying);
}

static const char *verdict_name(const struct evidence *evidence, const struct step_record *step)
{
	const char *name = json_string_value(json_object_get(step_verdict(evidence, step), "verdict"));

	return name ? name : "";
}

/* Points of one step with one verdict are told together, at the first of them: how many; 0 = told already. */
static uint32_t points_alike(const struct evidence *evidence, const struct step_record *step)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < evidence->step_count; i++) {
		const struct step_record *other = &evidence->steps[i];

		if (!step_siblings(evidence, other, step) || !step_verdict(evidence, other) ||
		    strcmp(verdict_name(evidence, other), verdict_name(evidence, step)))
			continue;
		if (other < step)
			return 0;
		count++;
	}
	return count;
}

static int unsteady_tell(const struct evidence *evidence, const struct step_record *step)
{
	const json_t *verdict = step_verdict(evidence, step);
	struct finding_record finding = {
		.kind = "steady_state", .unit = "iops", .value = NAN, .low = NAN, .high = NAN
	};
	uint32_t alike = points_alike(evidence, step);
	struct saying title = { 0 }, why = { 0 };
	struct window window;

	if (!alike)
		return 0;
	step_title(evidence, step, &title);
	if (alike > 1)
		saying_add(&title, " and %u more of its points", alike - 1);
	reason_say(step, verdict, &why);
	if (window_of(evidence, step, &window) && window.inherited)
		return finding_put(evidence, step, &finding, json_deep_copy(verdict),
				   "The steady state verified just before is taken over for %p; by itself it shows none: %p.",
				   &title, &why);
	return finding_put(evidence, step, &finding, json_deep_copy(verdict),
			   "No steady state is claimed for %p: %p.", &title, &why);
}

int find_steady(const struct evidence *evidence)
{
	int error = 0;

	for (uint32_t i = 0; i < evidence->step_count && !error; i++) {
		const struct step_record *step = &evidence->steps[i];
		struct window window;

		if (!step_verdict(evidence, step))
			continue;
		if (window_verified(evidence, step, &window))
			error = steady_tell(evidence, step, &window);
		else
			error = unsteady_tell(evidence, step);
	}
	return error;
}
