/* stop: decides after each interval whether a step has done what its `until` and `max` ask for. Fed by the collector, on
 * the target's clock; used alike on real and simulated drives. Limits that a worker can keep exactly (time,
 * bytes of a pure write load) are its budget (limits.c) and not decided here. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "analyze/drop.h"
#include "analyze/snia.h"
#include "measure/tally.h"
#include "plan/plan.h"

#define STOP_REASON 96

struct stop {
	const struct plan_instance *instance;
	uint64_t target_bytes, range_bytes;
	/* state */
	uint64_t written_bytes;
	struct drop drop;
	double *rounds;			/* snia on one step: mean IOPS of each finished one-minute round */
	uint32_t round_count, round_capacity;
	uint64_t round_ios, round_ns, round_index;
	bool judged;			/* `verdict` says how the last five rounds stood */
	struct snia_verdict verdict;
	bool met;
	char reason[STOP_REASON];	/* "drop" "written" "snia" */
};

void stop_init(struct stop *stop, const struct plan_instance *instance, uint64_t target_bytes,
	       uint64_t range_bytes);
void stop_release(struct stop *stop);
/* One interval of all loads together. Returns whether the step should end; stop->reason says why. -ENOMEM. */
int stop_feed(struct stop *stop, uint64_t start_ns, uint64_t end_ns, uint64_t ios, uint64_t bytes,
	      uint64_t written_bytes);
