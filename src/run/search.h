/* search: the highest open-loop rate at which the times of a load's I/Os meet a limit (search=p99.9<1ms).
 * Private to room run.
 *
 * Starts below the closed-loop maximum, which it measures first, or at the rate that arrival= names; goes up
 * or down until one rate meets the limit and a higher one does not; halves the gap on a logarithmic scale
 * until the two are SEARCH_TOLERANCE apart; and runs the lower one once more, longer. Each probe is a step of
 * its own in the run. Response times grow with the rate, so that bisection is right as long as the drive
 * stays the same: a drive that changes meanwhile shows in the confirming run, and the rate that is told is the
 * highest that a long run met. */
#pragma once
#include "run/carry.h"

#define SEARCH_TOLERANCE 0.02
#define SEARCH_PROBES_MAX 40
#define SEARCH_PROBES_USUAL 14		/* for estimates */

/* How long a probe at `rate` takes, and how many I/Os it is to measure. runtime_ns: runtime= of the step, 0 =
 * none; scale: of the plan. */
uint64_t search_probe_ns(const struct plan_expect *limit, double rate, uint64_t runtime_ns, double scale);

/* The event "search" carries the outcome as JSON:
 * {"limit":"p99.9<1ms","value":...,"low":...,"high":...,"closed_loop":..., "probes":N,"confirmed":true},
 * rates in I/O per second, null = none. `point` as for point_run. */
int search_run(struct conductor *conductor, struct point *point, const struct step_record *record);
