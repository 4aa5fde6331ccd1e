/* drain: the end of a step, when nothing new is sent and what is in flight comes back: how long that is
 * waited for.
 *
 * A drive may be silent for many seconds and be well again; whether it is, the kernel finds out within a
 * time-out of its own: it aborts what did not come back, then resets the drive, then fails the I/O. Only a
 * drive that has shown no sign of life for longer than that is taken for hung. The user's Ctrl-C is answered
 * at once. docs/decisions/0018. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "run/step.h"

struct drain {
	uint64_t limit_ns;	/* without a sign of life: then it hangs */
	uint64_t moved_ns;	/* the last sign of life; 0 = not looked yet */
	/* when it was last looked: */
	uint32_t done, in_flight;	/* workers at their end, I/Os */
	uint64_t written;		/* by the devices, while they are closed or the last fsync runs */
};

/* How long a target may be silent until the kernel must have stepped in. */
uint64_t drain_limit_ns(const struct guard_subject *subject);
/* Before the step begins: asks the kernel for its time-outs of the step's targets. */
void drain_init(struct drain *drain, const struct stage *stage);
/* Whether the step should be at its end, by its deadline, a stop rule or the user, and what is in flight will
 * not come back. Looks for signs of life, so it wants to be called often. */
bool drain_is_hanging(struct drain *drain, const struct step *step, uint64_t now_ns);
/* In the time between: what is waited for, for the progress line, in place of the step's notice. */
void drain_notice(const struct drain *drain, struct step *step, uint64_t now_ns);
