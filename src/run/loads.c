/* A step that moves data: from the instance to a stage, carried out, and told. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/loads.h"
#include "run/step_limits.h"

#define SAMPLES_MAX 120000u
#define SAMPLES_RATE_MAX 2000u
#define SAMPLES_RATE_MIN 20u
#define SAMPLES_RATE_UNKNOWN 500u

/* Which targets a load goes to: those its section names, or the one in turn. */
static void load_targets(struct conductor *conductor, const struct load *load, const uint32_t **ret_targets,
			uint32_t *ret_count)
{
	const struct plan_step *section = &conductor->config->plan->steps[load->section];

	if (conductor->config->plan_names_targets && section->target_count) {
		*ret_targets = section->targets;
		*ret_count = section->target_count;
	} else {
		*ret_targets = &conductor->target;
		*ret_count = 1;
	}
}

struct run_target *loads_target(struct conductor *conductor, const struct load *load, uint32_t index)
{
	const uint32_t *targets;
	uint32_t count;

	load_targets(conductor, load, &targets, &count);
	if (index >= count)
		return NULL;
	return targets == &conductor->target ? conductor_target(conductor) :
					       &conductor->config->targets[targets[index]];
}

int loads_stage(struct conductor *conductor, struct stage *stage)
{
	const struct plan_instance *instance = stage->instance;

	for (uint32_t i = 0; i < instance->load_count; i++) {
		const uint32_t *targets;
		uint32_t count;

		load_targets(conductor, &instance->loads[i], &targets, &count);
		for (uint32_t k = 0; k < count; k++) {
			if (stage->load_count == PLAN_LOADS_MAX)
				return -E2BIG;
			stage->load[stage->load_count++] = (struct stage_load){
				.load = &instance->loads[i],
				.target = targets[k],
				.at = loads_target(conductor, &instance->loads[i], k),
				.continue_offset =
					instance->loads[i].offset_continue ? conductor->continue_offset : 0,
			};
		}
	}
	return 0;
}

/* Sampled I/Os a second of one load: about SAMPLES_MAX in a step, so that a long run stays small; a scatter
 * chart cannot show more. */
static uint32_t samples_per_second(const struct stage *stage)
{
	uint64_t seconds = (stage->ramp_ns + stage->runtime_ns) / 1000000000;
	uint64_t rate;

	if (!seconds)
		return stage->runtime_ns ? SAMPLES_RATE_MAX : SAMPLES_RATE_UNKNOWN;
	rate = SAMPLES_MAX / seconds;
	if (rate > SAMPLES_RATE_MAX)
		return SAMPLES_RATE_MAX;
	return rate < SAMPLES_RATE_MIN ? SAMPLES_RATE_MIN : (uint32_t)rate;
}

/* Which operations its work source can come up with. */
static uint32_t load_ops(const struct load *load)
{
	const bool mixed = load->rw == LOAD_RW || load->rw == LOAD_RANDRW;
	const bool trims = load->rw == LOAD_TRIM || load->rw == LOAD_RANDTRIM;
	const bool reads = mixed || load->rw == LOAD_READ || load->rw == LOAD_RANDREAD;
	uint32_t ops = 0;

	ops |= reads ? 1u << IO_READ : 0;
	ops |= mixed || !(reads || trims) ? 1u << IO_WRITE : 0;
	ops |= trims ? 1u << IO_TRIM : 0;
	ops |= load->fsync_every || load->end_fsync ? 1u << IO_FSYNC : 0;
	return ops | (load->fdatasync_every ? 1u << IO_FLUSH : 0);
}

static void stage_layout_fill(struct stage *stage)
{
	uint64_t interval_ns = stage->instance->interval_ns;

	for (uint32_t i = 0; i < stage->load_count; i++) {
		const struct load *load = stage->load[i].load;

		if (load->ramp_ns && load->startdelay_ns + load->ramp_ns > stage->ramp_ns)
			stage->ramp_ns =
				(load->startdelay_ns + load->ramp_ns + interval_ns - 1) / interval_ns * interval_ns;
	}
	stage->samples_per_second = samples_per_second(stage);
	for (uint32_t i = 0; i < stage->load_count; i++) {
		const struct load *load = stage->load[i].load;
		uint32_t depth = load->iodepth ? load->iodepth : 1;
		uint32_t share = stage->samples_per_second / load->numjobs;

		stage->layout[i] = (struct board_layout){
			.workers = load->numjobs,
			.depth = depth,
			.recorder = {
				.interval_ns = interval_ns,
				.samples_per_second = share ? share : 1,
				.depth = depth,
				.open_loop = load->arrival != ARRIVAL_CLOSED,
				.ops = load_ops(load),
			},
		};
	}
}

