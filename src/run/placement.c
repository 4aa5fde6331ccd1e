#include "run/placement.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "drive/machine.h"

#define MEMORY_BIND 2		/* MPOL_BIND of set_mempolicy(2) */
#define NODES_MAX 64
#define WHO_PROCESS 1		/* IOPRIO_WHO_PROCESS of ioprio_set(2) */

/* "0-3,8" as sysfs writes it. */
static void cpulist_read(const char *list, cpu_set_t *set)
{
	while (*list) {
		char *end;
		unsigned long from = strtoul(list, &end, 10), to = from;

		if (end == list)
			return;
		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		for (unsigned long cpu = from; cpu <= to && cpu < CPU_SETSIZE; cpu++)
			CPU_SET(cpu, set);
		list = *end == ',' ? end + 1 : end;
	}
}

static int policy_set(int policy, uint64_t nodes, const char *what, struct fault *fault)
{
	unsigned long mask = (unsigned long)nodes;

	if (!syscall(SYS_set_mempolicy, policy, nodes ? &mask : NULL, nodes ? NODES_MAX + 1 : 0))
		return 0;
	return fault_system(fault, -errno, "%s: its memory cannot be used: %s", what, strerror(errno));
}

static int node_read(int node, char *list, size_t bytes, struct fault *fault)
{
	if (machine_read_text(NULL, list, bytes, "/sys/devices/system/node/node%d/cpulist", node) > 0)
		return 0;
	return fault_set(fault, 0, 0, "numa_cpu_nodes: this machine has no node %d with CPUs", node);
}

int placement_check(const struct load *load, struct fault *fault)
{
	char list[512];
	int error = 0;

	for (int node = 0; node < NODES_MAX && !error; node++)
		if (load->numa_nodes >> node & 1)
			error = node_read(node, list, sizeof(list), fault);
	return error;
}

/* The nodes' CPUs into the set; their memory for everything that this thread allocates from now on. */
static int nodes_bind(uint64_t nodes, cpu_set_t *set, struct fault *fault)
{
	for (int node = 0; node < NODES_MAX; node++) {
		char list[512];

		if (!(nodes >> node & 1))
			continue;
		if (node_read(node, list, sizeof(list), fault))
			return -EINVAL;
		cpulist_read(list, set);
	}
	return policy_set(MEMORY_BIND, nodes, "numa_cpu_nodes", fault);
}

static int memory_bind(const struct load *load, cpu_set_t *set, struct fault *fault)
{
	int error = load->numa_nodes ? nodes_bind(load->numa_nodes, set, fault) : 0;

	if (!error && load->memory_policy)
		error = policy_set((int)load->memory_policy, load->memory_nodes, "numa_mem_policy", fault);
	return error;
}

/* The CPU of this number among those of the set. */
static int cpu_at(const cpu_set_t *set, uint32_t number)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, set) && !number--)
			return cpu;
	return -1;
}

/* Takes the kernel thread's CPU from those of the worker. */
static int sqpoll_part(const struct load *load, uint32_t number, cpu_set_t *set, int32_t *ret_cpu,
		       struct fault *fault)
{
	uint32_t count, needed = load->sqpoll_cpu < 0 ? 2 * load->numjobs : 1;
	int cpu;

	if (!CPU_COUNT(set) && sched_getaffinity(0, sizeof(*set), set))
		return fault_system(fault, -errno, "load '%s': its CPUs cannot be read: %s", load->name,
				    strerror(errno));
	if (load->sqpoll_cpu >= 0)
		CPU_CLR(load->sqpoll_cpu, set);
	count = (uint32_t)CPU_COUNT(set);
	if (count < needed)
		return fault_system(
			fault, -EINVAL,
			"load '%s': sqthread_poll=1 needs a CPU for each worker and another for its kernel "
			"thread, because on one they starve each other: %u of %u are there",
			load->name, count + (load->sqpoll_cpu >= 0), needed + (load->sqpoll_cpu >= 0));
	*ret_cpu = load->sqpoll_cpu;
	if (load->sqpoll_cpu >= 0)
		return 0;
	*ret_cpu = cpu_at(set, 2 * number + 1);
	cpu = cpu_at(set, 2 * number);
	CPU_ZERO(set);
	CPU_SET(cpu, set);
	return 0;
}

static void cpus_choose(const struct load *load, uint32_t number, cpu_set_t *set)
{
	/* pairs are split anyway */
	const bool split = load->cpus_split && !(load->sqpoll && load->sqpoll_cpu < 0);

	if (load->cpu_count)
		CPU_ZERO(set);		/* the plan's own CPUs win; the memory stays on the node */
	if (load->cpu_count && split)
		CPU_SET(load->cpu[number % load->cpu_count], set);
	else
		for (uint32_t i = 0; i < load->cpu_count; i++)
			CPU_SET(load->cpu[i], set);
}

/* Of this thread; what it sends by engines that give each I/O a priority of its own has the same. */
static int priority_set(const struct load *load, struct fault *fault)
{
	if (!load_ioprio(load) || !syscall(SYS_ioprio_set, WHO_PROCESS, 0, load_ioprio(load)))
		return 0;
	return fault_system(fault, -errno, "load '%s': prioclass=%u prio=%u is not allowed: %s", load->name,
			    load->prio_class, load->prio_level, strerror(errno));
}

int placement_bind(const struct load *load, uint32_t number, int32_t *ret_sqpoll_cpu, struct fault *fault)
{
	cpu_set_t set;
	int error;

	CPU_ZERO(&set);
	*ret_sqpoll_cpu = -1;
	error = priority_set(load, fault);
	if (!error)
		error = memory_bind(load, &set, fault);
	if (error)
		return error;
	cpus_choose(load, number, &set);
	if (load->sqpoll)
		error = sqpoll_part(load, number, &set, ret_sqpoll_cpu, fault);
	if (error || !CPU_COUNT(&set))
		return error;
	error = -pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	return error ? fault_system(fault, error, "load '%s': its CPUs cannot be used: %s", load->name,
				    strerror(-error))
		     : 0;
}
