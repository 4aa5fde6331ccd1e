/* drive_host: the facts of the computer that does the measuring, and its state once a second.
 *
 * A host that is busy, throttled or a guest of another one makes a drive look bad: these are the numbers that
 * tell. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "drive/machine.h"

/* JSON object text (caller frees; NULL when out of memory): program version as given, host name, CPU model,
 * cores, sockets, NUMA nodes, memory, kernel, OS, clock source, governor, virtual machine, mitigations, THP,
 * limits. */
char *drive_host_json(const struct machine *machine, const char *program_version);

#define HOST_CPUS_MAX 1024

struct host_cpu {			/* ns since boot, from /proc/stat (10 ms grain) */
	uint64_t user_ns, system_ns, irq_ns, softirq_ns, steal_ns, iowait_ns, idle_ns;
};

struct host_sample {
	uint32_t cpu_count;		/* as many as were read, at most HOST_CPUS_MAX */
	struct host_cpu total;
	struct host_cpu *cpu;		/* owned by host_sample; [cpu number], offline ones are all 0 */
	uint64_t context_switches, interrupts, block_softirqs;	/* since boot; DRIVE_UNKNOWN */
	uint64_t cpu_pressure_us, io_pressure_us, memory_pressure_us;	/* "some" totals; DRIVE_UNKNOWN */
	uint64_t frequency_khz_min, frequency_khz_max;	/* over CPUs, now; DRIVE_UNKNOWN */
	uint64_t memory_available_bytes;
	uint64_t throttle_events;	/* sum of the CPUs' thermal_throttle counters; DRIVE_UNKNOWN */
};

/* A zero-initialised sample is empty; taking it again reuses its memory. 0 or -errno. */
int drive_host_sample(const struct machine *machine, struct host_sample *sample);
void host_sample_release(struct host_sample *sample);
