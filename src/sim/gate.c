#include "sim/gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sim_gate_init(struct sim_gate *gate, uint32_t depth)
{
	gate->depth = depth;
	gate->free_ns = depth >= SIM_GATE_UNLIMITED ? NULL : calloc(depth, sizeof(*gate->free_ns));
	return gate->free_ns || depth >= SIM_GATE_UNLIMITED ? 0 : -ENOMEM;
}

void sim_gate_release(struct sim_gate *gate)
{
	free(gate->free_ns);
	memset(gate, 0, sizeof(*gate));
}

void sim_gate_take(struct sim_gate *gate, uint64_t done_ns)
{
	uint64_t *heap = gate->free_ns;
	uint32_t at = 0, child;

	if (!heap)
		return;
	while ((child = 2 * at + 1) < gate->depth) {
		if (child + 1 < gate->depth && heap[child + 1] < heap[child])
			child++;
		if (heap[child] >= done_ns)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = done_ns;
}

void sim_gate_clear(struct sim_gate *gate)
{
	if (gate->free_ns)
		memset(gate->free_ns, 0, gate->depth * sizeof(*gate->free_ns));
}
