/* walk: the plan's tree in order of execution: groups with their points and rounds, steps with their repeats
 * and points. Private to room run. */
#pragma once
#include "run/conductor.h"

/* Carries out what is in `group` (-1: the whole plan) at one point of the groups around it. 0 (look at
 * conductor->ended), or -errno of observer or memory. */
int walk_children(struct conductor *conductor, int32_t group, const struct plan_place *place);
