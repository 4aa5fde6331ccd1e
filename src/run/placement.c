#include "run/placement.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "drive/machine.h"

#define MEMORY_BIND 2		/* MPOL_BIND of set_mempolicy(2) */
#define NODES_MAX 64

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

/* The node's CPUs into the set; its memory for everything that this thread allocates from now on. */
static int node_bind(int32_t node, cpu_set_t *set, struct fault *fault)
{
	unsigned long mask = 1ul << node;
	char list[512];
	int length = machine_read_text(NULL, list, sizeof(list), "/sys/devices/system/node/node%d/cpulist", node);

	if (node >= NODES_MAX || length <= 0)
		return fault_system(fault, -ENODEV, "numa_cpu_nodes=%d: this machine has no such node with CPUs", node);
	cpulist_read(list, set);
	if (syscall(SYS_set_mempolicy, MEMORY_BIND, &mask, NODES_MAX + 1))
		return fault_system(fault, -errno, "numa_cpu_nodes=%d: its memory cannot be used: %s", node,
				    strerror(errno));
	return 0;
}

int placement_bind(const struct load *load, uint32_t number, struct fault *fault)
{
	cpu_set_t set;
	int error = 0;

	CPU_ZERO(&set);
	if (load->numa_node >= 0)
		error = node_bind(load->numa_node, &set, fault);
	if (error)
		return error;
	if (load->cpu_count)
		CPU_ZERO(&set);		/* the plan's own CPUs win; the memory stays on the node */
	if (load->cpu_count && load->cpus_split)
		CPU_SET(load->cpu[number % load->cpu_count], &set);
	else
		for (uint32_t i = 0; i < load->cpu_count; i++)
			CPU_SET(load->cpu[i], &set);
	if (!CPU_COUNT(&set))
		return 0;
	error = -pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	return error ? fault_system(fault, error, "load '%s': its CPUs cannot be used: %s", load->name, strerror(-error)) : 0;
}
