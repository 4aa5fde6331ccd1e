/* Was SNIA's steady state reached, where a step or a group was to go on until it is? */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "analyze/snia.h"
#include "assay/finding.h"
#include "store/json_reader.h"

/* Of the average; digits enough to see on which side of what is allowed it lies, and no exponent. */
static const char *percent_text(double part, double average, char text[NUMBER_TEXT])
{
	double percent = 100 * part / average;

	snprintf(text, NUMBER_TEXT, "%.*f", percent >= 10 || !(percent > 0) ? 2 : percent >= 0.01 ? 3 : 5, percent);
	return text;
}

/* How the last five rounds stood. */
static void window_say(const json_t *snia, struct saying *saying)
{
	double average = json_real_in(snia, "average");
	char range[NUMBER_TEXT], slope[NUMBER_TEXT];

	if (!json_is_true(json_object_get(snia, "complete"))) {
		saying_add(saying, "it takes %u rounds, and there was time for %.0f", SNIA_WINDOW,
			   json_real_in(snia, "last_round"));
		return;
	}
	saying_add(saying, "range %s %% of the average (20 %% allowed), slope %s %% (10 %% allowed)",
		   percent_text(json_real_in(snia, "range"), average, range),
		   percent_text(json_real_in(snia, "slope_excursion"), average, slope));
}

/* A step with rounds of its own. */
static int step_tell(const struct evidence *evidence, const struct step_record *step)
{
	struct finding_record finding = {
		.kind = "snia_steady_state", .unit = "iops", .low = NAN, .high = NAN
	};
	const json_t *verdict = step_verdict(evidence, step), *snia = json_object_get(verdict, "snia");
	struct saying title = { 0 }, window = { 0 };
	bool met = json_is_true(json_object_get(snia, "met"));

	if (!json_is_true(json_object_get(snia, "asked")))
		return 0;
	finding.value = met ? json_real_in(snia, "average") : NAN;
	step_title(evidence, step, &title);
	window_say(snia, &window);
	return finding_put(evidence, step, &finding, json_deep_copy(verdict),
			   met ? "SNIA's steady state was reached in %p: %p."
			       : "SNIA's steady state was NOT REACHED in %p: %p.",
			   &title, &window);
}

static json_t *verdict_of(const struct event_record *event)
{
	if (strcmp(event->kind, "steady") || !event->step || !event->data_json)
		return NULL;
	return json_loads(event->data_json, JSON_REJECT_DUPLICATES, NULL);
}

/* The verdicts of a group's last round: one event after the other, one for each figure that it tracks. */
struct verdicts {
	const struct step_record *step;	/* of the first; NULL = none yet */
	double round;
	uint32_t count, met;
	struct saying say;
	json_t *data;
};

static bool verdict_has(const struct verdicts *verdicts, const char *tracked)
{
	for (size_t i = 0; i < json_array_size(verdicts->data); i++) {
		const json_t *snia = json_object_get(json_array_get(verdicts->data, i), "snia");

		if (!strcmp(json_string_value(json_object_get(snia, "tracked")), tracked))
			return true;
	}
	return false;
}

static void verdict_add(struct verdicts *verdicts, const struct step_record *step, json_t *verdict)
{
	const json_t *snia = json_object_get(verdict, "snia");
	struct saying window = { 0 };

	if (!verdicts->step) {
		verdicts->step = step;
		verdicts->round = json_real_in(snia, "last_round");
		verdicts->data = json_array();
	}
	window_say(snia, &window);
	if (verdicts->count++)
		saying_add(&verdicts->say, "; ");
	saying_add(&verdicts->say, "%s: %p", json_string_value(json_object_get(snia, "tracked")), &window);
	verdicts->met += json_is_true(json_object_get(snia, "met"));
	json_array_append(verdicts->data, verdict);
}

static int group_tell(const struct evidence *evidence, struct verdicts *verdicts)
{
	struct finding_record finding = {
		.kind = "snia_steady_state", .unit = "rounds", .value = NAN, .low = NAN, .high = NAN
	};
	bool met = verdicts->met == verdicts->count;
	json_t *data;
	int error;

	if (!verdicts->step)
		return 0;
	data = json_object();
	finding.value = met ? verdicts->round : NAN;
	json_object_set_new(data, "verdicts", verdicts->data);
	error = finding_put(evidence, verdicts->step, &finding, data,
			    met ? "SNIA's steady state was reached in group '%s' after %.0f rounds: %p."
				: "SNIA's steady state was NOT REACHED in group '%s' in %.0f rounds: %p.",
			    verdicts->step->group_name, verdicts->round, &verdicts->say);
	*verdicts = (struct verdicts){ 0 };
	return error;
}

static int verdict_take(const struct evidence *evidence, const struct event_record *event, json_t *verdict,
			struct verdicts *verdicts)
{
	const struct step_record *step = evidence_step(evidence, event->step);
	const json_t *snia = json_object_get(verdict, "snia");
	const char *tracked = json_string_value(json_object_get(snia, "tracked"));
	int error = 0;

	if (!step || !step->group_name || !tracked || !json_is_true(json_object_get(verdict, "ended")))
		return 0;
	if (verdicts->step &&
	    (strcmp(verdicts->step->group_name, step->group_name) ||
	     verdicts->round != json_real_in(snia, "last_round") || verdict_has(verdicts, tracked)))
		error = group_tell(evidence, verdicts);
	if (!error)
		verdict_add(verdicts, step, verdict);
	return error;
}

static int groups_tell(const struct evidence *evidence)
{
	struct verdicts verdicts = { 0 };
	int error = 0;

	for (uint32_t i = 0; i < evidence->event_count && !error; i++) {
		json_t *verdict = verdict_of(&evidence->events[i]);

		if (verdict)
			error = verdict_take(evidence, &evidence->events[i], verdict, &verdicts);
		json_decref(verdict);
	}
	if (!error)
		return group_tell(evidence, &verdicts);
	json_decref(verdicts.data);
	return error;
}

int find_snia(const struct evidence *evidence)
{
	int error = 0;

	for (uint32_t i = 0; i < evidence->step_count && !error; i++)
		if (step_verdict(evidence, &evidence->steps[i]))
			error = step_tell(evidence, &evidence->steps[i]);
	return error ? error : groups_tell(evidence);
}
