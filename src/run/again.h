/* again: of a run that goes on after an interruption: what was done that would bring the drive back to its
 * state, and doing it once more. Private to room run. */
#pragma once
#include "run/carry.h"

/* A point that was carried out before the interruption, and where: enough to do it again. */
struct again {
	struct point point; /* without an instance */
	uint32_t round, group_key, group_point;
};

/* Keeps the list: from the last purge on, what preconditions; and idle time only when it comes last. 0 or
 * -ENOMEM. */
int again_note(struct conductor *conductor, const struct point *point);
bool again_is(const struct conductor *conductor, uint32_t at, enum step_kind kind);
/* Carries out the list from `from` on: each a step "prepare", whose figures count for nothing. 0 (look at
 * conductor->ended), or -errno. */
int again_run(struct conductor *conductor, uint32_t from);
