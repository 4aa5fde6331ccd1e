/* settle: has the speed of a step settled? Feeds what is collected to the steady-state detector, second by
 * second, once enough has been written, and says at the end what it found.
 *
 * The work gate: a drive that still has empty flash is fast and even, and no statistics can see the cliff
 * that comes. Only what this step writes counts; a step that goes on at once
 * with random writes on the range of a step that was verified finds the gate open.
 *
 * A plan shortened by --scale F is judged on a time axis that is F as long: what is called a second here is F
 * seconds then (10 ms at least), and the gate is F as high. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "analyze/mser.h"
#include "analyze/snia.h"
#include "analyze/steady.h"
#include "analyze/trend.h"
#include "plan/plan.h"

/* What must be done before anything is judged: by kind of load. */
enum settle_gate {
	SETTLE_READS,	   /* 60 s; trims too */
	SETTLE_SEQUENTIAL, /* 1 x user capacity written */
	SETTLE_RANDOM,	   /* 2 x user capacity written */
};
enum settle_gate settle_gate_of(const struct plan_instance *instance);
/* Does the step get a verdict even if no rule asks for one: random writes in a closed loop without pauses. */
bool settle_worth(const struct plan_instance *instance);

struct settle_config {
	enum settle_gate gate;
	uint64_t capacity_bytes;
	double scale; /* of the plan; above 1 counts as 1 */
	bool settled; /* a step just before was verified on the same range: the gate is open */
	bool stops;   /* the step ends when it is steady; else all of it is judged at its end */
};

struct settle {
	struct settle_config config;
	uint64_t unit_ns;	      /* a "second" */
	uint64_t gate_bytes, gate_ns; /* what must be written, or pass */
	struct steady steady;
	bool gate_open, met;
	uint64_t first_ns,
		gate_open_ns; /* where the measured part begins; where the gate opened (step's axis) */
	uint64_t next_ns;     /* fed up to here */
	uint64_t longest_ns;  /* interval after the gate opened */
	uint64_t written_bytes;
	double unit_ios, unit_seen_ns; /* of the unfinished second */
	/* SNIA's rule on one-minute rounds of all that was measured, for comparison */
	double round_ios, round_units;
	double rounds[SNIA_WINDOW]; /* the last ones, oldest first */
	uint32_t round_count;
};

void settle_init(struct settle *settle, const struct settle_config *config);
void settle_release(struct settle *settle);
/* One interval, in order; a gap before it counts as missing. 1 = steady now, 0 = not (yet), -ENOMEM. */
int settle_feed(struct settle *settle, uint64_t start_ns, uint64_t end_ns, uint64_t ios,
		uint64_t written_bytes);

/* Some interval covers so much of the time since the gate opened that how even the speed was in it is not
 * known: a computer too busy to record second by second gives intervals put together. Nothing is claimed
 * then. */
bool settle_is_coarse(const struct settle *settle);

struct settle_outcome {
	struct steady_verdict verdict; /* times in units */
	struct snia_verdict snia;
	/* beside the verdict, not part of it: all since the gate opened, and the window's batch means */
	struct mser mser;
	struct trend trend;
};
/* When the step is over. 0 or -ENOMEM. */
int settle_finish(struct settle *settle, struct settle_outcome *ret_outcome);
