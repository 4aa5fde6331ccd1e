/* conductor: walks the plan's tree and has each point carried out. Private to room run. */
#pragma once
#include "run/figures.h"
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
	uint64_t next_id;			/* of steps */
	uint32_t number;			/* points carried out */
	uint64_t continue_offset;		/* where the last sequential load stopped */
	struct settled settled;
	struct probe *probe;			/* of the search under way: judges the next step; NULL */
	uint32_t round;				/* of the innermost group */
	uint32_t group_key;
	uint32_t group_point;			/* flat number of the enclosing groups' points */
	char path[PATH_BYTES];			/* of the enclosing groups */
	bool live;				/* steps are carried out; false: those of a resumed run that are done */
	struct again *again;			/* resume: what would bring the drive back to its state; owned */
	uint32_t again_count, again_capacity;
	enum write_cache cache_wanted;		/* by the steps that are done */
	bool ended;				/* interrupted, failed or refused: nothing more is started */
	enum run_status status;
	char text[512];
};

/* One place of the tree, in one round and repeat. */
struct point {
	const struct plan_step *step;
	struct plan_place place;
	uint32_t repeat;
	struct plan_instance *instance;		/* filled by point_run */
	char path[PATH_BYTES];
};

/* A point that was carried out before the interruption, and where: enough to do it again. */
struct again {
	struct point point;			/* without an instance */
	uint32_t round, group_key, group_point;
};

/* Carries out one point of any kind but group. 0 (look at conductor->ended), or -errno of observer or memory. */
int point_run(struct conductor *conductor, struct point *point);
/* Carries out again a point that is done, to bring the drive back to the state it left: a step "prepare", whose figures count for
 * nothing. */
int point_again(struct conductor *conductor, const struct point *point);
/* The instance's values as a JSON object; caller frees. NULL: out of memory. */
char *point_values_json(const struct plan_instance *instance);
/* The same for kinds that move data: load and fill; used for purges and preparations too. `record` names it. */
int loads_run(struct conductor *conductor, const struct plan_step *step, struct plan_instance *instance,
	      struct step_record *record);
/* Which loads of stage->instance go to which target: fills stage->load. 0 or -E2BIG. */
int loads_stage(struct conductor *conductor, struct stage *stage);
/* What later steps need to know of a finished one: where it stopped, what is written, what was reached, whether the drive has
 * settled. Totals by load of the stage; `load` is the first. */
int loads_outcome_keep(struct conductor *conductor, const struct stage *stage, const struct step_record *record,
		       const struct tally *const *totals, uint64_t position);
void loads_settled_keep(struct conductor *conductor, const struct stage *stage, const struct load_record *load, bool steady);
int purge_run(struct conductor *conductor, struct point *point, struct step_record *record);
int idle_run(struct conductor *conductor, struct point *point, struct step_record *record);

/* Makes sure that a step that reads finds written data: fills files and simulated drives first, refuses block
 * devices. 0, or -errno; conductor->ended when refused. */
int prepare_run(struct conductor *conductor, const struct point *point);
/* Where in the run the filling for a point's load is kept: step_record.path. */
void prepare_path(const struct point *point, uint32_t load, char path[PATH_BYTES]);

/* write_cache=on/off: sets the drive's own write cache before a step, and sets it back at the end of the run. A target that has
 * no such switch is told as an event. 0 or the observer's -errno. */
int write_cache_apply(struct conductor *conductor, enum write_cache wanted);
int write_cache_restore(struct conductor *conductor);

uint64_t conductor_now_ns(const struct conductor *conductor);	/* since the run's start */
void conductor_end(struct conductor *conductor, enum run_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int conductor_event(struct conductor *conductor, uint64_t step, const char *kind, const char *text,
		    const char *data_json);
struct run_target *conductor_target(struct conductor *conductor);

/* The group's condition after a round: 1 = met, 0 = go on, -errno. Tells the verdict as an event. */
int rounds_judge(struct conductor *conductor, const struct plan_step *group, uint32_t rounds_done);
