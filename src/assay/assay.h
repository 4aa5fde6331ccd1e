/* assay: one experiment as a whole. Examines the targets, conducts the plan, keeps everything in the run
 * file, then draws the findings and checks from what is stored. Prints nothing; questions to the user go
 * through `confirm`. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/fault.h"
#include "guard/guard.h"
#include "plan/plan.h"
#include "run/observer.h"

struct store;

struct assay_request {
	const struct plan *plan;
	uint32_t target_count;			/* 0: those that the plan names */
	const char *const *targets;
	bool together;				/* all targets side by side in time; false: one after another */
	const char *run_path;			/* where the run file goes; NULL = no run: only assay_examine */
	bool resume;				/* the run file is there: go on with the first step that is not done */
	bool trust_state;			/* resume: the drive is as the run left it, the user says */
	struct guard_permission permission;
	uint64_t seed;
	bool strict;
	const char *version;			/* of the program */
	const char *command_line_json;		/* array of its arguments, or NULL */
	const char *options_json;		/* how the plan text was read: object, kept for a resume; NULL = none */
	const volatile sig_atomic_t *interrupted;
	void *context;				/* of the callbacks */
	/* Shown a subject whose destruction needs its id: returns whether the user typed it. NULL = never. */
	bool (*confirm)(void *context, const struct guard_subject *subject);
	/* Every target is granted, and now things are made and changed: an interruption must be caught from
	 * here on. May be NULL. */
	void (*granted)(void *context);
	void (*warning)(void *context, const char *text);	/* about a target, before the run; may be NULL */
	void (*progress)(void *context, const struct run_progress *progress);	/* may be NULL */
};

struct assay_result {
	enum run_status status;			/* RUN_REFUSED: the guard said no, nothing was touched */
	char text[512];				/* why it did not complete; "" */
	bool criteria_met;			/* every expect= of the plan holds (true without any) */
	bool kept;				/* there is a run file */
};

/* One target as the guard sees it, for `check`. */
struct assay_target {
	struct guard_subject subject;
	struct target sim;			/* simulated drives: opened */
	int error;				/* 0, -EPERM refused, -errno cannot be a target */
	struct fault fault;
};

/* What a run file says about the run to go on with. `run` lives as long as the store, the rest until
 * assay_stored_release. 0; -EINVAL with fault: such a file holds no run that could be resumed; -EBADMSG. */
struct assay_stored {
	const struct run_record *run;
	const char *plan_options_json;		/* options_json of the first part */
	uint32_t target_count;			/* 0: the plan names them */
	bool together;
	const char *const *targets;		/* absolute where they were relative, a drive that has another name now by that;
						 * assay_stored_release */
	struct lines moved;			/* "/dev/sda is /dev/sdb now", for the user */
	char *options_text;			/* private */
};
int assay_stored(struct store *store, struct assay_stored *ret_stored, struct fault *fault);
void assay_stored_release(struct assay_stored *stored);

/* Looks at all targets, changes nothing. *ret_targets is an array of *ret_count: assay_targets_free. 0,
 * -EINVAL, -ENOMEM with fault; a target that is refused is not an error here: look at its `error`. */
int assay_examine(const struct assay_request *request, struct assay_target **ret_targets, uint32_t *ret_count,
		  struct fault *fault);
/* Looks at one of them again, with other permissions. Returns and sets its `error`. */
int assay_examine_again(const struct assay_request *request, struct assay_target *target);
struct assay_target *assay_targets_free(struct assay_target *targets, uint32_t count);

/* Do buffers of so many bytes fit into this machine's memory? 0, or -EINVAL with fault. */
int assay_memory_fits(uint64_t bytes, struct fault *fault);

/* -EINVAL and a fault that names the first thing of the plan that this version cannot carry out; 0 = it
 * can. */
int assay_unsupported(const struct plan *plan, struct fault *fault);

/* Runs the plan; or, with `resume`, the rest of it: plan, seed, targets and allow_unwritten must be those of
 * the run file (assay_stored). A run that is complete gets its findings computed again. 0 when there is a
 * result, also a failed one; -EINVAL (plan or target makes no sense), -ENOMEM, the store's -errno with fault
 * when there is none. */
int assay_run(const struct assay_request *request, struct assay_result *ret_result, struct fault *fault);
