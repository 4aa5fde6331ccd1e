/* Whose limit was it: for every load, by the rules of analyze/bottleneck.h; told once per step name, all its
 * points together. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/bottleneck.h"
#include "analyze/littles_law.h"
#include "assay/bottleneck_words.h"
#include "assay/deeper.h"
#include "assay/finding.h"
#include "assay/perturbation.h"
#include "assay/noise.h"
#include "assay/thermal.h"
#include "base/units.h"
#include "store/json_reader.h"

#define PAYLOAD 256u	    /* of a PCIe packet: what nearly all hosts and drives agree on */
#define CPU_JUDGED_NS 200e6 /* the kernel counts CPU time in ticks */
#define VERDICTS BOTTLENECKS
#define CHANCE_SIGMAS 3.0   /* random arrivals vary in number */

static uint32_t generation_of(double gigatransfers)
{
	static const double rates[] = { 2.5, 5, 8, 16, 32, 64 };

	for (uint32_t i = 0; i < 6; i++)
		if (fabs(gigatransfers - rates[i]) < 0.1 * rates[i])
			return i + 1;
	return 0;
}

/* What data has to pass through on its way to the drive. */
struct link {
	/* payload, bytes per second: as it runs, and as both ends could; 0 = unknown */
	double now, max;
	bool one_way;			/* reads and writes share it (SATA); PCIe carries so much each way */
	char name[48];			/* "PCIe 3.0 x4" */
	double warning_c;		/* where the drive begins to warn; NaN = unknown */
	int32_t node;			/* NUMA node of the drive; -1 = unknown */
};

/* The narrowest of the PCIe links; its name is left alone when there is none. */
static double pcie_ceiling(const json_t *facts, const char *speed, const char *width, char *name,
			   size_t name_size)
{
	const json_t *link;
	double least = 0;
	size_t i;

	json_array_foreach (json_object_get(facts, "links"), i, link) {
		double lanes = json_real_in(link, width), one;
		uint32_t generation = generation_of(json_real_in(link, speed));

		if (!(lanes > 0))
			continue;
		one = link_pcie_bytes_per_second(generation, (uint32_t)lanes, PAYLOAD);
		if (one > 0 && (one < least || !(least > 0))) {
			least = one;
			snprintf(name, name_size, "PCIe %u.0 x%.0f", generation, lanes);
		}
	}
	return least;
}

static struct link link_of(const struct evidence *evidence, uint32_t target)
{
	const struct drive_record *drive = evidence_drive(evidence, target);
	json_t *facts = drive ? drive_facts_of(drive, true) : NULL;
	struct link link = { .warning_c = NAN, .node = -1 };
	const char *interface;
	char unused[48];

	if (!facts && drive)
		facts = drive_facts_of(drive, false);
	interface = json_string_value(json_object_get(facts, "interface"));
	if (interface && !strcasecmp(interface, "sata")) {
		link.now = link.max = link_sata_bytes_per_second(6);
		link.one_way = true;
		snprintf(link.name, sizeof(link.name), "SATA 6 Gb/s");
	} else {
		link.now = pcie_ceiling(facts, "speed_now_gt_per_second", "width_now", link.name,
					sizeof(link.name));
		link.max =
			pcie_ceiling(facts, "speed_max_gt_per_second", "width_max", unused, sizeof(unused));
	}
	link.warning_c = json_real_in(json_object_get(facts, "health"), "warning_c");
	if (json_is_integer(json_object_get(facts, "numa_node")))
		link.node = (int32_t)json_integer_value(json_object_get(facts, "numa_node"));
	json_decref(facts);
	return link;
}

static void worker_fill(const json_t *worker, uint64_t ios, struct bottleneck_evidence *e)
{
	double cpu = json_real_in(worker, "cpu_user_ns") + json_real_in(worker, "cpu_system_ns");
	double wall = json_real_in(worker, "finished_ns"), node = json_real_in(worker, "numa_node");

	if (node >= 0 && (e->worker_node < 0 || (int32_t)node != e->drive_node))
		e->worker_node = (int32_t)node;
	if (wall < CPU_JUDGED_NS)
		return;
	e->worker_cpu_busiest = fmax(isnan(e->worker_cpu_busiest) ? 0 : e->worker_cpu_busiest, cpu / wall);
	e->switches_per_second = fmax(isnan(e->switches_per_second) ? 0 : e->switches_per_second,
				      json_real_in(worker, "switches_involuntary") / wall * 1e9);
	e->switches_per_io = (isnan(e->switches_per_io) ? 0 : e->switches_per_io) +
			     json_real_in(worker, "switches_voluntary") / (double)(ios ? ios : 1);
}

