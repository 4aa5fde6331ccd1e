/* run: conducts a plan on its targets, step by step, and tells an observer what happens.
 *
 * Two sides. The front side (this API, the caller's process) walks the plan, collects what the workers
 * record, feeds the stop rules and calls the observer. For each step on a real target it forks a measuring
 * process that opens the targets through the guard and does the I/O; what that process records lies in shared
 * memory, so nothing is lost when it hangs or dies. Simulated drives are driven in this process, in virtual
 * time. The code between the two kinds differs only in who calls whom (stage_real.c, stage_virtual.c). */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/fault.h"
#include "guard/guard.h"
#include "plan/plan.h"
#include "run/coverage.h"
#include "run/observer.h"

struct run_target {
	struct guard_subject subject;	/* examined and granted; TARGET_SIM too */
	struct target sim;		/* TARGET_SIM: opened by drive_sim; else unused */
	uint64_t limit_bytes;		/* only so many from its start are used now; 0 = all */
	pid_t inside;			/* the process in whose mount namespace it lies; 0 = ours */
	uint64_t longest_stall_ns;	/* out */
	struct drive_health health;	/* at the last look of this run; all zero = none yet */
	bool start_told;		/* it was asked for its temperature: */
	double start_c;			/* at the first look of the run; NaN = it tells none */
	bool before_told;		/* in: a part before this one has looked: */
	double before_c;
	struct coverage coverage;	/* what is known to be written */
	bool cache_told, cache_on;	/* write_cache= was dealt with, and how */
	bool cache_changed, cache_was;	/* it was changed: what it is set back to at the end. In: of the part
					 * before */
};

uint64_t run_target_bytes(const struct run_target *target);
uint32_t run_target_block_bytes(const struct run_target *target);
bool run_target_has_trim(const struct run_target *target);	/* false: no engine can send one */

/* A step that an earlier part of the same run has carried out to its end. Borrowed. */
struct run_done {
	const char *path;			/* step_record.path */
	const char *note;			/* step_record.note */
	bool steady;				/* it was verified to be steady */
	uint32_t load_count;
	const struct load_record *loads;	/* with totals, in the order of the step */
	uint64_t position;			/* where its first worker's sequential load stopped */
};

/* A run on real targets that goes on after an interruption: steps that are done are not carried out again,
 * what they reached is taken from here. Simulated drives are not resumed but replayed: the whole plan again,
 * which gives the same. */
struct run_resume {
	uint32_t done_count;
	const struct run_done *done;
	uint64_t elapsed_ns;			/* the time axis goes on here */
	uint64_t next_id;			/* of steps */
	bool state_kept;			/* the drive is as the run left it: no preconditioning */
	bool begun;				/* the step to go on with had begun: idle time before it is
						 * spent */
	const char *text, *said_json, *data_json; /* of the event "resume" */
};

struct run_config {
	const struct plan *plan;
	struct run_target *targets;
	uint32_t target_count;
	bool plan_names_targets;	/* targets are plan->targets, each section has its own: the plan runs
					 * once; false: the whole plan for each target in turn */
	bool together;			/* all targets side by side; false: one after another */
	uint64_t seed;
	uint64_t entropy;		/* another in each run, the same when it is resumed: randrepeat=0 */
	bool allow_unwritten;
	const struct run_resume *resume;	/* NULL: from the beginning */
	const volatile sig_atomic_t *interrupted;	/* not 0: finish now, keep everything; NULL = never */
	const struct run_observer *observer;
};

struct run_outcome {
	enum run_status status;
	char text[512];			/* why it did not complete; "" */
	uint64_t duration_ns;
	uint64_t wall_duration_ns;	/* while the computer was suspended too */
	const char *clock;		/* "vdso" "tsc" "virtual" */
	double ceiling_iops;		/* of this program on this machine; 0 = no step was long enough */
};

/* 0 when there is an outcome (also interrupted or failed), -errno of an observer that refused. */
int run_plan(const struct run_config *config, struct run_outcome *ret_outcome);

/* What the plan needs of a target, before anything is opened: bytes of a file, whether it is written, trimmed
 * or read. */
struct run_needs {
	uint64_t file_bytes;		/* largest offset + size in bytes that the plan names; 0 = none */
	bool writes, trims, reads;
	uint32_t purge_methods;		/* bits 1 << enum purge_method */
	uint32_t write_caches;		/* bits 1 << enum write_cache: what it switches the write cache to */
	uint32_t block_bytes_max;	/* of a drive of larger blocks no point of the plan can be measured; 0 = any will do */
};
int run_needs(const struct plan *plan, struct run_needs *ret_needs, struct fault *fault);

/* NULL, or the feature of the plan that this version cannot execute yet, with its line. */
const char *run_unsupported(const struct plan *plan, uint32_t *ret_line);