static int stage_fill(struct conductor *conductor, const struct plan_step *step,
		      const struct plan_instance *instance, const struct step_record *record,
		      struct stage *stage, struct fault *fault)
{
	uint64_t seed = work_seed(work_seed(conductor->config->seed, step->index), record->round);
	int error;

	*stage = (struct stage){
		.instance = instance,
		.seed = work_seed(work_seed(seed, record->point), record->repeat),
		.layout_seed = conductor->config->seed,
	};
	if (!instance->loads[0].seed_repeat)	/* randrepeat=0: another one in every run */
		stage->seed = work_seed(stage->seed, conductor->config->entropy);
	error = loads_stage(conductor, stage);
	if (error)
		return fault_system(fault, error, "more than %d loads and files run together",
				    PLAN_LOADS_MAX);
	error = step_limits_resolve(stage, step, fault);
	if (!error)
		stage_layout_fill(stage);
	return error;
}

static const char *end_reason(const struct step *step)
{
	const struct plan_instance *instance = step->stage->instance;
	const struct board *board = step->stage->board;
	bool size = true;

	if (step->end == STEP_END_INTERRUPTED)
		return "interrupted";
	if (step->end == STEP_END_FAILED)
		return step->text;
	if (step->stop.met)
		return step->stop.reason;
	if (step->probe && step->probe->stopped)
		return "decided";
	for (uint32_t i = 0; i < board->worker_count; i++)
		size = size && board->worker[i].end == WORKER_END_SIZE;
	if (!size)
		return "time";
	return stop_rule_find(instance->until, instance->until_count, STOP_WRITTEN) ||
	       stop_rule_find(instance->max, instance->max_count, STOP_WRITTEN) ? "written" : "size";
}

/* What it never comes to, however long it runs. */
static bool leaves_gaps(const struct load *load)
{
	return load->rw_skip || load->rw_identical || load->align_bytes[IO_WRITE];
}

/* What one load has written, as far as it is known to be without gaps. */
static void written_keep(struct run_target *target, const struct load *load, const struct tally *total)
{
	uint64_t written = total->op[IO_WRITE].bytes, whole;
	struct work_range range;

	if (!written || leaves_gaps(load) ||
	    work_range_resolve(load, run_target_bytes(target), run_target_block_bytes(target), 0,
			       &range, NULL))
		return;
	whole = load_rw_random(load->rw) && !load->random_map ? 2 * range.bytes : range.bytes;
	if (written >= whole)
		coverage_written(&target->coverage, range.start, range.start + range.bytes);
	else if (load->rw == LOAD_WRITE && !load->offset_continue)
		coverage_written(&target->coverage, range.start, range.start + written);
}

int loads_outcome_keep(struct conductor *conductor, const struct stage *stage,
		       const struct step_record *record, const struct tally *const *totals, uint64_t position)
{
	struct figure figure = {
		.step = record->plan_step,
		.record = record->id,
		.target = conductor->target,
		.group_key = conductor->group_key,
		.round = record->round,
		.repeat = record->repeat,
	};

	for (uint32_t i = 0; i < stage->load_count; i++) {
		const struct load *load = stage->load[i].load;

		written_keep(stage->load[i].at, load, totals[i]);
		if (!load_rw_random(load->rw))
			conductor->continue_offset = position;
	}
	return figures_add(&conductor->figures, stage->instance, totals, stage->load_count,
			   tally_sent_ns(totals[0]), figure);
}

/* What later steps need to know: where it stopped, what is written now, what was reached. */
static int outcome_keep(struct conductor *conductor, const struct step *step)
{
	const struct tally *totals[PLAN_LOADS_MAX];

	for (uint32_t i = 0; i < step->stage->load_count; i++)
		totals[i] = collector_total(step->collectors[i]);
	return loads_outcome_keep(conductor, step->stage, &step->record, totals,
				  step->stage->board->worker[0].position);
}

static void record_end(struct conductor *conductor, struct step *step)
{
	static const enum run_status status[] = { RUN_COMPLETE, RUN_INTERRUPTED, RUN_FAILED };

	step->record.status = status[step->end];
	step->record.status_text = end_reason(step);
	if (step->end == STEP_END_INTERRUPTED)
		conductor_end(conductor, RUN_INTERRUPTED, "interrupted in step '%s'%s%s", step->record.name,
			      step->text[0] ? ": " : "", step->text);
	else if (step->end == STEP_END_FAILED)
		conductor_end(conductor, RUN_FAILED, "step '%s': %s", step->record.name, step->text);
}

