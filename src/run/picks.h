/* picks: the points that a plan names by what they reached (pick.NAME), told when what they are picked from
 * is done. */
#pragma once
#include "run/conductor.h"

/* Tells the picks of a step at the top of the plan, or of the steps in a group there: an event of kind
 * "pick" each, with the point's figures as means of its last rounds. 0, -ENOMEM or the observer's -errno. */
int picks_tell(struct conductor *conductor, const struct plan_step *top);