/* Interrupts: of the CPU that had most, and its part of all. */
static void interrupts_fill(const struct evidence *evidence, const struct step_record *step,
			    struct bottleneck_evidence *e)
{
	json_t *host = evidence->run->host_json ? json_loads(evidence->run->host_json, 0, NULL) : NULL;
	double cpus = json_real_in(host, "cpus_online");
	struct reading_sum all, busiest;

	json_decref(host);
	step_readings(evidence, step, READING_CPU_IRQ, -1, &all);
	step_readings(evidence, step, READING_CPU_IRQ_BUSIEST, -1, &busiest);
	e->irq_cpu_busiest = busiest.mean;
	if (cpus > 1 && all.mean > 0)
		e->irq_one_cpu = fmin(busiest.mean / (all.mean * cpus), 1);
}

static void host_fill(const struct evidence *evidence, const struct step_record *step,
		      const struct load_record *load, struct bottleneck_evidence *e)
{
	json_t *facts = load->facts_json ? json_loads(load->facts_json, 0, NULL) : NULL;
	struct noise noise;
	json_t *worker;
	size_t i;

	if (evidence_virtual(evidence)) {
		e->worker_cpu_busiest = e->host_cpu_busy = e->steal = 0; /* a simulated drive takes no part of
									    the host */
		json_decref(facts);
		return;
	}
	json_array_foreach (json_object_get(facts, "workers"), i, worker)
		worker_fill(worker, tally_ios(load->total), e);
	json_decref(facts);
	noise_of(evidence, step, &noise);
	e->host_cpu_busy = noise.busy;
	e->steal = noise.steal;
	e->late_share = noise.late_share;
	e->pause_longest_ns = noise.pause_longest_ns;
	e->workers_pinned = step_word(evidence, step, "cpus_allowed")[0] != 0;
	interrupts_fill(evidence, step, e);
	e->tool_ceiling_iops = evidence->run->ceiling_iops;
}

/* What the link had to carry in the direction that it carried more in. */
static double link_bytes(const struct link *link, const struct tally *total)
{
	const double read = (double)total->op[IO_READ].bytes, written = (double)total->op[IO_WRITE].bytes;

	return link->one_way ? read + written : fmax(read, written);
}

static int evidence_fill(const struct evidence *evidence, const struct step_record *step,
			 const struct load_record *load, const struct link *link,
			 struct bottleneck_evidence *e)
{
	const struct tally *total = load->total;
	double seconds = tally_seconds(total);
	struct perturbation perturbation;
	struct thermal thermal;
	int error = thermal_of(evidence, step, load->target, &thermal);

	if (error)
		return error;
	bottleneck_evidence_init(e);
	e->bytes_per_second = link_bytes(link, total) / seconds;
	e->iops = load_iops(load);
	e->depth_asked = load_depth(load);
	e->told_to_pause = load->thinktime_ns > 0;
	if (load->open_loop && load->rate_asked > 0)
		e->offered_share = e->iops / load->rate_asked;
	e->offered_chance = CHANCE_SIGMAS / sqrt((double)tally_ios(total));
	e->deeper_ratio = deeper_ratio(evidence, step, load);
	e->depth_reached = e->depth_asked > 0 ? littles_share(total, e->depth_asked) * e->depth_asked
					      : tally_depth(total);
	e->littles_difference = littles_law_of(total).difference;
	if (littles_law_of(total).agrees)
		e->littles_difference = fmin(e->littles_difference, 0.05); /* too few I/Os to tell */
	e->link_bytes_per_second = link->now;
	e->link_max_bytes_per_second = link->max;
	e->drive_node = link->node;
	host_fill(evidence, step, load, e);
	if (perturbation_of(evidence, step, &perturbation))
		e->perturbation_ratio = perturbation.ratio;
	e->temperature_c = thermal.hottest_c;
	/* that it came near the limit is no evidence against the speed of each second, nor in a step too
	 * short to look at them */
	if (thermal.throttled || thermal.stood_s > 0 ||
	    (!thermal.judged && thermal.hottest_c >= link->warning_c))
		e->temperature_warning_c = link->warning_c;
	if (thermal.throttled) {
		e->throttle_seconds = thermal.brief ? NAN : thermal.slow_s;
		e->throttled = true;
		e->slow_share = thermal.slow_share;
	}
	return 0;
}

