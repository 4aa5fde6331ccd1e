/* The points that a plan picked by what they reached: the run tells each as an event with its figures. */
#include <math.h>
#include <string.h>
#include "assay/finding.h"
#include "base/units.h"
#include "store/json_reader.h"

static int pick_put(const struct evidence *evidence, const struct event_record *event)
{
	const struct step_record *step = evidence_step(evidence, event->step);
	json_t *data = event->data_json ? json_loads(event->data_json, 0, NULL) : NULL;
	struct finding_record finding = { .kind = "picked_point",
					  .unit = "ios_per_second",
					  .low = NAN,
					  .high = NAN,
					  .value = json_real_in(data, "iops") };
	const char *name = json_string_value(json_object_get(data, "name"));
	struct saying title = { 0 };
	char mean[UNITS_TEXT];

	if (!step || !name || isnan(finding.value)) {
		json_decref(data);
		return 0;
	}
	step_title(evidence, step, &title);
	duration_format((uint64_t)json_real_in(data, "mean_ns"), mean);
	return finding_put(evidence, step, &finding, data,
			   "The point '%s' is %p: %.0f I/Os per second with a mean latency of %s.", name,
			   &title, finding.value, mean);
}

int find_pick(const struct evidence *evidence)
{
	int error = 0;

	for (uint32_t i = 0; i < evidence->event_count && !error; i++)
		if (!strcmp(evidence->events[i].kind, "pick"))
			error = pick_put(evidence, &evidence->events[i]);
	return error;
}
