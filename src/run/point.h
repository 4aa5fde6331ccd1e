/* point: one place of the plan's tree. Private to room run. */
#pragma once
#include "run/carry.h"

/* Carries out one point of any kind but group, unless the run that goes on has it already. 0 (look at
 * conductor->ended), or -errno of observer or memory. */
int point_run(struct conductor *conductor, struct point *point);
