/* fuzz_sim_profile: any bytes as a profile's text and as a spec. What is accepted is in range, prints, reads
 * back the same, and makes a geometry or a fault. */
#include <stdlib.h>
#include <string.h>
#include "sim/geometry.h"
#include "sim/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void params_check(const struct sim_params *params)
{
	struct sim_params again;
	char text[SIM_VALUE_TEXT];

	sim_params_default(&again);
	for (size_t i = 0; sim_param_at(i); i++) {
		const struct sim_param *param = sim_param_at(i);
		const double value = sim_param_value(param, params);

		if (param->type != SIM_PARAM_NUMBER || value == (long long)value) {
			sim_param_format(param, params, text);
			if (sim_params_set(&again, param->name, text, 0, 0, NULL) ||
			    sim_param_value(param, &again) != value)
				abort();
		}
		if (!(value >= param->min && value <= param->max))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct sim_geometry geometry;
	struct sim_params params;
	struct fault fault = { 0 };
	char *text = malloc(bytes + 1);

	if (!text)
		return 0;
	memcpy(text, data, bytes);
	text[bytes] = 0;
	sim_params_default(&params);
	if (!sim_params_parse(&params, text, "fuzz", &fault))
		params_check(&params);
	else if (!*fault.text)
		abort();
	/* No names of files: a fuzzer finds /dev/stdin. */
	fault = (struct fault){ 0 };
	if (!text[strcspn(text, "/.,")] || text[strcspn(text, "/.,")] == ',') {
		if (!sim_params_load(text, &params, &fault)) {
			params_check(&params);
			if (sim_geometry_init(&geometry, &params, &fault) && !*fault.text)
				abort();
		} else if (!*fault.text) {
			abort();
		}
	}
	free(text);
	return 0;
}
