#include "sim/thermal.h"

#include <math.h>
#include <string.h>

#define STEP_NS 100000000ull

void sim_thermal_init(struct sim_thermal *thermal, const struct sim_params *params)
{
	memset(thermal, 0, sizeof(*thermal));
	thermal->on = params->heat_resistance > 0;
	thermal->ambient_c = params->ambient_c;
	thermal->resistance = params->heat_resistance;
	thermal->capacity = params->heat_capacity / params->shrink;
	thermal->idle_w = params->idle_w;
	thermal->active_w = params->active_w;
	thermal->read_j = params->read_nj * 1e-9;
	thermal->write_j = params->write_nj * 1e-9;
	thermal->start_c = params->throttle_c;
	thermal->clear_c = params->throttle_clear_c;
	thermal->temperature_c = params->ambient_c + params->idle_w * params->heat_resistance;
	thermal->hottest_c = thermal->temperature_c;
	thermal->step_ns = (uint64_t)((double)STEP_NS / params->shrink);
	thermal->next_ns = thermal->on ? thermal->step_ns : UINT64_MAX;
}

/* The exact solution of the differential equation for constant power. */
static double after(const struct sim_thermal *thermal, double power_w, double seconds)
{
	const double settled_c = thermal->ambient_c + power_w * thermal->resistance;

	return settled_c + (thermal->temperature_c - settled_c) *
				   exp(-seconds / (thermal->resistance * thermal->capacity));
}

static bool throttle_update(struct sim_thermal *thermal, uint64_t now_ns, uint64_t passed_ns)
{
	const bool before = thermal->throttling;

	if (before)
		thermal->throttled_ns += passed_ns;
	if (thermal->temperature_c > thermal->hottest_c)
		thermal->hottest_c = thermal->temperature_c;
	if (!before && thermal->temperature_c > thermal->start_c) {
		thermal->throttling = true;
		if (!thermal->throttle_count++)
			thermal->first_throttle_ns = now_ns;
	} else if (before && thermal->temperature_c < thermal->clear_c) {
		thermal->throttling = false;
	}
	return thermal->throttling != before;
}

bool sim_thermal_advance(struct sim_thermal *thermal, uint64_t bytes_read, uint64_t bytes_written,
			 uint64_t now_ns)
{
	uint64_t passed_ns;
	double power_w, seconds;

	if (now_ns < thermal->next_ns)
		return false;
	passed_ns = now_ns - (thermal->next_ns - thermal->step_ns);
	seconds = (double)passed_ns / 1e9;
	power_w = thermal->idle_w;
	if (bytes_read || bytes_written) {
		/* A long gap with a little work in it was mostly idle. */
		power_w += passed_ns < 10 * thermal->step_ns ? thermal->active_w : 0;
		power_w += ((double)bytes_read * thermal->read_j + (double)bytes_written * thermal->write_j) /
			   seconds;
	}
	thermal->temperature_c = after(thermal, power_w, seconds);
	thermal->next_ns = now_ns + thermal->step_ns;
	return throttle_update(thermal, now_ns, passed_ns);
}

double sim_thermal_at(const struct sim_thermal *thermal, uint64_t now_ns)
{
	const uint64_t last_ns = thermal->next_ns - thermal->step_ns;

	if (!thermal->on || now_ns <= last_ns)
		return thermal->temperature_c;
	return now_ns - last_ns <= 10 * thermal->step_ns ?
		       thermal->temperature_c :
		       after(thermal, thermal->idle_w, (double)(now_ns - last_ns) / 1e9);
}