static bool only_reads(const struct plan_instance *instance)
{
	for (uint32_t i = 0; i < instance->load_count; i++)
		if (instance->loads[i].rw != LOAD_READ && instance->loads[i].rw != LOAD_RANDREAD)
			return false;
	return true;
}

static bool settled_here(const struct conductor *conductor, const struct stage *stage,
			 const struct work_range *range)
{
	const struct settled *settled = &conductor->settled;

	return settled->valid && stage->load_count == 1 && settled->target == stage->load[0].target &&
	       settled->start == range->start && settled->bytes == range->bytes &&
	       settle_gate_of(stage->instance) == SETTLE_RANDOM;
}

void loads_settled_keep(struct conductor *conductor, const struct stage *stage,
			const struct load_record *load, bool steady)
{
	bool random = settle_gate_of(stage->instance) == SETTLE_RANDOM;
	struct work_range range = { .start = load->range_start, .bytes = load->range_bytes };

	if (!only_reads(stage->instance) && !settled_here(conductor, stage, &range))
		conductor->settled = (struct settled){ 0 };
	if (!steady || !random)
		return;
	conductor->settled = (struct settled){
		.valid = true, .target = stage->load[0].target, .start = range.start, .bytes = range.bytes,
	};
}

/* Has it settled? Random writes on the same range that follow at once go on from there. */
static int verdict_keep(struct conductor *conductor, struct step *step)
{
	bool steady;
	int error = stop_verdict(&step->stop, &step->steady_json, &steady);

	step->record.steady_json = step->steady_json;
	if (!error)
		loads_settled_keep(conductor, step->stage, &step->loads[0], steady);
	return error;
}

static int step_carry_out(struct conductor *conductor, struct step *step)
{
	const struct run_observer *observer = conductor->config->observer;
	bool is_virtual = conductor_target(conductor)->subject.kind == TARGET_SIM;
	int error;

	step->record.started_ns = conductor_now_ns(conductor);
	step->record.measured_start_ns = step->stage->ramp_ns;
	error = observer->step_begin(observer->context, &step->record);
	if (!error)
		error = is_virtual ? step_run_virtual(step) : step_run_real(step);
	if (error)
		return error;
	if (step->started)
		step->record.started_ns = step->start_ns - conductor->context.run_start_ns;
	record_end(conductor, step);
	if (step->started)
		error = verdict_keep(conductor, step);
	if (!error && step->started)
		error = outcome_keep(conductor, step);
	return error ? error : observer->step_end(observer->context, &step->record);
}

int loads_run(struct conductor *conductor, const struct plan_step *plan_step, struct plan_instance *instance,
	      struct step_record *record, enum loads_start start)
{
	struct stage *stage = calloc(1, sizeof(*stage));
	struct step *step = calloc(1, sizeof(*step));
	struct fault fault = { 0 };
	struct together *together = start == LOADS_MEET ? conductor->context.together : NULL;
	int error = stage && step ? 0 : -ENOMEM;

	if (step)
		step->line_due = together;
	if (!error && stage_fill(conductor, plan_step, instance, record, stage, &fault)) {
		conductor_end(conductor, RUN_FAILED, "step '%s': %.400s", plan_step->name, fault.text);
	} else if (!error) {
		error = board_new(stage->layout, stage->load_count, &stage->board);
		if (!error) {
			const struct run_target *target = stage->load[0].at;
			struct work_range range = { 0 };

			work_range_resolve(stage->load[0].load, run_target_bytes(target),
					   run_target_block_bytes(target), 0, &range, NULL);
			step->context = &conductor->context;
			step->stage = stage;
			step->record = *record;
			step->probe = conductor->probe;
			stop_init(&step->stop, &(struct stop_config){
				.instance = instance,
				.target_bytes = run_target_bytes(target),
				.range_bytes = range.addressed_bytes,
				.scale = conductor->config->plan->scale,
				.settled = settled_here(conductor, stage, &range),
			});
			error = step_carry_out(conductor, step);
			step_release(step);
		}
		stage->board = board_free(stage->board);
	}
	if (together && (!step || step->line_due))
		together_start_not(together);
	free(stage);
	free(step);
	return error;
}
