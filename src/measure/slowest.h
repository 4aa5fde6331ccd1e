/* The slowest I/Os of an interval: a min-heap of RECORDER_TOP entries by response time. */
#pragma once

#include "measure/recorder.h"

/* Takes a copy of `io` when fewer than RECORDER_TOP are kept or it is slower than the fastest of them, which
 * goes. */
void slowest_offer(struct recorder *recorder, const struct logged_io *io);
