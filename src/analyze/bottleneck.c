#include <math.h>
#include "analyze/bottleneck.h"
#include "base/word.h"

#define LINK_SHARE 0.92
#define CPU_BUSY 0.95
#define IRQ_BUSY 0.80
#define DEPTH_SHARE 0.90
#define CPU_IDLE_ENOUGH 0.80
#define LITTLE_MAX 0.05
#define STEAL_MAX 0.01
#define SWITCHES_MAX 10.0
#define LATE_MAX 0.001		/* the 99.9th percentile of how late is 0.1 ms */
#define IRQ_ONE_CPU_MAX 0.9
#define IRQ_WORK_MIN 0.05	/* less interrupt work is nobody's limit, wherever it is done */
#define TEMPERATURE_MARGIN_C 2.0
#define SLOW_SHARE_MIN 0.02
#define POWER_FALLS 0.9
#define TOOL_SHARE 0.70
#define PACKET_OVERHEAD 26.0
#define DECISIVE_MAX 3u

const char *bottleneck_name(enum bottleneck bottleneck)
{
	static const char *const names[] = {
		"unknown", "drive", "link", "host_cpu", "host_queue", "thermal", "load"
	};

	return names[bottleneck];
}

const char *bottleneck_tag_name(enum bottleneck_tag tag)
{
	static const char *const names[BOTTLENECK_TAGS] = {
		"link_limited",  "link_downgraded", "cpu_limited", "irq_limited", "accounting",
		"queue_limited", "noisy",           "wakeup",      "throttled",   "garbage_collection",
		"placement",     "host_limited",    "load_paced",  "tool_near",
	};

	return names[tag];
}

const char *bottleneck_figure_name(enum bottleneck_figure figure)
{
	static const char *const names[BOTTLENECK_FIGURES] = {
		"seconds throttled",
		"temperature, C",
		"power in slow states / in fast ones",
		"bytes per second / link ceiling",
		"interrupts of the busiest CPU",
		"I/O per second / this program's ceiling",
		"throughput with more host effort / without",
		"busiest worker's CPU",
		"depth reached / asked",
		"I/Os done / offered",
		"rate with more in flight / without",
		"interrupt work of one CPU / of all",
		"CPU time taken by the hypervisor",
		"wake-ups that came late",
		"longest pause of the host, ns",
		"switches away from a worker per second",
		"NUMA node of a worker, of the drive",
	};

	return names[figure];
}

double link_pcie_bytes_per_second(uint32_t generation, uint32_t lanes, uint32_t payload_bytes)
{
	static const double transfers[] = { 0, 2.5e9, 5e9, 8e9, 16e9, 32e9, 64e9 };
	double encoding = generation <= 2 ? 0.8 : generation <= 5 ? 128.0 / 130 : 242.0 / 256;

	if (generation == 0 || generation > 6 || payload_bytes == 0)
		return 0;
	return transfers[generation] * lanes * encoding / 8 * payload_bytes /
	       (payload_bytes + PACKET_OVERHEAD);
}

double link_sata_bytes_per_second(double gigabits)
{
	return gigabits * 1e9 * 0.8 / 8 * 0.925;
}

void bottleneck_evidence_init(struct bottleneck_evidence *evidence)
{
	*evidence = (struct bottleneck_evidence){
		.bytes_per_second = NAN, .iops = NAN, .depth_reached = NAN, .littles_difference = NAN,
		.worker_cpu_busiest = NAN, .host_cpu_busy = NAN, .irq_cpu_busiest = NAN, .steal = NAN,
		.irq_one_cpu = NAN, .switches_per_second = NAN, .switches_per_io = NAN, .late_share = NAN,
		.pause_longest_ns = NAN, .drive_node = -1, .worker_node = -1,
		.temperature_c = NAN, .temperature_warning_c = NAN, .throttle_seconds = NAN,
		.power_slow_ratio = NAN, .perturbation_ratio = NAN,
		.offered_share = NAN, .deeper_ratio = NAN,
	};
}

/* Comparisons with NaN are false, so that a rule without evidence does not apply. */
static void tag_link(const struct bottleneck_evidence *e, bool *tag)
{
	tag[TAG_LINK_LIMITED] = e->link_bytes_per_second > 0 &&
				e->bytes_per_second >= LINK_SHARE * e->link_bytes_per_second;
	tag[TAG_LINK_DOWNGRADED] = e->link_bytes_per_second > 0 &&
				   e->link_bytes_per_second < 0.99 * e->link_max_bytes_per_second;
}

static bool wrong_node(const struct bottleneck_evidence *e)
{
	return e->drive_node >= 0 && e->worker_node >= 0 && e->worker_node != e->drive_node;
}

