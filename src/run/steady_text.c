#include "run/steady_text.h"

#include <jansson.h>
#include <math.h>

static void real_set(json_t *object, const char *key, double value)
{
	json_t *number = json_real(value);

	json_object_set_new(object, key, number ? number : json_null());
}

static json_t *snia_object(const struct snia_verdict *snia, const char *tracked, bool asked)
{
	json_t *rule = json_object(), *values = json_array();

	json_object_set_new(rule, "met", json_boolean(snia->met));
	json_object_set_new(rule, "complete", json_boolean(snia->complete));
	json_object_set_new(rule, "asked", json_boolean(asked));
	json_object_set_new(rule, "tracked", tracked ? json_string(tracked) : json_null());
	json_object_set_new(rule, "last_round", json_integer(snia->last_round));
	for (int i = 0; i < SNIA_WINDOW; i++) {
		json_t *number = json_real(snia->y[i]);

		json_array_append_new(values, number ? number : json_null());
	}
	json_object_set_new(rule, "values", values);
	real_set(rule, "average", snia->average);
	real_set(rule, "range", snia->range);
	real_set(rule, "range_allowed", snia->range_allowed);
	real_set(rule, "slope", snia->slope);
	real_set(rule, "intercept", snia->intercept);
	real_set(rule, "slope_excursion", snia->slope_excursion);
	real_set(rule, "slope_allowed", snia->slope_allowed);
	return rule;
}

static char *object_text(json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT);

	json_decref(object);
	return text;
}

char *steady_json(const char *name, const struct snia_verdict *snia, const char *tracked, bool ended)
{
	json_t *object = json_object();

	json_object_set_new(object, "ended", json_boolean(ended));

	json_object_set_new(object, "verdict", json_string(name));
	json_object_set_new(object, "snia", snia_object(snia, tracked, true));
	return object_text(object);
}

static json_t *gate_object(const struct settle *settle)
{
	json_t *gate = json_object();

	json_object_set_new(gate, "open", json_boolean(settle->gate_open));
	json_object_set_new(gate, "opened_ns",
			    settle->gate_open ? json_integer((json_int_t)settle->gate_open_ns) : json_null());
	json_object_set_new(gate, "needed_bytes", json_integer((json_int_t)settle->gate_bytes));
	json_object_set_new(gate, "needed_ns",
			    json_integer((json_int_t)(steady_short_s(&settle->steady.config) *
						      (double)settle->unit_ns)));
	json_object_set_new(gate, "written_bytes", json_integer((json_int_t)settle->written_bytes));
	json_object_set_new(gate, "settled_before", json_boolean(settle->config.settled));
	json_object_set_new(gate, "relaxed", json_boolean(settle->config.scale < 1));
	json_object_set_new(gate, "coarse", json_boolean(settle_is_coarse(settle)));
	json_object_set_new(gate, "longest_interval_ns", json_integer((json_int_t)settle->longest_ns));
	return gate;
}

/* Nanoseconds since the step's start of a place on the detector's axis. */
static json_t *time_of(const struct settle *settle, double units)
{
	return json_integer((json_int_t)((double)settle->gate_open_ns + units * (double)settle->unit_ns));
}

static json_t *window_object(const struct settle *settle, const struct steady_verdict *verdict)
{
	json_t *window = json_object();

	json_object_set_new(window, "start_ns", time_of(settle, verdict->window_start_s));
	json_object_set_new(window, "end_ns", time_of(settle, verdict->judged_s));
	return window;
}

static json_t *range_object(double low, double high)
{
	json_t *range = json_object();

	real_set(range, "low", low);
	real_set(range, "high", high);
	return range;
}

static json_t *drift_object(const struct settle *settle, const struct steady_verdict *verdict)
{
	double per_hour = 1e9 / (double)settle->unit_ns;
	json_t *drift = range_object((verdict->drift_per_hour - verdict->drift_half_width) * per_hour,
				     (verdict->drift_per_hour + verdict->drift_half_width) * per_hour);

	real_set(drift, "per_hour", verdict->drift_per_hour * per_hour);
	real_set(drift, "bound", verdict->drift_bound);
	real_set(drift, "bound_allowed", settle->steady.config.drift_max);
	return drift;
}

