/* What follows from a load's options together: standards, derived fields, contradictions. */
#include <math.h>
#include <string.h>
#include "plan/parser.h"
#include "plan/private.h"

#define FILL_BLOCK (128u << 10)
#define FILL_DEPTH 32
#define FILL_PASSES 2
#define ROUNDS_STANDARD 25
#define ROUND_NS 60000000000ull		/* until=snia of a single step: rounds of one minute */

/* FNV-1a, so that a load's I/O depends on its own name and not on what stands around it. */
static uint64_t name_hash(const char *name, uint64_t seed)
{
	uint64_t hash = 14695981039346656037ull ^ seed;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 1099511628211ull;
	return hash;
}

void load_init(struct load *load, const struct plan *plan, const struct plan_step *step)
{
	const struct load_size standard = { 4096, 4096, 1 }, fill = { FILL_BLOCK, FILL_BLOCK, 1 };
	const char *name = plan->private->steps[step->index].load_name;

	memset(load, 0, sizeof(*load));
	memcpy(load->name, name, strnlen(name, LOAD_NAME - 1));
	load->section = step->index;
	load->read_share = 0.5;
	load->distribution_center = -1;
	load->seed = name_hash(name, plan->seed);
	load->seed_repeat = true;
	load->random_map = plan->dialect == PLAN_FIO;
	/* who types nothing gets the drive, not the page cache */
	load->direct = plan->dialect == PLAN_NATIVE;
	load->iodepth = load->numjobs = load->loops = load->thinktime_blocks = 1;
	load->fixed_buffers = load->fixed_files = true;
	load->sqpoll_cpu = -1;
	for (int direction = 0; direction < 3; direction++) {
		load->percentage_random[direction] = 1;
		load->sizes[direction].count = 1;
		load->sizes[direction].part[0] = step->kind == STEP_FILL ? fill : standard;
	}
	if (step->kind == STEP_FILL) {
		load->rw = LOAD_WRITE;
		load->iodepth = FILL_DEPTH;
	}
}

static bool load_writes(const struct load *load)
{
	if (load->rw == LOAD_RW || load->rw == LOAD_RANDRW)
		return load->read_share < 1;
	return load->rw == LOAD_WRITE || load->rw == LOAD_RANDWRITE;
}

static struct mark mark_of(const struct build *build, const struct plan_step *step, const char *name)
{
	const struct candidate *candidate = build_candidate(build, name);

	return candidate ? candidate->entry->mark : build->plan->private->steps[step->index].mark;
}

/* Share of the load's I/Os that go in this direction. */
static double direction_share(const struct load *load, int direction)
{
	if (load->rw == LOAD_TRIM || load->rw == LOAD_RANDTRIM)
		return direction == 2;
	if (load->rw == LOAD_RW || load->rw == LOAD_RANDRW)
		return direction == 0 ? load->read_share : direction == 1 ? 1 - load->read_share : 0;
	return direction == (load->rw == LOAD_WRITE || load->rw == LOAD_RANDWRITE);
}

static double mean_size(const struct load_sizes *sizes)
{
	double sum = 0;

	for (uint32_t i = 0; i < sizes->count; i++)
		sum += sizes->part[i].share * ((double)sizes->part[i].bytes_min + sizes->part[i].bytes_max) /
		       2;
	return sum;
}

uint32_t load_largest_block(const struct load *load)
{
	uint32_t largest = 0;

	for (int direction = 0; direction < 3; direction++)
		for (uint32_t i = 0; direction_share(load, direction) > 0 && i < load->sizes[direction].count;
		     i++)
			if (load->sizes[direction].part[i].bytes_max > largest)
				largest = load->sizes[direction].part[i].bytes_max;
	return largest;
}

/* I/Os per second that rate= and rate_iops= allow one direction, the lower of the two; 0 = no limit. */
static double direction_rate(const struct load *load, int direction)
{
	double by_ios = (double)load->rate_ios[direction];
	double by_bytes = (double)load->rate_bytes[direction] / mean_size(&load->sizes[direction]);

	if (by_ios == 0 || load->rate_bytes[direction] == 0)
		return load->rate_bytes[direction] ? by_bytes : by_ios;
	return by_ios < by_bytes ? by_ios : by_bytes;
}

