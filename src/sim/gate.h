/* gate: the drive's own queue. At most `depth` commands are inside; more wait in the host, first come first
 * served.
 *
 * Completion times are known when a command enters, so the gate is a heap of when its places become free. */
#pragma once
#include <stdint.h>

#define SIM_GATE_UNLIMITED 65535u	/* so deep that no host fills it: nothing is tracked */

struct sim_gate {
	uint64_t *free_ns;	/* binary heap, owned; NULL: unlimited */
	uint32_t depth;
};

int sim_gate_init(struct sim_gate *gate, uint32_t depth);	/* 0 or -ENOMEM */
void sim_gate_release(struct sim_gate *gate);
/* When a command that the host issues at now_ns gets in. */
static inline uint64_t sim_gate_enter(const struct sim_gate *gate, uint64_t now_ns)
{
	return gate->free_ns && gate->free_ns[0] > now_ns ? gate->free_ns[0] : now_ns;
}
/* It completes at done_ns: takes the place that became free first. */
void sim_gate_take(struct sim_gate *gate, uint64_t done_ns);
void sim_gate_clear(struct sim_gate *gate);
