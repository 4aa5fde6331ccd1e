#include "run/picks.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static char *pick_json(const struct conductor *conductor, const struct plan_pick *pick,
		       const struct figure *figure)
{
	const struct plan *plan = conductor->config->plan;
	json_t *data = json_object(), *values = json_object();
	char *json;

	for (uint32_t i = 0; i < figure->value_count; i++)
		json_object_set_new(values, figure->values[i].key,
				    figure->values[i].numeric ? json_real(figure->values[i].number)
							      : json_string(figure->values[i].text));
	json_object_set_new(data, "name", json_string(pick->name));
	json_object_set_new(data, "step", json_string(plan->steps[figure->step].name));
	json_object_set_new(data, "target", json_integer(figure->target));
	json_object_set_new(data, "values", values);
	json_object_set_new(data, "iops", json_real(figures_mean(&conductor->figures, figure, "iops")));
	json_object_set_new(data, "bytes_per_second",
			    json_real(figures_mean(&conductor->figures, figure, "bytes_per_second")));
	json_object_set_new(data, "mean_ns", json_real(figures_mean(&conductor->figures, figure, "mean")));
	json = json_dumps(data, JSON_COMPACT);
	json_decref(data);
	return json;
}

static int pick_tell(struct conductor *conductor, const struct plan_pick *pick)
{
	const struct figure *figure =
		figures_pick(&conductor->figures, conductor->config->plan, pick, conductor->target);
	char *json;
	int error;

	if (!figure)		/* the step that asks for it says so */
		return 0;
	json = pick_json(conductor, pick, figure);
	if (!json)
		return -ENOMEM;
	error = conductor_event(conductor, figure->record, "pick", json,
				"'%s' is a point of step '%s': %.0f I/Os per second, mean latency %.3g ms",
				pick->name, pick->step, figures_mean(&conductor->figures, figure, "iops"),
				figures_mean(&conductor->figures, figure, "mean") / 1e6);
	free(json);
	return error;
}

static const struct plan_step *top_of(const struct plan *plan, const struct plan_step *step)
{
	while (step->group >= 0)
		step = &plan->steps[step->group];
	return step;
}

int picks_tell(struct conductor *conductor, const struct plan_step *top)
{
	const struct plan *plan = conductor->config->plan;
	int error = 0;

	for (uint32_t i = 0; i < plan->step_count; i++)
		for (uint32_t k = 0;
		     k < plan->steps[i].pick_count && top_of(plan, &plan->steps[i]) == top && !error; k++)
			error = pick_tell(conductor, &plan->steps[i].pick[k]);
	return error;
}