/* Two different rates are a mix by themselves. */
static bool rates_mix(const struct load *load)
{
	return (load->rw == LOAD_RW || load->rw == LOAD_RANDRW) && direction_rate(load, 0) > 0 &&
	       direction_rate(load, 1) > 0 && direction_rate(load, 0) != direction_rate(load, 1);
}

/* The rate of all I/Os together: the highest at which no direction exceeds its own and the mix is what
 * rwmixread says; or what reads and writes add up to, when each has a rate of its own, which then decide
 * the mix. */
static double load_rate(struct load *load)
{
	double rate = 0;

	if (rates_mix(load)) {
		rate = direction_rate(load, 0) + direction_rate(load, 1);
		load->read_share = direction_rate(load, 0) / rate;
		return rate;
	}
	for (int direction = 0; direction < 3; direction++) {
		double share = direction_share(load, direction), own = direction_rate(load, direction);

		if (share > 0 && own > 0 && (rate == 0 || own / share < rate))
			rate = own / share;
	}
	return rate;
}

/* rate= and rate_iops= become an arrival: the only place where they do. */
static void rate_resolve(struct load *load)
{
	double rate;

	if (load->arrival_rate > 0)
		return;
	rate = load_rate(load);
	load->arrival_rate = rate * load->numjobs;
	if (rate == 0)
		load->arrival = ARRIVAL_CLOSED;
	else if (load->arrival == ARRIVAL_CLOSED)
		load->arrival = ARRIVAL_CONSTANT;
}

/* A rate so low that the run time doesn't hold one I/O would measure nothing. */
static int rate_check(struct build *build, const struct plan_step *step, const struct load *load)
{
	double seconds = (double)load->runtime_ns / 1e9 / build->plan->scale;
	const char *key = build_candidate(build, "rate")        ? "rate"
			  : build_candidate(build, "rate_iops") ? "rate_iops"
								: "arrival";

	if (load->arrival_rate <= 0 || !load->runtime_ns || load->arrival_rate / load->numjobs * seconds >= 1)
		return 0;
	return build_fault(build, mark_of(build, step, key),
			   "%s: at %g I/O per second and worker (blocks of %g bytes) not "
			   "even one I/O fits into the run time of %g s",
			   key, load->arrival_rate / load->numjobs,
			   mean_size(&load->sizes[load_writes(load)]), seconds);
}

/* A scaled plan must still hold one block. */
static void amount_hold(struct amount *amount, uint64_t bytes, double scale)
{
	if (amount->unit == AMOUNT_BYTES && scale < 1 && amount->bytes < bytes)
		amount->bytes = bytes;
}

static int size_check(struct build *build, const struct plan_step *step, struct load *load)
{
	uint64_t largest = load_largest_block(load);

	amount_hold(&load->size, largest, build->plan->scale);
	amount_hold(&load->io_size, largest, build->plan->scale);
	if (load->size.unit == AMOUNT_BYTES && load->size.bytes < largest)
		return build_fault(build, mark_of(build, step, "size"),
				   "size: %llu bytes don't hold one block of %llu bytes",
				   (unsigned long long)load->size.bytes, (unsigned long long)largest);
	if (load->io_size.unit == AMOUNT_BYTES && load->io_size.bytes < largest)
		return build_fault(build, mark_of(build, step, "io_size"),
				   "io_size: %llu bytes don't hold one block of "
				   "%llu bytes",
				   (unsigned long long)load->io_size.bytes, (unsigned long long)largest);
	return 0;
}

/* Scaled down, a load without size and range takes so much less of the target. */
static void range_scale(const struct plan *plan, const struct plan_step *step, struct load *load)
{
	if (plan->scale >= 1 || load->size.unit != AMOUNT_UNSET || load->range_to.unit != AMOUNT_UNSET ||
	    load->offset.unit != AMOUNT_UNSET || step->kind == STEP_PURGE)
		return;
	load->range_to = (struct amount){ .unit = AMOUNT_SHARE, .share = plan->scale, .share_written = 1,
					  .bytes_least = plan->private->scaled_least };
}

/* A contradiction of numbers that fio mends by itself: mended in .fio files too, with a warning. */
static int complain(struct build *build, struct mark mark, const char *text)
{
	if (build->plan->dialect == PLAN_NATIVE)
		return build_fault(build, mark, "%s", text);
	return build->parser ? parser_complain(build->parser, mark, "%s", text) : 0;
}

