/* placement: on which CPUs, and on which NUMA node's memory, a worker's thread runs. Called by the thread itself, before it
 * allocates anything. */
#pragma once
#include <stdint.h>
#include "base/fault.h"
#include "plan/load.h"

/* cpus_allowed, cpus_allowed_policy, numa_cpu_nodes of the load, for its worker `number`. 0, or -errno with fault: a CPU that
 * is not there or not allowed here, a node that does not exist. */
int placement_bind(const struct load *load, uint32_t number, struct fault *fault);
