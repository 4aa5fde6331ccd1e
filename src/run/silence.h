/* silence: a step in whose middle nothing comes back any more, so that neither its bytes nor its rules will
 * ever end it: how long that is waited for.
 *
 * A drive that is silent for minutes and goes on is data. One that is silent for so long that the kernel must
 * have stepped in long ago, and that has not moved anything for anybody meanwhile, is taken for hung, so that
 * a run that nobody watches comes to its end. docs/decisions/0022. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "run/life.h"
#include "run/step.h"

struct silence {
	uint64_t limit_ns;		/* without a sign of life: then it hangs; 0 = only the user ends it */
	uint64_t next_ns;		/* when to look again */
	uint64_t silent_ns;		/* of the target that is silent for longest, at the last look */
	struct life target[PLAN_LOADS_MAX];	/* as step->stalls */
	struct life opening;	/* of the measuring process, before the step begins */
	pid_t pid;			/* of that */
};

/* The plan's give_up=, but at least `least_ns`: what the kernel itself may take. */
void silence_init(struct silence *silence, const struct stage *stage, uint64_t least_ns, pid_t pid);
/* Whether it has lasted for too long. Wants to be called often. */
bool silence_is_hanging(struct silence *silence, const struct step *step, uint64_t now_ns);
/* Adds to the step's notice when the step will be given up, when that comes near. */
void silence_notice(const struct silence *silence, struct step *step);