static int batch_check(struct build *build, const struct plan_step *step, struct load *load)
{
	int error = 0;

	if (load->batch_submit > load->iodepth) {
		error = complain(build, mark_of(build, step, "iodepth_batch_submit"),
				 "iodepth_batch_submit is larger than iodepth");
		load->batch_submit = load->iodepth;
	}
	if (!error && load->batch_complete_min > load->iodepth) {
		error = complain(build, mark_of(build, step, "iodepth_batch_complete_min"),
				 "iodepth_batch_complete_min is larger than iodepth");
		load->batch_complete_min = load->iodepth;
	}
	if (!error && load->batch_complete_max && load->batch_complete_min > load->batch_complete_max) {
		error = complain(build, mark_of(build, step, "iodepth_batch_complete_max"),
				 "iodepth_batch_complete_max is smaller than iodepth_batch_complete_min");
		load->batch_complete_max = load->batch_complete_min;
	}
	return error;
}

/* Distributions that favour some blocks, partly sequential ones and offsets on other multiples than those
 * of the block can't go with a map of every block once. */
static int map_check(struct build *build, const struct plan_step *step, struct load *load)
{
	const struct candidate *map = build_candidate(build, "norandommap");
	bool uneven = load->distribution != DISTRIBUTION_RANDOM;

	for (int direction = 0; direction < 3; direction++)
		uneven |= direction_share(load, direction) > 0 &&
			  (load->percentage_random[direction] < 1 || load->align_bytes[direction]);
	if (!load_rw_random(load->rw))
		load->random_map = false;
	if (!uneven || !load->random_map)
		return 0;
	load->random_map = false;
	return map ? complain(build, map->entry->mark,
			      "norandommap=0 (every block once) contradicts an uneven "
			      "random_distribution, percentage_random or blockalign")
		   : 0;
}

/* What is written is either the pattern, or random in so far as the other options leave it. */
static int pattern_check(struct build *build, const struct plan_step *step, const struct load *load)
{
	const char *other = load->zero_buffers ? "zero_buffers"
			    : load->dedupe_share > 0 && load->compress_share == 0 ? "dedupe_percentage"
										  : NULL;

	if (!load->pattern_bytes || !other)
		return 0;
	return build_fault(build, mark_of(build, step, "buffer_pattern"),
			   "buffer_pattern contradicts %s in line %u", other,
			   mark_of(build, step, other).line);
}

/* How I/Os follow a random one is said once. */
static int follow_check(struct build *build, const struct plan_step *step, const struct load *load)
{
	for (int direction = 0; direction < 3; direction++)
		if (load->rw_each > 1 && direction_share(load, direction) > 0 &&
		    load->percentage_random[direction] < 1)
			return build_fault(
				build, mark_of(build, step, "percentage_random"),
				"percentage_random contradicts an rw with several I/Os for each place "
				"(line %u)",
				mark_of(build, step, "rw").line);
	return 0;
}

static int offset_check(struct build *build, const struct plan_step *step, const struct load *load)
{
	if (load->offset_continue && load_rw_random(load->rw))
		return build_fault(build, mark_of(build, step, "offset"),
				   "offset: continue needs a sequential rw");
	return 0;
}

static int fill_check(struct build *build, const struct plan_step *step, const struct load *load)
{
	if (step->kind != STEP_FILL)
		return 0;
	if (!load_writes(load) || direction_share(load, 0) > 0)
		return build_fault(build, mark_of(build, step, "rw"), "rw: a fill only writes");
	return load->rw_skip ? build_fault(build, mark_of(build, step, "rw"), "rw: a fill leaves nothing out")
			     : 0;
}

static bool stops_have(const struct stop_rule *rules, uint32_t count, enum stop_kind kind)
{
	for (uint32_t i = 0; i < count; i++)
		if (rules[i].kind == kind)
			return true;
	return false;
}

static bool stops_end_surely(const struct plan_instance *instance)
{
	return instance->max_count || stops_have(instance->until, instance->until_count, STOP_TIME) ||
	       stops_have(instance->until, instance->until_count, STOP_WRITTEN);
}

/* until=snia alone on a single step: one-minute rounds, one after another, 25 of them at most. */
static void snia_standard(const struct plan *plan, const struct plan_step *step,
			  struct plan_instance *instance)
{
	for (uint32_t i = 0; i < instance->until_count; i++) {
		struct stop_rule *rule = &instance->until[i];

		if (rule->kind != STOP_SNIA || rule->round_ns || step->kind == STEP_GROUP)
			continue;
		rule->round_ns = rule->every_ns = (uint64_t)fmax(1, (double)ROUND_NS * plan->scale);
	}
}

