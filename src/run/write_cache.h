/* write_cache: the drive's own, as the plan wants it. Private to room run. */
#pragma once
#include "run/conductor.h"

/* write_cache=on/off: sets the drive's own write cache before a step, and sets it back at the end of the run.
 * A target that has no such switch is told as an event. 0 or the observer's -errno. */
int write_cache_apply(struct conductor *conductor, enum write_cache wanted);
int write_cache_restore(struct conductor *conductor);
