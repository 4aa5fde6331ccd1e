/* thermal: one temperature for the whole drive.
 *
 * dT/dt = (P - (T - ambient) / R) / C with P = idle + active (while there is work) + energy of the bytes
 * moved, in steps of 0.1 s (divided by shrink, as the heat capacity is). Throttling starts above one
 * temperature and ends below another. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "sim/params.h"

struct sim_thermal {
	bool on, throttling;
	double temperature_c;
	double ambient_c, resistance, capacity;		/* K/W, J/K after shrinking */
	double idle_w, active_w, read_j, write_j;	/* per byte */
	double start_c, clear_c;
	uint64_t step_ns, next_ns;
	uint64_t throttle_count, throttled_ns, first_throttle_ns;
	double hottest_c;
};

void sim_thermal_init(struct sim_thermal *thermal, const struct sim_params *params);
/* Advances to now_ns with the bytes moved since the last call; true when throttling began or ended. Cheap
 * when now_ns < next_ns: callers check that first. */
bool sim_thermal_advance(struct sim_thermal *thermal, uint64_t bytes_read, uint64_t bytes_written,
			 uint64_t now_ns);
/* What it will be at now_ns if nothing happens until then. */
double sim_thermal_at(const struct sim_thermal *thermal, uint64_t now_ns);
