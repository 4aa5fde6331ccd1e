/* placement: on which CPUs, on which NUMA node's memory and with which I/O priority a worker's thread runs.
 * placement_bind is called by the thread itself, before it allocates anything. */
#pragma once
#include <stdint.h>
#include "base/fault.h"
#include "plan/load.h"

/* Are the nodes of numa_cpu_nodes there? 0 or -EINVAL with fault. Changes nothing, any thread. */
int placement_check(const struct load *load, struct fault *fault);
/* cpus_allowed, cpus_allowed_policy, numa_cpu_nodes, numa_mem_policy, prio, prioclass of the load, for its
 * worker `number`. With sqthread_poll the ring's kernel thread spins: on the worker's own CPU the two would
 * starve each other, so each gets one of its own (the one that the plan names for the thread, or pairs of
 * those that may be used, in order): *ret_sqpoll_cpu; -1 without it. 0, or -errno with fault: a CPU or a
 * priority that is not there or not allowed here, a node that does not exist, too few CPUs for workers and
 * threads. */
int placement_bind(const struct load *load, uint32_t number, int32_t *ret_sqpoll_cpu, struct fault *fault);
