/* rounds: of a group: are they enough? Private to room run. */
#pragma once
#include "run/conductor.h"

/* The group's condition after a round: 1 = met, 0 = go on, -errno. Tells the verdict as an event. */
int rounds_judge(struct conductor *conductor, const struct plan_step *group, uint32_t rounds_done);
