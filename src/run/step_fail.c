#include "run/step_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "run/run.h"

#define NAME_SHOWN 120		/* bytes of a target's name: the reason behind it must fit, too */

const char *step_target_name(const struct step *step, uint32_t load)
{
	return step->stage->load[load].at->subject.name;
}

void step_fail_io(struct step *step, const struct worker_board *worker)
{
	const int reason = -worker->error;

	if (step->end == STEP_END_FAILED)
		return;
	step->end = STEP_END_FAILED;
	snprintf(step->text, sizeof(step->text), "%.*s: I/O failed: %s%s", NAME_SHOWN,
		 step_target_name(step, worker->load), strerror(reason),
		 reason == ENODEV ? " (it is gone, or has no blocks where it had some)" : "");
}
