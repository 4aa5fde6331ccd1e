/* stage: one step at one point, resolved and ready: what the workers will do, for how long, where. Built by
 * the conductor, carried out by stage_real.c (threads of a measuring process) or stage_virtual.c (events of a
 * simulated drive). Both leave the same traces on the board. */
#pragma once
#include <stdint.h>
#include "base/clock.h"
#include "guard/guard.h"
#include "measure/pauses.h"
#include "plan/plan.h"
#include "run/board.h"
#include "run/worker.h"

struct run_target;

struct stage_load {
	const struct load *load;
	uint32_t target;			/* index in the run's targets */
	struct run_target *at;			/* that one, or a file on it: where the I/O goes; borrowed */
	uint64_t budget_bytes, budget_ios;	/* per worker */
	uint64_t continue_offset;
	uint64_t runtime_ns;			/* of the measured part, after its start delay; 0 = no limit */
	bool follows;				/* has no end of its own: stops when the other loads have
						 * ended */
};

struct stage {
	const struct plan_instance *instance;
	uint32_t load_count;
	struct stage_load load[PLAN_LOADS_MAX];
	struct board_layout layout[PLAN_LOADS_MAX];
	struct board *board;			/* owned by the step */
	uint64_t seed, layout_seed;		/* of this execution / of the run */
	uint64_t ramp_ns;			/* a multiple of the interval */
	uint32_t samples_per_second;		/* of each load */
	uint64_t runtime_ns;			/* of the longest load, with its delay; 0 = not all have a limit */
};

/* When the load is told not to send. */
struct pauses stage_pauses(const struct stage *stage, const struct load *load);

/* Fills `config` for the worker `entry` of the stage, on an opened target. */
void stage_worker_config(const struct stage *stage, struct worker_board *entry, const struct target *target,
			 struct clock *clock, struct worker_config *ret_config);
