/* bottleneck: was it the drive, or the link, the host's CPU, its queueing, heat, or the load itself? Rules
 * over evidence gathered while a load ran; what was not gathered is NaN (or 0 where said) and its rule does
 * not apply. Pure function. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum bottleneck {
	BOTTLENECK_UNKNOWN,	/* nothing decides: evidence missing */
	BOTTLENECK_DRIVE,
	BOTTLENECK_LINK,
	BOTTLENECK_HOST_CPU,
	BOTTLENECK_HOST_QUEUE,
	BOTTLENECK_THERMAL,
	BOTTLENECK_LOAD,	/* it asked for no more: an open loop's rate, a closed loop's depth */
	BOTTLENECKS
};
/* "unknown" "drive" "link" "host_cpu" "host_queue" "thermal" "load" */
const char *bottleneck_name(enum bottleneck bottleneck);

/* What an interface can carry as payload, bytes per second: PCIe generation 1..6 and lanes, largest payload
 * 128/256/512 bytes per packet of about 26 bytes more. 0 for an unknown generation. */
double link_pcie_bytes_per_second(uint32_t generation, uint32_t lanes, uint32_t payload_bytes);
/* SATA by its line rate: 1.5, 3, 6 Gbit/s (8b/10b and protocol: 6 gives about 555 MB/s). */
double link_sata_bytes_per_second(double gigabits);

#define BOTTLENECK_PERTURBATION_MIN 1.05
#define BOTTLENECK_DEEPER_MIN 1.05	/* so much more by a deeper queue: the queue was too short */
#define BOTTLENECK_OFFERED_MIN 0.995	/* of an open loop's I/Os done: it got all that it asked for */

struct bottleneck_evidence {
	/* the load */
	double bytes_per_second;	/* over the link; where it carries both ways at once: in the fuller one */
	double iops;
	double depth_asked;		/* I/Os in flight wanted, all workers; 0 = open loop */
	double depth_reached;		/* mean, while they were to be sent */
	bool told_to_pause;		/* between its I/Os: no queue stays full then */
	double littles_difference;	/* struct littles_law */
	double offered_share;		/* open loop: I/Os done / offered */
	double offered_chance;		/* by so much it may be off by chance */
	double deeper_ratio;		/* closed loop: best rate of the same I/O with more in flight / this */
	/* link */
	double link_bytes_per_second;	/* payload ceiling; 0 = unknown */
	double link_max_bytes_per_second;	/* of what both ends could do; 0 = unknown */
	/* host: shares 0..1 */
	double worker_cpu_busiest;	/* of one worker's thread */
	double host_cpu_busy;		/* all CPUs */
	double irq_cpu_busiest;		/* interrupt + soft interrupt of one CPU */
	/* share of all CPUs' interrupt work that this one did; NaN: there is one CPU */
	double irq_one_cpu;
	double steal;			/* taken by the hypervisor */
	double switches_per_second;	/* involuntary, worst worker */
	double switches_per_io;
	/* of the wake-ups of a thread that sleeps 1 ms, those that came 0.1 ms late or more */
	double late_share;
	double pause_longest_ns;	/* of the host */
	bool workers_pinned;
	/* NUMA; -1 = unknown. One worker on another node than the drive: that one */
	int32_t drive_node, worker_node;
	/* heat */
	double temperature_c, temperature_warning_c;
	bool throttled;			/* that it was is known, if not for how long */
	double throttle_seconds;	/* the drive's own counters, rise during the load */
	double slow_share;		/* share of the time in a slow state (levels); 0 = none */
	double power_slow_ratio;	/* power in slow states / in fast ones */
	/* the program itself */
	double tool_ceiling_iops;	/* per this host; 0 = not measured */
	/* A-B-A-B perturbation: throughput with more host effort / without. Above
	 * BOTTLENECK_PERTURBATION_MIN: the host's limit; else, unless heat, link, a busy CPU or a queue
	 * that was not filled explains it: the drive's */
	double perturbation_ratio;
};
/* All doubles NaN, nodes -1, all else 0: fill in what is known. */
void bottleneck_evidence_init(struct bottleneck_evidence *evidence);

enum bottleneck_tag {		/* findings beside the verdict */
	TAG_LINK_LIMITED,	/* R1 */
	TAG_LINK_DOWNGRADED,	/* R1b */
	TAG_CPU_LIMITED,	/* R2 */
	TAG_IRQ_LIMITED,	/* R2b */
	TAG_ACCOUNTING,		/* R3: Little's law does not hold */
	TAG_QUEUE_LIMITED,	/* R3 */
	TAG_NOISY,		/* R4: tails are not to be trusted */
	TAG_WAKEUP,		/* R5: host wake-ups are part of the latency */
	TAG_THROTTLED,		/* R6 */
	TAG_GARBAGE_COLLECTION,	/* R6: slow states at normal power */
	TAG_PLACEMENT,		/* R7 */
	TAG_HOST_LIMITED,	/* R8 */
	TAG_LOAD_PACED,		/* it did all that the load asked for, or a deeper queue did more */
	TAG_TOOL_NEAR,		/* R9: more than 70 % of the tool's own ceiling */
	BOTTLENECK_TAGS
};
const char *bottleneck_tag_name(enum bottleneck_tag tag);	/* "link_limited" ... */

enum bottleneck_figure {
	BOTTLENECK_THROTTLE_SECONDS,
	BOTTLENECK_TEMPERATURE,		/* degrees Celsius; limit: where the drive warns */
	BOTTLENECK_SLOW_POWER,
	BOTTLENECK_LINK_USE,
	BOTTLENECK_IRQ_CPU,
	BOTTLENECK_TOOL_USE,
	BOTTLENECK_EFFORT,
	BOTTLENECK_WORKER_CPU,
	BOTTLENECK_DEPTH,
	BOTTLENECK_OFFERED,
	BOTTLENECK_DEEPER,
	BOTTLENECK_IRQ_ONE_CPU,
	BOTTLENECK_STEAL,
	BOTTLENECK_LATE,
	BOTTLENECK_PAUSE,		/* ns */
	BOTTLENECK_SWITCHES,
	BOTTLENECK_NODE,		/* of the worker; limit: of the drive */
	BOTTLENECK_FIGURES
};
/* "bytes per second / link ceiling" ... */
const char *bottleneck_figure_name(enum bottleneck_figure figure);

struct bottleneck_number {
	enum bottleneck_figure figure;
	double value, limit;	/* what was seen, and what it was compared with */
};
#define BOTTLENECK_NUMBERS 8u

struct bottleneck_verdict {
	enum bottleneck verdict;
	bool tag[BOTTLENECK_TAGS];
	/* those that decided first, then those of the tags */
	struct bottleneck_number number[BOTTLENECK_NUMBERS];
	uint32_t number_count, decisive_count;	/* decisive: at most 3 */
	const char *next;	/* UNKNOWN: what to gather next; else NULL */
};

void bottleneck_judge(const struct bottleneck_evidence *evidence, struct bottleneck_verdict *ret_verdict);
