/* pauses: when a load is told not to send: before its start delay is over, and in the rests of duty cycles.
 * Known before it begins, so that every figure can leave these times out: rates and depths are those of the
 * time in which I/O was to be sent. Times are since the start of the step. */
#pragma once
#include <stdint.h>

struct pauses {
	uint64_t delay_ns;
	uint64_t on_ns, off_ns, count;	/* cycles after the delay; on_ns 0: none, sends all the time */
};

/* How much of from_ns .. to_ns (from_ns <= to_ns) the load was told not to send. After the last cycle it is
 * over: that is rest too. */
uint64_t pauses_rest_ns(const struct pauses *pauses, uint64_t from_ns, uint64_t to_ns);