static json_t *period_object(const struct settle *settle, const struct steady_verdict *verdict)
{
	json_t *period = json_object();

	json_object_set_new(period, "length_ns",
			    json_integer((json_int_t)(verdict->period_s * (double)settle->unit_ns)));
	real_set(period, "amplitude", verdict->amplitude);
	return period;
}

static json_t *levels_object(const struct steady_verdict *verdict)
{
	json_t *levels = range_object(verdict->levels.low, verdict->levels.high);

	real_set(levels, "share_low", verdict->levels.share_low);
	json_object_set_new(levels, "switches", json_integer(verdict->levels.switches));
	return levels;
}

static json_t *mser_object(const struct settle *settle, const struct mser *mser)
{
	json_t *object = json_object();

	json_object_set_new(object, "valid", json_boolean(mser->valid));
	json_object_set_new(object, "from_ns", time_of(settle, mser->from_s));
	real_set(object, "mean", mser->mean);
	return object;
}

/* Slopes as shares of the window's mean per hour. */
static json_t *trend_object(const struct settle *settle, const struct settle_outcome *outcome)
{
	const struct trend *trend = &outcome->trend;
	double per_hour = 3600e9 / ((double)settle->unit_ns * outcome->verdict.batch_s *
				    outcome->verdict.mean);
	json_t *object = range_object(trend->low * per_hour, trend->high * per_hour);

	json_object_set_new(object, "batches", json_integer(trend->batches));
	real_set(object, "tau", trend->tau);
	real_set(object, "p", trend->p);
	real_set(object, "per_hour", trend->slope * per_hour);
	return object;
}

/* What the detector saw; all null when there was too little to look at. */
static void judged_set(json_t *object, const struct settle *settle, const struct steady_verdict *verdict)
{
	bool judged = verdict->batches > 0;
	double half = verdict->mean * verdict->mean_half_width;

	json_object_set_new(object, "window", judged ? window_object(settle, verdict) : json_null());
	real_set(object, "mean", judged ? verdict->mean : NAN);
	json_object_set_new(object, "interval",
			    judged ? range_object(verdict->mean - half, verdict->mean + half) : json_null());
	real_set(object, "precision", judged ? verdict->mean_half_width : NAN);
	real_set(object, "precision_allowed", settle->steady.config.precision_max);
	json_object_set_new(object, "drift", judged ? drift_object(settle, verdict) : json_null());
	json_object_set_new(object, "period",
			    verdict->period_s > 0 ? period_object(settle, verdict) : json_null());
	json_object_set_new(object, "levels", verdict->levels.bimodal ? levels_object(verdict) : json_null());
	json_object_set_new(object, "big_changes", json_integer(verdict->big_changes));
	json_object_set_new(object, "last_change_ns",
			    verdict->last_change_s > 0 ? time_of(settle, verdict->last_change_s)
						       : json_null());
	json_object_set_new(object, "unseen_every_ns",
			    json_integer((json_int_t)(verdict->unseen_every_s * (double)settle->unit_ns)));
}

char *steady_step_json(const struct settle *settle, const struct settle_outcome *outcome,
		       const struct snia_verdict *snia)
{
	json_t *object = json_object();

	json_object_set_new(object, "verdict", json_string(steady_kind_name(outcome->verdict.kind)));
	json_object_set_new(object, "tracked", json_string("iops"));
	json_object_set_new(object, "gate", gate_object(settle));
	judged_set(object, settle, &outcome->verdict);
	json_object_set_new(object, "mser5", outcome->mser.batches >= MSER_BATCHES_MIN ?
			    mser_object(settle, &outcome->mser) : json_null());
	json_object_set_new(object, "trend",
			    outcome->trend.batches ? trend_object(settle, outcome) : json_null());
	json_object_set_new(object, "snia", snia_object(snia ? snia : &outcome->snia, "iops", snia != NULL));
	return object_text(object);
}
