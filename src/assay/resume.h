/* resume: a run file that is written on: what is done, what has to go, and whether the targets are what they
 * were. */
#pragma once
#include <jansson.h>
#include "assay/assay.h"
#include "base/saying.h"
#include "run/run.h"
#include "store/store.h"

/* What a target says now. */
struct resume_drive {
	bool found;
	char serial[128];
	uint64_t host_write_bytes;		/* by its own count; DRIVE_UNKNOWN */
	uint64_t block_write_bytes;		/* by the block layer's, since this boot; DRIVE_UNKNOWN */
	double changed_s;			/* a file: its last change, since 1970; NAN */
};

struct resume {
	struct store *store;			/* borrowed */
	const struct run_record *run;		/* as it was stored; tables below too: owned by the store */
	const struct drive_record *drives;
	const struct step_record *steps;
	const struct load_record *loads;
	const struct event_record *events;
	uint32_t drive_count, step_count, load_count, event_count;
	uint64_t elapsed_ns;			/* how far the run had come, on its time axis */
	uint64_t next_id;
	uint32_t done_count;
	struct run_done *done;			/* owned; in the order of execution */
	uint64_t *done_id;			/* owned; ids of the same */
	const char *unfinished;			/* the step that was under way; NULL = none */
	bool again_cut;				/* preconditioning after a former resume was not finished */
	bool is_virtual, live;			/* live: a step that was not done has begun */
	bool state_kept;
	bool same_boot;				/* the host has not booted since the run file was last written */
	struct resume_drive *now;		/* owned; of each target: resume_ask */
	uint64_t wall_ns;			/* the wall clock at elapsed_ns, 0 = not known */
	struct saying state;			/* why it is kept, or not */
	struct saying said;			/* the event "resume" */
	char *said_json;
	char *data_json;
	char mismatch[256];			/* a replayed step gave something else than what is stored */
};

/* Reads what is there. The store is open for writing; nothing is changed. 0 or -errno with fault. */
int resume_open(struct store *store, const struct plan *plan, struct resume *ret_resume, struct fault *fault);
void resume_release(struct resume *resume);

/* Asks the targets, before the two calls below. 0; -ETIMEDOUT, -EINTR or another -errno with fault. */
int resume_ask(struct resume *resume, const struct assay_target *targets, uint32_t count,
	       const volatile sig_atomic_t *interrupted, struct fault *fault);
/* The same targets as before: kind, id, size, serial number, the very file? 0, or -EPERM with a fault that says
 * what differs. */
int resume_identity(const struct resume *resume, const struct assay_target *targets, uint32_t count,
		    struct fault *fault);
/* What tells a file from its copies, for the run file: resume_identity compares it. null for what is no file; the
 * caller's. */
json_t *resume_file_json(const struct guard_subject *subject);
/* Has anything else written to them since? Fills state_kept and state. */
int resume_state(struct resume *resume, const struct assay_target *targets, uint32_t count, bool trusted);
/* Deletes what was not finished and makes the event. */
int resume_begin(struct resume *resume);
struct run_resume resume_for_run(const struct resume *resume);
/* Was this target a file made in a directory for the run, to be removed at its end? */
bool resume_temporary(const struct resume *resume, uint32_t target);

/* -- while it runs: what the observer hears is already stored? Then it is not stored again. Of a replay it is
 * compared: 1 = drop it, 0 = keep it, -EBADE: it differs (mismatch says how). -- */
int resume_hears_step(struct resume *resume, const struct step_record *step);
int resume_hears_load(struct resume *resume, const struct load_record *load);
int resume_hears_event(const struct resume *resume, const struct event_record *event);
bool resume_knows(const struct resume *resume, uint64_t step);	/* it is done and stored */

/* The options kept with a run, with this boot of the host and the wall clock at `at_ns` of the run's time
 * axis. Caller frees; NULL: out of memory. */
char *options_stamp(const char *options_json, uint64_t at_ns);
