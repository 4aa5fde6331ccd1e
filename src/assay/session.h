/* session: one run from its request to its result: targets, run file, writer. Private to room assay, files
 * assay.c and session_*.c. */
#pragma once
#include "assay/assay.h"
#include "assay/resume.h"
#include "assay/writer.h"
#include "run/hiccup.h"
#include "run/run.h"

#define DESTROY_MAX 128u

struct session {
	const struct assay_request *request;
	struct assay_request permitted; /* the same, with the ids that were typed at the prompt */
	const char *destroy[DESTROY_MAX];
	char *typed[DESTROY_MAX];
	uint32_t typed_count;
	struct assay_target *targets;
	struct run_target *run_targets;
	uint32_t target_count;
	struct store *store;
	struct writer *writer;
	struct run_record record;
	char id[33];
	char *host_json, *options_json;
	struct resume resume;
	struct session_lock *lock;	/* NULL = nothing is locked for the run */
	struct hiccup_ear ear;		/* real targets: to this computer's own pauses, while they are examined */
};

/* session_targets.c */
/* The ids of the command line, with room for those that are typed. 0 or -EINVAL with fault. */
int session_permissions_take(struct session *session, struct fault *fault);
/* A target that holds the simulated clock cannot share a run with a real one. */
int session_targets_check(const struct session *session, struct fault *fault);
/* Every target is granted; what only lacks a typed id is asked for. 0 = go; 1 = the result says why not;
 * -EINVAL with fault: the user named something that makes no sense. */
int session_targets_grant(struct session *session, struct assay_result *result, struct fault *fault);
/* Every load of every point fits every target: found now and not after hours. */
int session_plan_fits(const struct session *session, struct fault *fault);
int session_run_targets_make(struct session *session);
/* What the guard found worth a warning: to the user now, and where the run file lies also into it
 * (checks.c). */
void session_targets_warn(const struct session *session);

/* session_noise.c: this computer's own pauses before the first step. */
/* Begins to listen, unless all targets are simulated. */
void session_noise_listen(struct session *session);
/* Ends that, and warns when it is noisy: a moment later where it has not been quiet, at once where it has. */
void session_noise_warn(struct session *session);
/* Into the run file, as an event "host_noise". 0 or -errno. */
int session_noise_put(struct session *session);

/* session_files.c: what a file system does to the files of a run, in processes of its own: one that hangs
 * holds up neither the user nor, for ever, a run that nobody watches. */
/* Files that do not exist yet (or are too short) are made now; each step's process then opens them as they
 * are. 0; 1: the user does not want to wait, the result says so and nothing is left behind; -errno with
 * fault. */
int session_files_make(struct session *session, struct assay_result *result, struct fault *fault);
/* Those that were made for the time of the run are removed. */
void session_files_remove(struct session *session);

/* session_lock.c: the files that a run writes are locked from before its first step to its end. */
/* Starts the process that holds the locks. 0; 1: the user does not want to wait, the result says so; -errno
 * with fault. */
int session_lock_take(struct session *session, struct assay_result *result, struct fault *fault);
/* Ends it. Nothing to do when there is none. */
void session_lock_give(struct session *session);

/* session_record.c */
/* Fills the run's record; the file is made with it, so that it holds a run from its first moment on. 0 or
 * -errno. */
int session_record_begin(struct session *session);
/* Notes that the run is at `at_ns` of its time axis now. */
int session_options_note(struct session *session, uint64_t at_ns);

/* session_store.c: the run file of a new run, of one that goes on, and its end. 0 or -errno with fault. */
int session_store_begin(struct session *session, struct fault *fault);
/* A target is locked: by whoever writes this very run? 0 = no; -errno with fault: the run file cannot be
 * taken. */
int session_resume_held(struct session *session, struct fault *fault);
/* The run file is opened and the targets compared before anything is changed. 0 = go; 1 = refused, the result
 * says why. */
int session_resume_look(struct session *session, struct assay_result *result, struct fault *fault);
int session_store_resume(struct session *session, struct fault *fault);
int session_store_end(struct session *session, const struct run_outcome *outcome,
		      struct assay_result *result);
/* Writes an event of before the first step with its sentence, which it takes. 0, -ENOMEM or the store's -errno. */
int session_event_put(const struct session *session, struct event_record *event, struct saying *saying);

/* session_observer.c: everything to the writer. Borrows the session. */
struct run_observer session_observer(struct session *session);