static int group_stops_check(struct build *build, const struct plan_step *step,
			     struct plan_instance *instance)
{
	for (uint32_t i = 0; i < instance->until_count; i++)
		if (instance->until[i].round_ns)
			return build_fault(build, mark_of(build, step, "until"),
					   "until: the passes of the group are the rounds; "
					   "write until=snia");
	if (!step->track_count && (stops_have(instance->until, instance->until_count, STOP_SNIA) ||
				   stops_have(instance->until, instance->until_count, STOP_STEADY)))
		return build_fault(build, mark_of(build, step, "until"),
				   "until: which figure must be steady? A line "
				   "track=STEP[KEY=VALUE] iops is missing");
	return 0;
}

static int stops_check(struct build *build, const struct plan_step *step, struct plan_instance *instance)
{
	bool snia = stops_have(instance->until, instance->until_count, STOP_SNIA);

	if (instance->max_count && !instance->until_count)
		return build_fault(build, mark_of(build, step, "max"), "max has no effect without until");
	if (step->kind == STEP_GROUP) {
		int error = group_stops_check(build, step, instance);

		if (error)
			return error;
	} else if (stops_have(instance->max, instance->max_count, STOP_ROUNDS) && !snia) {
		return build_fault(build, mark_of(build, step, "max"),
				   "max: a number of rounds needs until=snia or a group; "
				   "write written:, or time: with a duration");
	}
	snia_standard(build->plan, step, instance);
	if (instance->until_count && !stops_end_surely(instance)) {
		if (step->kind != STEP_GROUP && !snia)
			return build_fault(build, mark_of(build, step, "until"),
					   "until: this may never be met; a line "
					   "max=time:1h or max=written:2x is missing");
		instance->max[0] = (struct stop_rule){ .kind = STOP_ROUNDS, .rounds = ROUNDS_STANDARD };
		instance->max_count = 1;
	}
	return 0;
}

static int written_check(struct build *build, const struct plan_step *step,
			 const struct plan_instance *instance, const struct load *load)
{
	bool until = stops_have(instance->until, instance->until_count, STOP_WRITTEN);

	if (load_writes(load) || build->plan->private->steps[step->index].joined_count)
		return 0;
	if (until || stops_have(instance->max, instance->max_count, STOP_WRITTEN))
		return build_fault(build, mark_of(build, step, until ? "until" : "max"),
				   "%s: a load that doesn't write never "
				   "meets written:",
				   until ? "until" : "max");
	return 0;
}

/* runtime= next to until= or duty=: an inherited one steps back, one in the same section contradicts. */
static int runtime_check(struct build *build, const struct plan_step *step, struct plan_instance *instance,
			 struct load *load)
{
	const struct candidate *runtime = build_candidate(build, "runtime");
	const char *key = instance->duty_count ? "duty" : "until";

	if (instance->duty_count && instance->until_count)
		return build_fault(build, mark_of(build, step, "until"), "until contradicts duty");
	if (!instance->duty_count && !instance->until_count)
		return 0;
	if (runtime && runtime->level == step->depth + 1)
		return build_fault(build, runtime->entry->mark,
				   "runtime contradicts %s in line %u; write max=time: for a "
				   "limit",
				   key, mark_of(build, step, key).line);
	instance->runtime_ns = load->runtime_ns = 0;
	load->time_based = true;
	return 0;
}

static void fill_standard(const struct plan_step *step, struct plan_instance *instance)
{
	if (step->kind != STEP_FILL || instance->until_count || instance->runtime_ns)
		return;
	instance->until[0] = (struct stop_rule){ .kind = STOP_WRITTEN, .ranges = FILL_PASSES };
	instance->until_count = 1;
}

/* A .plan load that joins another one and has no end of its own lasts as long as that one. */
static void joined_standard(const struct plan *plan, const struct plan_step *step, struct load *load)
{
	if (step->joined_to >= 0 && plan->dialect == PLAN_NATIVE && !load->runtime_ns &&
	    load->io_size.unit == AMOUNT_UNSET)
		load->time_based = true;
}

