/* resume: the part of a run that was carried out before an interruption. Its steps are not done again: what
 * they reached is taken over from what was stored, so that picks, tracks, rounds and shares of a rate stand
 * as they stood. Private to room run. */
#pragma once
#include "run/carry.h"

/* Before a point is carried out. 1: it is done, its outcome is taken over. 0: carry it out - the drive has
 * been brought back to the state it needs (look at conductor->ended). -errno of observer or memory. */
int resume_point(struct conductor *conductor, const struct point *point, const struct step_record *record);
