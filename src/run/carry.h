/* carry: one point of the plan's tree, from its place to a step of its kind that is carried out. Private to
 * room run. */
#pragma once
#include "run/conductor.h"

/* One place of the tree, in one round and repeat. */
struct point {
	const struct plan_step *step;
	struct plan_place place;
	uint32_t repeat;
	struct plan_instance *instance; /* filled by point_run */
	char path[PATH_BYTES];
};

/* Fills point->instance. 0, also when the run ends because it cannot (conductor->ended); -ENOMEM. */
int carry_instantiate(struct conductor *conductor, struct point *point);
/* What is told of it; id, values and times are not filled in yet. Strings are the point's. */
struct step_record carry_record(const struct conductor *conductor, const struct point *point);
/* The step itself, of any kind but group; record->values_json is there. 0 (look at conductor->ended), or
 * -errno of observer or memory. */
int carry_out(struct conductor *conductor, struct point *point, struct step_record *record);