/* Arrivals don't stop for a rest: what comes in it would wait for its end, and be told as the drive's delay. */
static int duty_check(struct build *build, const struct plan_step *step, const struct plan_instance *instance,
		      const struct load *load)
{
	if (!instance->duty_count || load->arrival == ARRIVAL_CLOSED)
		return 0;
	return build_fault(build, mark_of(build, step, "duty"),
			   "duty: %s goes on in the rests, and I/Os that came then would count as late: use a "
			   "closed loop (iodepth=), or a load and an idle step by turns in a group",
			   build_candidate(build, "arrival") ? "the schedule of arrival=" : "the schedule of a rate");
}

static int load_check(struct build *build, const struct plan_step *step, struct plan_instance *instance,
		      struct load *load)
{
	int error = rate_check(build, step, load);

	if (!error)
		error = duty_check(build, step, instance, load);
	if (!error)
		error = size_check(build, step, load);
	if (!error)
		error = batch_check(build, step, load);
	if (!error)
		error = map_check(build, step, load);
	if (!error)
		error = offset_check(build, step, load);
	if (!error)
		error = pattern_check(build, step, load);
	if (!error)
		error = follow_check(build, step, load);
	if (!error)
		error = fill_check(build, step, load);
	return error;
}

/* Nothing is sent that any other condition could be about. */
static int idle_stops_check(struct build *build, const struct plan_step *step, const struct plan_instance *instance)
{
	if (instance->until_count != stops_have(instance->until, instance->until_count, STOP_COOL))
		return build_fault(build, mark_of(build, step, "until"),
				   "until: an idle step ends after its runtime=, or until=cool, and nothing else");
	if (instance->max_count && !instance->until_count)
		return build_fault(build, mark_of(build, step, "max"), "max has no effect without until");
	if (instance->max_count != stops_have(instance->max, instance->max_count, STOP_TIME))
		return build_fault(build, mark_of(build, step, "max"), "max: an idle step takes one limit of time, max=time:1h");
	return 0;
}

static int cool_check(struct build *build, const struct plan_step *step, const struct plan_instance *instance)
{
	if (stops_have(instance->until, instance->until_count, STOP_COOL))
		return build_fault(build, mark_of(build, step, "until"), "until: cool is for kind=idle: a drive at work stays warm");
	if (stops_have(instance->max, instance->max_count, STOP_COOL))
		return build_fault(build, mark_of(build, step, "max"), "max: cool is no limit; write max=time:1h");
	return 0;
}

static int idle_check(struct build *build, const struct plan_step *step, const struct plan_instance *instance)
{
	if (step->kind != STEP_IDLE) {
		int error = cool_check(build, step, instance);

		if (error)
			return error;
	}
	if (step->kind == STEP_IDLE && !build_candidate(build, "runtime"))
		return build_fault(build, mark_of(build, step, "runtime"), "an idle step needs runtime=");
	if (step->kind == STEP_IDLE)
		return idle_stops_check(build, step, instance);
	if (step->kind == STEP_MKFS && !build_candidate(build, "fs"))
		return build_fault(build, mark_of(build, step, "fs"), "the step needs fs=");
	return 0;
}

/* fio: with filesize= it is that which the file holds, and size= is how much is moved. */
static void filesize_resolve(struct load *load)
{
	if (load->filesize.unit == AMOUNT_UNSET)
		return;
	if (load->io_size.unit == AMOUNT_UNSET)
		load->io_size = load->size;
	load->size = load->filesize;
}

int load_finish(struct build *build, const struct plan_step *step, struct plan_instance *instance,
		struct load *load)
{
	int error = idle_check(build, step, instance);

	if (error)
		return error;
	if (load) {
		filesize_resolve(load);
		range_scale(build->plan, step, load);
	}
	if (step->kind == STEP_GROUP)
		return stops_check(build, step, instance);
	if (step->kind != STEP_LOAD && step->kind != STEP_FILL)
		return 0;
	if (!load->runtime_ns && build->plan->dialect == PLAN_FIO) {
		load->time_based_alone = load->time_based;
		load->time_based = false;
	}
	rate_resolve(load);
	load->end_fsync |= load->fsync_on_close;
	if (load->prio_named && !load->prio_class)
		load->prio_class = LOAD_PRIO_BEST;
	error = load_check(build, step, instance, load);
	if (error)
		return error;
	joined_standard(build->plan, step, load);
	if (step->joined_to >= 0)
		return 0;
	fill_standard(step, instance);
	error = runtime_check(build, step, instance, load);
	if (!error)
		error = stops_check(build, step, instance);
	return error ? error : written_check(build, step, instance, load);
}