static bool one_irq_cpu(const struct bottleneck_evidence *e)
{
	return e->irq_one_cpu >= IRQ_ONE_CPU_MAX && e->irq_cpu_busiest >= IRQ_WORK_MIN;
}

static bool short_of_depth(const struct bottleneck_evidence *e)
{
	return e->depth_asked > 0 && e->depth_reached < DEPTH_SHARE * e->depth_asked;
}

/* An open loop that did all that was offered, or a closed one whose own pauses emptied its queue: whoever is
 * how busy, nobody was the limit. */
static bool got_all(const struct bottleneck_evidence *e)
{
	return e->offered_share + e->offered_chance >= BOTTLENECK_OFFERED_MIN ||
	       (e->told_to_pause && short_of_depth(e));
}

static void tag_host(const struct bottleneck_evidence *e, bool *tag)
{
	tag[TAG_CPU_LIMITED] = e->worker_cpu_busiest >= CPU_BUSY && (short_of_depth(e) || e->depth_asked == 0);
	tag[TAG_IRQ_LIMITED] = e->irq_cpu_busiest >= IRQ_BUSY;
	tag[TAG_ACCOUNTING] = e->littles_difference > LITTLE_MAX;
	tag[TAG_QUEUE_LIMITED] = short_of_depth(e) && !e->told_to_pause &&
				  e->worker_cpu_busiest < CPU_IDLE_ENOUGH;
	tag[TAG_NOISY] = e->steal > STEAL_MAX ||
			 (e->workers_pinned && e->switches_per_second > SWITCHES_MAX) ||
			 e->late_share > LATE_MAX;
	tag[TAG_WAKEUP] = e->switches_per_io > 0.9 && e->depth_asked == 1;
	tag[TAG_PLACEMENT] = wrong_node(e) || one_irq_cpu(e);
	tag[TAG_HOST_LIMITED] = e->perturbation_ratio > BOTTLENECK_PERTURBATION_MIN;
	tag[TAG_LOAD_PACED] = got_all(e) || e->deeper_ratio > BOTTLENECK_DEEPER_MIN;
	tag[TAG_TOOL_NEAR] = e->tool_ceiling_iops > 0 && e->iops > TOOL_SHARE * e->tool_ceiling_iops;
}

static void tag_drive(const struct bottleneck_evidence *e, bool *tag)
{
	const bool slow = e->slow_share > SLOW_SHARE_MIN;

	tag[TAG_THROTTLED] = e->throttled || e->throttle_seconds > 0 ||
			     e->temperature_c >= e->temperature_warning_c - TEMPERATURE_MARGIN_C ||
			     (slow && e->power_slow_ratio < POWER_FALLS);
	tag[TAG_GARBAGE_COLLECTION] = slow && !tag[TAG_THROTTLED] && e->power_slow_ratio >= POWER_FALLS;
}

static enum bottleneck decide(const struct bottleneck_evidence *e, const bool *tag)
{
	if (tag[TAG_THROTTLED])
		return BOTTLENECK_THERMAL;
	if (tag[TAG_LINK_LIMITED])
		return BOTTLENECK_LINK;
	if (got_all(e))
		return BOTTLENECK_LOAD;
	if (tag[TAG_CPU_LIMITED] || tag[TAG_IRQ_LIMITED] || tag[TAG_TOOL_NEAR])
		return BOTTLENECK_HOST_CPU;
	if (tag[TAG_ACCOUNTING])
		return BOTTLENECK_UNKNOWN;
	if (tag[TAG_QUEUE_LIMITED])
		return BOTTLENECK_HOST_QUEUE;
	if (tag[TAG_HOST_LIMITED])
		return e->worker_cpu_busiest >= CPU_IDLE_ENOUGH ? BOTTLENECK_HOST_CPU : BOTTLENECK_HOST_QUEUE;
	/* R8: more of the host gained nothing */
	if (e->perturbation_ratio <= BOTTLENECK_PERTURBATION_MIN)
		return BOTTLENECK_DRIVE;
	if (tag[TAG_LOAD_PACED])
		return BOTTLENECK_LOAD;
	/* the host had time and room to spare: the drive set the pace */
	if (e->worker_cpu_busiest < CPU_BUSY &&
	    (e->depth_asked == 0 || e->depth_reached >= DEPTH_SHARE * e->depth_asked))
		return BOTTLENECK_DRIVE;
	return BOTTLENECK_UNKNOWN;
}

static void add_number(struct bottleneck_verdict *verdict, enum bottleneck_figure figure, double value,
		       double limit)
{
	if (verdict->number_count < BOTTLENECK_NUMBERS && !isnan(value))
		verdict->number[verdict->number_count++] = (struct bottleneck_number){ figure, value, limit };
}

