/* pass: one way through the whole plan: on one target, or once on those that the plan names. Private to room
 * run. */
#pragma once
#include "run/conductor.h"

void pass_init(struct conductor *conductor, const struct run_config *config, uint64_t *next_id);
void pass_release(struct conductor *conductor);
/* 0 (look at conductor->ended), or -errno of observer or memory. May be called for one target after the
 * other. */
int pass_run(struct conductor *conductor, uint32_t target);
/* How it went; all but the wall clock's duration. */
/* After the last pass: a run that has nothing to tell is no success. */
void pass_judge(struct conductor *conductor);
void pass_outcome(const struct conductor *conductor, struct run_outcome *outcome);
