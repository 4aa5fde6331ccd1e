/* What searches found: the highest open-loop rate that meets a limit. The run tells each as an event with its
 * numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "assay/finding.h"
#include "store/json_reader.h"

static int none_put(const struct evidence *evidence, const struct step_record *step, json_t *data, const char *title,
		    const char *limit, struct finding_record *finding)
{
	const double high = finding->high;

	if (isnan(high))
		return finding_put(evidence, step, finding, data, "The search of %s for %s found no rate.", title, limit);
	return finding_put(evidence, step, finding, data, "No open-loop rate was found at which %s meets %s: %.6g I/Os per "
			   "second already exceed it.", title, limit, high);
}

static int found_put(const struct evidence *evidence, const struct step_record *step, json_t *data, const char *title,
		     const char *limit, struct finding_record *finding)
{
	double closed = json_real_in(data, "closed_loop");
	char between[96] = "", of_closed[96] = "";

	if (finding->low < finding->value && finding->high > finding->value)
		snprintf(between, sizeof(between), " (surely met at %.6g, surely missed at %.6g)", finding->low, finding->high);
	else if (finding->high > finding->value)
		snprintf(between, sizeof(between), " (surely missed at %.6g)", finding->high);
	if (closed > 0)
		snprintf(of_closed, sizeof(of_closed), "; that is %.0f %% of the %.6g of its closed loop",
			 100 * finding->value / closed, closed);
	return finding_put(evidence, step, finding, data, "%s meets %s up to %.6g I/Os per second in an open loop%s%s.",
			   title, limit, finding->value, between, of_closed);
}

static int search_put(const struct evidence *evidence, const struct event_record *event)
{
	const struct step_record *step = evidence_step(evidence, event->step);
	json_t *data = event->data_json ? json_loads(event->data_json, 0, NULL) : NULL;
	struct finding_record finding = {
		.kind = "search", .unit = "ios_per_second",
		.value = json_real_in(data, "value"), .low = json_real_in(data, "low"), .high = json_real_in(data, "high"),
	};
	char title[STEP_TITLE], limit[128];

	if (!step || !json_is_string(json_object_get(data, "limit"))) {
		json_decref(data);
		return 0;
	}
	snprintf(limit, sizeof(limit), "%.120s", json_string_value(json_object_get(data, "limit")));
	snprintf(title, sizeof(title), "Step '%.180s'", step->name);
	if (isnan(finding.value)) {
		title[0] = 's';
		return none_put(evidence, step, data, title, limit, &finding);
	}
	return found_put(evidence, step, data, title, limit, &finding);
}

int find_search(const struct evidence *evidence)
{
	int error = 0;

	for (uint32_t i = 0; i < evidence->event_count && !error; i++)
		if (!strcmp(evidence->events[i].kind, "search"))
			error = search_put(evidence, &evidence->events[i]);
	return error;
}
