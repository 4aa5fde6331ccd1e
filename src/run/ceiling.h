/* ceiling: how many I/Os per second this program could do on this machine, if the drive took no time: its own
 * loop, with everything recorded, on io_uring's no-ops. What a result should stay well below. */
#pragma once
#include "base/clock.h"
#include "base/target.h"

#define CEILING_TIME_NS 20000000u

/* Takes CEILING_TIME_NS and little more; one worker, queue depth 128. 0 = not to be had (no io_uring here).
 * `target` is only named, nothing is sent to it. */
double ceiling_iops(const struct target *target, struct clock *clock);