static void add_thermal_numbers(const struct bottleneck_evidence *e, struct bottleneck_verdict *verdict)
{
	add_number(verdict, BOTTLENECK_THROTTLE_SECONDS, e->throttle_seconds, 0);
	add_number(verdict, BOTTLENECK_TEMPERATURE, e->temperature_c, e->temperature_warning_c);
	add_number(verdict, BOTTLENECK_SLOW_POWER, e->power_slow_ratio, POWER_FALLS);
}

/* The first three decide. */
static void add_decisive(const struct bottleneck_evidence *e, struct bottleneck_verdict *verdict)
{
	const double depth =
		e->depth_asked > 0 && !e->told_to_pause ? e->depth_reached / e->depth_asked : NAN;
	const double link =
		e->link_bytes_per_second > 0 ? e->bytes_per_second / e->link_bytes_per_second : NAN;
	const double tool = e->tool_ceiling_iops > 0 ? e->iops / e->tool_ceiling_iops : NAN;

	if (verdict->verdict == BOTTLENECK_THERMAL)
		add_thermal_numbers(e, verdict);
	if (verdict->verdict == BOTTLENECK_LINK)
		add_number(verdict, BOTTLENECK_LINK_USE, link, LINK_SHARE);
	if (verdict->tag[TAG_IRQ_LIMITED])
		add_number(verdict, BOTTLENECK_IRQ_CPU, e->irq_cpu_busiest, IRQ_BUSY);
	if (verdict->tag[TAG_TOOL_NEAR])
		add_number(verdict, BOTTLENECK_TOOL_USE, tool, TOOL_SHARE);
	if (verdict->tag[TAG_HOST_LIMITED] || verdict->verdict == BOTTLENECK_DRIVE)
		add_number(verdict, BOTTLENECK_EFFORT, e->perturbation_ratio, BOTTLENECK_PERTURBATION_MIN);
	if (verdict->verdict == BOTTLENECK_LOAD) {
		add_number(verdict, BOTTLENECK_OFFERED, e->offered_share, BOTTLENECK_OFFERED_MIN);
		add_number(verdict, BOTTLENECK_DEEPER, e->deeper_ratio, BOTTLENECK_DEEPER_MIN);
	}
	add_number(verdict, BOTTLENECK_WORKER_CPU, e->worker_cpu_busiest, CPU_BUSY);
	add_number(verdict, BOTTLENECK_DEPTH, depth, DEPTH_SHARE);
	if (verdict->verdict != BOTTLENECK_LINK)
		add_number(verdict, BOTTLENECK_LINK_USE, link, LINK_SHARE);
	if (verdict->number_count > DECISIVE_MAX)
		verdict->number_count = DECISIVE_MAX;
	verdict->decisive_count = verdict->number_count;
}

/* What the host did beside it, whoever was the limit. */
static void add_host(const struct bottleneck_evidence *e, struct bottleneck_verdict *verdict)
{
	if (!verdict->tag[TAG_IRQ_LIMITED])
		add_number(verdict, BOTTLENECK_IRQ_CPU, e->irq_cpu_busiest, IRQ_BUSY);
	if (one_irq_cpu(e))
		add_number(verdict, BOTTLENECK_IRQ_ONE_CPU, e->irq_one_cpu, IRQ_ONE_CPU_MAX);
	if (wrong_node(e))
		add_number(verdict, BOTTLENECK_NODE, e->worker_node, e->drive_node);
	add_number(verdict, BOTTLENECK_LATE, e->late_share, LATE_MAX);
	if (e->late_share > LATE_MAX)
		add_number(verdict, BOTTLENECK_PAUSE, e->pause_longest_ns, NAN);
	if (e->steal > STEAL_MAX)
		add_number(verdict, BOTTLENECK_STEAL, e->steal, STEAL_MAX);
	if (e->workers_pinned && e->switches_per_second > SWITCHES_MAX)
		add_number(verdict, BOTTLENECK_SWITCHES, e->switches_per_second, SWITCHES_MAX);
}

void bottleneck_judge(const struct bottleneck_evidence *evidence, struct bottleneck_verdict *ret_verdict)
{
	struct bottleneck_verdict verdict = { 0 };

	tag_link(evidence, verdict.tag);
	tag_host(evidence, verdict.tag);
	tag_drive(evidence, verdict.tag);
	verdict.verdict = decide(evidence, verdict.tag);
	add_decisive(evidence, &verdict);
	add_host(evidence, &verdict);
	if (verdict.verdict == BOTTLENECK_UNKNOWN)
		verdict.next = verdict.tag[TAG_ACCOUNTING]
				       ? SAID_WORD("clock and counts (Little's law does not hold)")
			       : isnan(evidence->worker_cpu_busiest)
				       ? SAID_WORD("CPU time of the workers")
				       : SAID_WORD("an A-B-A-B step with more host effort");
	*ret_verdict = verdict;
}
