/* What searches found: the highest open-loop rate that meets a limit. The run tells each as an event with its
 * numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "assay/finding.h"
#include "store/json_reader.h"

static int none_put(const struct evidence *evidence, const struct step_record *step, json_t *data,
		    const char *limit, struct finding_record *finding)
{
	const double high = finding->high;
	char rate[NUMBER_TEXT];

	if (isnan(high))
		return finding_put(evidence, step, finding, data,
				   "The search of step '%s' for %s found no rate.", step->name, limit);
	return finding_put(evidence, step, finding, data,
			   "No open-loop rate was found at which step '%s' meets %s: %s I/Os per second already exceed it.",
			   step->name, limit, number_text(high, rate));
}

static int found_put(const struct evidence *evidence, const struct step_record *step, json_t *data,
		     const char *limit, struct finding_record *finding)
{
	double closed = json_real_in(data, "closed_loop");
	struct saying between = { 0 }, of_closed = { 0 };
	char rate[NUMBER_TEXT], met[NUMBER_TEXT], missed[NUMBER_TEXT];

	if (finding->low < finding->value && finding->high > finding->value)
		saying_add(&between, " (surely met at %s, surely missed at %s)", number_text(finding->low, met),
			   number_text(finding->high, missed));
	else if (finding->high > finding->value)
		saying_add(&between, " (surely missed at %s)", number_text(finding->high, missed));
	if (closed > 0)
		saying_add(&of_closed, "; that is %.0f %% of the %.0f of its closed loop",
			 100 * finding->value / closed, closed);
	return finding_put(evidence, step, finding, data,
			   "Step '%s' meets %s up to %s I/Os per second in an open loop%p%p.", step->name, limit,
			   number_text(finding->value, rate), &between, &of_closed);
}

static int search_put(const struct evidence *evidence, const struct event_record *event)
{
	const struct step_record *step = evidence_step(evidence, event->step);
	json_t *data = event->data_json ? json_loads(event->data_json, 0, NULL) : NULL;
	struct finding_record finding = {
		.kind = "search", .unit = "ios_per_second",
		.value = json_real_in(data, "value"), .low = json_real_in(data, "low"), .high = json_real_in(data, "high"),
	};
	const char *limit = json_string_value(json_object_get(data, "limit"));

	if (!step || !limit) {
		json_decref(data);
		return 0;
	}
	return isnan(finding.value) ? none_put(evidence, step, data, limit, &finding)
				    : found_put(evidence, step, data, limit, &finding);
}

int find_search(const struct evidence *evidence)
{
	int error = 0;

	for (uint32_t i = 0; i < evidence->event_count && !error; i++)
		if (!strcmp(evidence->events[i].kind, "search"))
			error = search_put(evidence, &evidence->events[i]);
	return error;
}
