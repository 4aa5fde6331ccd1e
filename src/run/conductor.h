/* conductor: where a run stands: what everything that carries out a part of the plan reads and notes. Private
 * to room run.
 *
 * Who calls whom, from the top: run.c, walk (the tree), point (one place of it), resume and again (a run that
 * goes on), carry (by kind), then loads, purge, idle, search, prepare, write_cache, and below all of them
 * this. */
#pragma once
#include "run/figures.h"
#include "run/fs.h"
#include "run/probe.h"
#include "run/run.h"
#include "run/step.h"

#define PATH_BYTES 512

/* The last step that was verified to be steady, as long as nothing has disturbed the drive since. */
struct settled {
	bool valid;
	uint32_t target;
	uint64_t start, bytes;			/* its range */
};

struct conductor {
	const struct run_config *config;
	struct step_context context;
	struct clock clock;
	uint32_t target;			/* the one in turn; 0 when the plan names its own */
	struct figures figures;
	uint64_t *next_id;			/* of steps; shared by those who run together: atomic */
	uint32_t number;			/* points carried out */
	uint32_t carried, skipped;		/* of those that do something to the target */
	uint64_t continue_offset;		/* where the last sequential load stopped */
	struct settled settled;
	struct fs fs;				/* what kind=mkfs has made on the target in turn */
	bool on_fs;				/* the step under way is on= it */
	struct probe *probe;			/* of the search under way: judges the next step; NULL */
	uint32_t round;				/* of the innermost group */
	uint32_t group_key;
	uint32_t group_point;			/* flat number of the enclosing groups' points */
	char path[PATH_BYTES];			/* of the enclosing groups */
	bool live;				/* steps are carried out; false: those of a resumed run that
						 * are done */
	struct again *again;			/* resume: what would bring the drive back to its state;
						 * owned */
	uint32_t again_count, again_capacity;
	enum write_cache cache_wanted;		/* by the steps that are done */
	bool ended;				/* interrupted, failed or refused: nothing more is started */
	enum run_status status;
	char text[512];
};

/* A number for a new step. */
uint64_t conductor_id(struct conductor *conductor);
/* Before a step begins: waits for the targets that are tested beside this one. `starts`: the step moves data,
 * and will come to the start line. Look at config->interrupted. */
void conductor_meet(struct conductor *conductor, const struct step_record *record, bool starts);
uint64_t conductor_now_ns(const struct conductor *conductor);	/* since the run's start */
void conductor_end(struct conductor *conductor, enum run_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Tells an event at this moment: a sentence (base/saying.h); or, said by a fault, in the words of that. */
int conductor_event(struct conductor *conductor, uint64_t step, const char *kind, const char *data_json,
		    const char *format, ...) __attribute__((format(printf, 5, 6)));
int conductor_fault(struct conductor *conductor, uint64_t step, const char *kind, const struct fault *fault);
/* Where the step under way sends its I/O: the target in turn, or a file in the file system that it is on=. */
struct run_target *conductor_target(struct conductor *conductor);
/* The target in turn itself. */
struct run_target *conductor_drive(struct conductor *conductor);
