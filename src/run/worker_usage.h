/* worker_usage: what the measuring process takes of the CPUs, as the kernel tells from outside
 * (/proc/PID). */
#pragma once
#include <stdint.h>
#include <sys/types.h>

struct worker_usage {
	uint64_t cpu_ns;		/* user and system, all threads; grain of a clock tick */
	uint64_t switches;		/* context switches of up to 64 threads, voluntary and not */
};

/* 0 or -errno: the process is gone. */
int worker_usage_read(pid_t pid, struct worker_usage *ret_usage);
