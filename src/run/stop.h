/* stop: decides after each interval whether a step has done what its `until` and `max` ask for. Fed by the
 * collector, on the target's clock; used alike on real and simulated drives. Limits that a worker can keep
 * exactly (time, bytes of a pure write load) are its budget (limits.c) and not decided here. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "analyze/drop.h"
#include "analyze/snia.h"
#include "measure/tally.h"
#include "plan/plan.h"
#include "run/settle.h"

#define STOP_REASON 96

struct stop {
	const struct plan_instance *instance;
	uint64_t target_bytes, range_bytes;
	/* state */
	uint64_t written_bytes;
	struct drop drop;
	double *rounds; /* snia on one step: mean IOPS of each finished one-minute round */
	uint32_t round_count, round_capacity;
	uint64_t round_ios, round_ns, round_index;
	bool judged; /* `verdict` says how the last five rounds stood */
	struct snia_verdict verdict;
	bool settles; /* `settle` is fed: a rule asks for it, or the load deserves a verdict */
	struct settle settle;
	bool met;
	char reason[STOP_REASON]; /* "steady" "drop" "written" "snia" */
};

struct stop_config {
	const struct plan_instance *instance; /* borrowed */
	uint64_t target_bytes, range_bytes;
	double scale; /* of the plan */
	bool settled; /* the drive is in the steady state of random writes on this range (settle.h) */
};

void stop_init(struct stop *stop, const struct stop_config *config);
void stop_release(struct stop *stop);
/* One interval of all loads together; start_ns .. end_ns is the part of it in which I/O was to be sent.
 * Returns whether the step should end; stop->reason says why. -ENOMEM. */
int stop_feed(struct stop *stop, uint64_t start_ns, uint64_t end_ns, uint64_t ios, uint64_t bytes,
	      uint64_t written_bytes);

/* When the step is over: its steady-state verdict as JSON (steady_text.h); caller frees. NULL in *ret_json
 * when it has none: nothing asked for one, and it was no long random write. *ret_steady: verified. 0 or
 * -ENOMEM. */
int stop_verdict(struct stop *stop, char **ret_json, bool *ret_steady);
