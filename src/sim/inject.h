/* inject: faults that the user asked for: stalls, errors, a hang.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/random.h"
#include "sim/params.h"

#define SIM_HANG_NS (1000ull * 3600 * 1000000000)	/* 1000 hours: a hang is a completion far away */

struct sim_inject {
	bool on;			/* anything below is set */
	uint64_t stall_at_ns, stall_ns, stall_every_ns;
	uint64_t error_below;		/* a random 64-bit number below this fails */
	uint64_t error_at_ns, error_ns;
	uint64_t hang_at_ns;		/* 0: none */
	bool hung;
	uint64_t errors, stalled;	/* commands */
	struct random random;
};

void sim_inject_init(struct sim_inject *inject, const struct sim_params *params, uint64_t seed);
/* now_ns, or the end of the stall it falls into. */
uint64_t sim_inject_stalled_until(const struct sim_inject *inject, uint64_t now_ns);
/* The same for a completion: one that falls into a stall comes as much later as the stall is long. */
uint64_t sim_inject_delay(struct sim_inject *inject, uint64_t done_ns);
bool sim_inject_error(struct sim_inject *inject, uint64_t now_ns);
bool sim_inject_hang(struct sim_inject *inject, uint64_t now_ns);	/* true once */
