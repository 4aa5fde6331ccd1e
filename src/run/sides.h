/* sides: several targets tested side by side in time, a pass through the plan for each. Private to room
 * run. */
#pragma once
#include "run/run.h"

/* On real targets a thread for each (together.h); simulated drives have a time of their own each, and are
 * computed one after another. A target that fails does not stop the others. 0, or -errno of observer or
 * memory. */
int sides_run(const struct run_config *config, uint64_t *next_id, struct run_outcome *outcome);
