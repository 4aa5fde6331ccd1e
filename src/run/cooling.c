#include "run/cooling.h"

#include <math.h>
#include "base/units.h"
#include "drive/drive_sim.h"
#include "run/step_limits.h"

#define NEAR_C 2.0	/* drives tell whole degrees, and the air around them changes too */

/* NaN: it does not tell. */
static double temperature_c(const struct conductor *conductor, const struct run_target *target)
{
	if (!target->start_told || isnan(target->start_c))
		return NAN;
	if (conductor->clock.source == CLOCK_VIRTUAL)
		return drive_sim_temperature_c(&target->sim, conductor->clock.virtual_ns);
	return target->health.temperature_c;
}

struct cooling cooling_look(const struct conductor *conductor)
{
	const struct run_config *config = conductor->config;
	uint32_t first = config->plan_names_targets ? 0 : conductor->target;
	uint32_t count = config->plan_names_targets ? config->target_count : 1;
	struct cooling cooling = { COOLING_UNTOLD, NAN, NAN };

	for (uint32_t i = first; i < first + count; i++) {
		const struct run_target *target = &config->targets[i];
		double now_c = temperature_c(conductor, target);

		if (isnan(now_c) || now_c - target->start_c < cooling.now_c - cooling.start_c)
			continue;
		cooling.now_c = now_c;
		cooling.start_c = target->start_c;
	}
	if (!isnan(cooling.now_c))
		cooling.state = cooling.now_c <= cooling.start_c + NEAR_C ? COOLING_COOL : COOLING_WARM;
	return cooling;
}

bool cooling_asked(const struct plan_instance *instance)
{
	return stop_rule_find(instance->until, instance->until_count, STOP_COOL);
}

uint64_t cooling_limit_ns(const struct plan_instance *instance, enum cooling_state state)
{
	const struct stop_rule *max = stop_rule_find(instance->max, instance->max_count, STOP_TIME);

	return cooling_asked(instance) && state != COOLING_UNTOLD && max ? max->time_ns : instance->runtime_ns;
}

int cooling_tell(struct conductor *conductor, const struct step_record *record)
{
	struct cooling cooling = cooling_look(conductor);
	char time[UNITS_TEXT];

	duration_format(record->duration_ns, time);
	if (cooling.state == COOLING_UNTOLD)
		return conductor_event(conductor, record->id, "cooling", NULL,
				       "'%s': no temperature is told, so that it waited as runtime= says: %s", record->name,
				       time);
	return conductor_event(conductor, record->id, "cooling", NULL,
			       cooling.state == COOLING_COOL
				       ? "'%s': cool after %s: %.0f \xc2\xb0" "C, %.0f \xc2\xb0" "C when the run began"
				       : "'%s': not cool after %s: %.0f \xc2\xb0" "C, %.0f \xc2\xb0" "C when the run began",
			       record->name, time, cooling.now_c, cooling.start_c);
}
