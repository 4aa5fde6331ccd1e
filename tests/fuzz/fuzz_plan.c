/* libFuzzer target for the plan parser. The first byte picks dialect, strictness and scale; the rest is the
 * text. */
#include <stdlib.h>
#include <string.h>
#include "plan/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static const char *variable(void *context, const char *name)
{
	return strcmp(name, "SIZE") ? NULL : "4k";
}

/* Every point of the plan must be buildable again, and no message may lack its words. */
static void instantiate_all(const struct plan *plan, struct plan_instance *instance)
{
	for (uint32_t i = 0; i < plan->step_count; i++) {
		for (uint32_t point = 0; plan->steps[i].joined_to < 0 && point < plan->steps[i].point_count;
		     point++) {
			struct plan_place place = { .step = i, .point = point };

			if (plan_instantiate(plan, &place, NULL, instance, NULL))
				abort();
			if (instance->load_count > PLAN_LOADS_MAX || instance->value_count > PLAN_VALUES_MAX)
				abort();
			for (uint32_t load = 0; load < instance->load_count; load++)
				if (!instance->loads[load].numjobs || !instance->loads[load].iodepth ||
				    !instance->loads[load].sizes[0].count)
					abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint8_t choice = bytes ? data[0] : 0;
	struct plan_options options = {
		.dialect = choice & 1 ? PLAN_FIO : PLAN_NATIVE,
		.source = "fuzz",
		.name = "fuzz",
		.scale = choice & 4 ? 0.01 : 1,
		.strict = choice & 2,
		.allow_commands = true,
		.cpu_count = 4,
		.variable = variable,
	};
	char *text = calloc(1, bytes + 1);
	struct plan *plan = NULL;
	struct fault fault = { 0 };

	if (!text)
		return 0;
	memcpy(text, data + (bytes > 0), bytes - (bytes > 0));
	if (!plan_parse(text, &options, &plan, &fault)) {
		struct plan_instance *instance = calloc(1, sizeof(*instance));

		instantiate_all(plan, instance);
		free(instance);
		plan_free(plan);
	} else if (!fault.text[0]) {
		abort();
	}
	free(text);
	return 0;
}