/* All loads of one step name on one target. */
struct verdicts {
	const struct step_record *step; /* the first */
	struct link link;
	uint32_t target, count, of[VERDICTS];
	uint32_t few;			/* measurements with too few I/Os to say, not in `count` */
	const struct step_record *point[VERDICTS];	/* the first with that verdict */
	bool several_points[VERDICTS];
	double deepest[VERDICTS];	/* I/Os asked for in flight, of those with that verdict */
	struct bottleneck_verdict last[VERDICTS]; /* the last load with that verdict */
	struct bottleneck_range range[VERDICTS][BOTTLENECK_FIGURES];
	json_t *loads;
};

/* It says more than any other number, so it is what the sentence is to show. */
static bool names_perturbation(const struct bottleneck_verdict *verdict)
{
	return verdict->number_count && verdict->number[0].figure == BOTTLENECK_EFFORT;
}

static void ranges_clear(struct verdicts *verdicts)
{
	for (int verdict = 0; verdict < VERDICTS; verdict++)
		for (int figure = 0; figure < BOTTLENECK_FIGURES; figure++)
			verdicts->range[verdict][figure] = (struct bottleneck_range){ INFINITY, -INFINITY };
}

static void range_extend(struct bottleneck_range *range, double value)
{
	range->low = fmin(range->low, value);
	range->high = fmax(range->high, value);
}

static void point_keep(const struct evidence *evidence, const struct step_record *step, enum bottleneck verdict,
		       struct verdicts *verdicts)
{
	char point[160], first[160];

	verdicts->count++;
	if (!verdicts->of[verdict]++)
		verdicts->point[verdict] = step;
	step_point_text(evidence, step, point, sizeof(point));
	step_point_text(evidence, verdicts->point[verdict], first, sizeof(first));
	verdicts->several_points[verdict] |= strcmp(point, first) != 0;
}

static void verdict_keep(const struct evidence *evidence, const struct step_record *step,
			 const struct load_record *load, const struct bottleneck_verdict *verdict,
			 struct verdicts *verdicts)
{
	json_t *object = json_object(), *tags = json_array(), *numbers = json_array();
	char point[160];

	point_keep(evidence, step, verdict->verdict, verdicts);
	verdicts->deepest[verdict->verdict] = fmax(verdicts->deepest[verdict->verdict], load_depth(load));
	if (!names_perturbation(&verdicts->last[verdict->verdict]) || names_perturbation(verdict))
		verdicts->last[verdict->verdict] = *verdict;
	for (uint32_t i = 0; i < verdict->number_count; i++)
		range_extend(&verdicts->range[verdict->verdict][verdict->number[i].figure],
			     verdict->number[i].value);
	data_text(object, "load", load->name);
	data_text(object, "point", step_point_text(evidence, step, point, sizeof(point)));
	data_text(object, "verdict", bottleneck_name(verdict->verdict));
	for (int tag = 0; tag < BOTTLENECK_TAGS; tag++)
		if (verdict->tag[tag]) {
			json_array_append_new(tags,
					      json_string(bottleneck_tag_name((enum bottleneck_tag)tag)));
		}
	for (uint32_t i = 0; i < verdict->number_count; i++) {
		json_t *number = json_object();

		data_text(number, "name", bottleneck_figure_name(verdict->number[i].figure));
		data_real(number, "value", verdict->number[i].value);
		data_real(number, "limit", verdict->number[i].limit);
		json_array_append_new(numbers, number);
	}
	json_object_set_new(object, "tags", tags);
	json_object_set_new(object, "numbers", numbers);
	data_text(object, "next", verdict->next);
	json_array_append_new(verdicts->loads, object);
}

static int verdicts_collect(const struct evidence *evidence, struct verdicts *verdicts)
{
	int error = 0;

	for (uint32_t i = 0; i < evidence->load_count && !error; i++) {
		const struct load_record *load = &evidence->loads[i];
		const struct step_record *step = evidence_step(evidence, load->step);
		struct bottleneck_evidence seen;
		struct bottleneck_verdict verdict;

		if (!step || !load->total || load->target != verdicts->target ||
		    strcmp(step->name, verdicts->step->name))
			continue;
		if (tally_ios(load->total) < DEEPER_IOS_MIN || !tally_sent_ns(load->total)) {
			verdicts->few++;
			continue;
		}
		error = evidence_fill(evidence, step, load, &verdicts->link, &seen);
		if (error)
			break;
		bottleneck_judge(&seen, &verdict);
		verdict_keep(evidence, step, load, &verdict, verdicts);
	}
	return error;
}

static void words_say(const struct verdicts *verdicts, enum bottleneck verdict, struct saying *saying)
{
	char rate[UNITS_TEXT];

	saying_word(saying, bottleneck_words(verdict));
	if (verdict == BOTTLENECK_LINK && verdicts->link.name[0])
		saying_add(saying, " (%s carries %s)", verdicts->link.name,
			   rate_format(verdicts->link.now, rate));
}

