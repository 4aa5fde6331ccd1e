/* loads: a step that moves data: from the instance to a stage, carried out, and told. Private to room run. */
#pragma once
#include "run/conductor.h"

/* Does it begin at the start line with those who run together? */
enum loads_start { LOADS_ALONE, LOADS_MEET };

/* Kinds load and fill; used for preparations too. `record` names it. 0 (look at conductor->ended), or -errno
 * of observer or memory. */
int loads_run(struct conductor *conductor, const struct plan_step *step, struct plan_instance *instance,
	      struct step_record *record, enum loads_start start);
/* The targets that a load goes to, those its section names or the one in turn: the `index`th, NULL after the
 * last. */
struct run_target *loads_target(struct conductor *conductor, const struct load *load, uint32_t index);
/* Which loads of stage->instance go to which target: fills stage->load. 0 or -E2BIG. */
int loads_stage(struct conductor *conductor, struct stage *stage);
/* What later steps need to know of a finished one: where it stopped, what is written, what was reached,
 * whether the drive has settled. Totals by load of the stage; `load` is the first. */
int loads_outcome_keep(struct conductor *conductor, const struct stage *stage,
		       const struct step_record *record, const struct tally *const *totals,
		       uint64_t position);
void loads_settled_keep(struct conductor *conductor, const struct stage *stage,
			const struct load_record *load, bool steady);