/* Of several points, the one that a verdict is of: " (rw=write)"; nothing when it is of more than one. */
static struct saying *point_say(const struct evidence *evidence, const struct verdicts *verdicts,
				enum bottleneck verdict, struct saying *saying)
{
	char point[160] = "";

	if (!verdicts->several_points[verdict])
		step_point_text(evidence, verdicts->point[verdict], point, sizeof(point));
	if (point[0])
		saying_add(saying, " (%s)", point);
	return saying;
}

/* All verdicts, the most frequent one first, each with how many measurements it is of where there are
 * several. */
static void verdicts_say(const struct evidence *evidence, const struct verdicts *verdicts, enum bottleneck most,
			 struct saying *saying)
{
	struct saying enough = { 0 }, where = { 0 };

	if (verdicts->few)
		saying_add(&enough, ", %u more had too few I/Os to say", verdicts->few);
	words_say(verdicts, most, saying);
	point_say(evidence, verdicts, most, &where);
	if (verdicts->count == 2 && verdicts->of[most] == verdicts->count)
		saying_add(saying, ", in both measurements%p%p", &where, &enough);
	else if (verdicts->count > 1 && verdicts->of[most] == verdicts->count)
		saying_add(saying, ", in all %u measurements%p%p", verdicts->count, &where, &enough);
	else if (verdicts->count > 1)
		saying_add(saying, ", in %u of %u measurements%p%p", verdicts->of[most], verdicts->count, &where,
			   &enough);
	else if (verdicts->few)
		saying_add(saying, ", in one measurement%p%p", &where, &enough);
	for (int i = 0; i < VERDICTS; i++) {
		struct saying words = { 0 }, of = { 0 };

		if (!verdicts->of[i] || i == (int)most)
			continue;
		words_say(verdicts, (enum bottleneck)i, &words);
		point_say(evidence, verdicts, (enum bottleneck)i, &of);
		saying_add(saying, "; and %p, in %u%p", &words, verdicts->of[i], &of);
	}
}

static int verdicts_tell(const struct evidence *evidence, struct verdicts *verdicts)
{
	struct finding_record finding = { .kind = "bottleneck", .unit = "loads", .low = NAN, .high = NAN };
	enum bottleneck most = BOTTLENECK_UNKNOWN;
	struct saying saying = { 0 };
	json_t *data = json_object();

	for (int i = 0; i < VERDICTS; i++)
		if (verdicts->of[i] > verdicts->of[most])
			most = (enum bottleneck)i;
	verdicts_say(evidence, verdicts, most, &saying);
	if (most == BOTTLENECK_DRIVE && verdicts->deepest[most] == 1)
		saying_add(&saying, "; it had one I/O at a time: that is its latency, not the most it can do");
	bottleneck_numbers_say(&verdicts->last[most], verdicts->range[most], &saying);
	finding.value = verdicts->of[most];
	data_text(data, "verdict", bottleneck_name(most));
	json_object_set(data, "loads", verdicts->loads);
	return finding_put(evidence, verdicts->step, &finding, data, "Step '%s': %p.", verdicts->step->name,
			   &saying);
}

/* Has an earlier load the same step name and target? */
static bool told_before(const struct evidence *evidence, uint32_t at)
{
	const struct step_record *step = evidence_step(evidence, evidence->loads[at].step);

	for (uint32_t i = 0; i < at; i++) {
		const struct step_record *other = evidence_step(evidence, evidence->loads[i].step);

		if (other && !strcmp(other->name, step->name) &&
		    evidence->loads[i].target == evidence->loads[at].target)
			return true;
	}
	return false;
}

int find_bottleneck(const struct evidence *evidence)
{
	int error = 0;

	for (uint32_t i = 0; i < evidence->load_count && !error; i++) {
		struct verdicts *verdicts;
		const struct step_record *step = evidence_step(evidence, evidence->loads[i].step);

		if (!step || !strcmp(step->name, "prepare") || told_before(evidence, i))
			continue;
		verdicts = calloc(1, sizeof(*verdicts));
		if (!verdicts)
			return -ENOMEM;
		verdicts->step = step;
		verdicts->target = evidence->loads[i].target;
		verdicts->link = link_of(evidence, verdicts->target);
		verdicts->loads = json_array();
		ranges_clear(verdicts);
		error = verdicts_collect(evidence, verdicts);
		if (!error && verdicts->count)
			error = verdicts_tell(evidence, verdicts);
		json_decref(verdicts->loads);
		free(verdicts);
	}
	return error;
}
