#include "run/cooling.h"
#include "run/estimate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/fs.h"
#include "run/search.h"
#include "run/step_limits.h"
#include "run/worker.h"

#define NOMINAL_BYTES_PER_S 1e9		/* sequential */
#define NOMINAL_IOPS 50000.0		/* random */
#define ROUNDS_DEFAULT 25u

struct need {
	uint64_t write_bytes, read_bytes, time_ns, memory_bytes;
	bool time_known;
};

static double load_rate(const struct load *load, uint32_t block_bytes)
{
	const enum io_op op = load->rw == LOAD_READ || load->rw == LOAD_RANDREAD ? IO_READ : IO_WRITE;
	double size = work_io_bytes_mean(load, op, block_bytes);

	if (!load_rw_random(load->rw) || NOMINAL_IOPS * size > NOMINAL_BYTES_PER_S)
		return NOMINAL_BYTES_PER_S;
	return NOMINAL_IOPS * size;
}

static bool load_trims(const struct load *load)
{
	return load->rw == LOAD_TRIM || load->rw == LOAD_RANDTRIM;
}

static double read_part(const struct load *load)
{
	switch (load->rw) {
	case LOAD_READ:
	case LOAD_RANDREAD:
		return 1;
	case LOAD_RW:
	case LOAD_RANDRW:
		return load->read_share;
	default:
		return 0;
	}
}

/* What one worker may move at most: its bytes, or its I/Os of medium size. */
static double budget_bytes(const struct stage_load *load, uint32_t block_bytes)
{
	const enum io_op other = load_trims(load->load) ? IO_TRIM : IO_WRITE;
	const double part = read_part(load->load);
	const double mean = part * work_io_bytes_mean(load->load, IO_READ, block_bytes) +
			    (1 - part) * work_io_bytes_mean(load->load, other, block_bytes);
	const double by_ios = mean * (double)load->budget_ios, by_bytes = (double)load->budget_bytes;

	return by_ios < by_bytes ? by_ios : by_bytes;
}

/* One load of one point: its budget in bytes if it has one, else what a nominal drive does in its time. */
static void load_estimate(const struct stage *stage, uint32_t index, uint32_t block_bytes, struct need *need)
{
	const struct stage_load *load = &stage->load[index];
	double rate = load_rate(load->load, block_bytes), bytes;
	uint64_t time_ns = stage->runtime_ns;

	if (load->budget_bytes != UINT64_MAX || load->budget_ios != UINT64_MAX) {
		uint64_t guessed;

		bytes = budget_bytes(load, block_bytes) * load->load->numjobs;
		guessed = (uint64_t)(bytes / rate * 1e9);
		if (!time_ns || guessed < time_ns) {
			time_ns = guessed;
			need->time_known = false;
		}
	} else {
		bytes = rate * (double)time_ns / 1e9;
	}
	if (stage->instance->duty_count) {
		time_ns = stage->instance->duty_count *
			  (stage->instance->duty_on_ns + stage->instance->duty_off_ns);
		bytes = rate * (double)(stage->instance->duty_count * stage->instance->duty_on_ns) / 1e9;
	}
	if (!load_trims(load->load)) {
		need->read_bytes += (uint64_t)(bytes * read_part(load->load));
		need->write_bytes += (uint64_t)(bytes * (1 - read_part(load->load)));
	}
	if (time_ns > need->time_ns)
		need->time_ns = time_ns;
	need->memory_bytes += worker_buffer_bytes(load->load, block_bytes) * load->load->numjobs;
}

/* A search takes about so many probes; how long each is, the drive decides. */
static void search_estimate(const struct plan_step *step, const struct plan_instance *instance, double scale,
			    struct need *need)
{
	const uint64_t own_ns = instance->loads[0].runtime_ns;
	const uint64_t time_ns = search_probe_ns(&step->search, NOMINAL_IOPS, own_ns, scale);
	const double planned_ns = (double)(need->time_ns ? need->time_ns : time_ns);
	double times = (double)time_ns * SEARCH_PROBES_USUAL / planned_ns;

	need->time_ns = time_ns * SEARCH_PROBES_USUAL;
	need->write_bytes = (uint64_t)((double)need->write_bytes * times);
	need->read_bytes = (uint64_t)((double)need->read_bytes * times);
	need->time_known = false;
}

/* What is estimated: the plan, on a target like this one; of the plan's own ones, only what goes to it. */
struct scope {
	const struct plan *plan;
	uint32_t index;			/* or ESTIMATE_ANY */
	struct run_target target;
	const struct guard_subject *subject;	/* the target itself; borrowed */
	struct plan_instance instance;
};

/* A section without a target of its own goes to the first. */
static bool goes_here(const struct scope *scope, uint32_t section)
{
	const struct plan_step *step = &scope->plan->steps[section];

	if (scope->index == ESTIMATE_ANY)
		return true;
	for (uint32_t i = 0; i < step->target_count; i++)
		if (step->targets[i] == scope->index)
			return true;
	return !step->target_count && !scope->index;
}

static bool step_goes_here(const struct scope *scope, const struct plan_step *step)
{
	bool here = goes_here(scope, step->index);

	for (uint32_t i = 0; i < scope->plan->step_count && !here; i++)
		here = scope->plan->steps[i].joined_to == (int32_t)step->index && goes_here(scope, i);
	return here;
}

static int point_estimate(const struct plan_step *step, struct scope *scope, struct need *need,
			  struct fault *fault)
{
	struct plan_instance *instance = &scope->instance;
	struct stage *stage = calloc(1, sizeof(*stage));
	int error;

	if (!stage)
		return -ENOMEM;
	*need = (struct need){ .time_known = true };
	stage->instance = instance;
	if (step->kind == STEP_LOAD || step->kind == STEP_FILL) {
		for (uint32_t i = 0; i < instance->load_count; i++)
			if (goes_here(scope, instance->loads[i].section))
				stage->load[stage->load_count++] = (struct stage_load){
					.load = &instance->loads[i],
					.at = &scope->target,
				};
		error = step_limits_resolve(stage, step, fault);
		for (uint32_t i = 0; i < stage->load_count && !error; i++) {
			load_estimate(stage, i, run_target_block_bytes(&scope->target), need);
			if (stage->load[i].load->ramp_ns > stage->ramp_ns)
				stage->ramp_ns = stage->load[i].load->ramp_ns;
		}
		need->time_ns += stage->ramp_ns;
		if (!error && step->searches)
			search_estimate(step, instance, scope->plan->scale, need);
	} else {
		error = 0;
		need->time_ns = step->kind == STEP_IDLE ? cooling_limit_ns(instance, COOLING_WARM) : 0;
	}
	free(stage);
	return error;
}

/* Points and most rounds of the groups around a step. */
static void groups_multiply(const struct plan *plan, const struct plan_step *step, uint32_t *points,
			    uint32_t *rounds)
{
	*points = step->point_count;
	*rounds = 1;
	for (int32_t at = step->group; at >= 0; at = plan->steps[at].group) {
		const struct plan_step *group = &plan->steps[at];
		const struct stop_rule *max = stop_rule_find(group->max, group->max_count, STOP_ROUNDS);

		*points *= group->point_count;
		*rounds *= max ? max->rounds : group->until_count ? ROUNDS_DEFAULT : 1;
	}
}

/* The next combination of the enclosing groups' points; false after the last. */
static bool groups_advance(const struct plan *plan, const struct plan_step *step, struct plan_place *place)
{
	for (int32_t at = step->group; at >= 0; at = plan->steps[at].group) {
		const struct plan_step *group = &plan->steps[at];

		if (++place->group_point[group->depth] < group->point_count)
			return true;
		place->group_point[group->depth] = 0;
	}
	return false;
}

/* What is on= a file system has a part of the target. */
static int target_limit(struct scope *scope, const struct plan_step *step, const struct plan_place *place,
			struct fault *fault)
{
	struct plan_place made = *place;
	int error;

	scope->target.limit_bytes = 0;
	scope->target.subject.kind = scope->subject->kind;
	if (step->on_step < 0)
		return 0;
	if (scope->subject->kind != TARGET_SIM)
		scope->target.subject.kind = TARGET_FILE;	/* of which no more is known */
	made.step = (uint32_t)step->on_step;
	made.point = 0;
	error = plan_instantiate(scope->plan, &made, NULL, &scope->instance, fault);
	return error ? error : fs_bytes(&scope->instance, &scope->target, &scope->target.limit_bytes, fault);
}

static void fs_note(struct estimate_row *row, const char *fs)
{
	for (uint32_t i = 0; i < row->fs_count; i++)
		if (!strcmp(row->fs[i], fs))
			return;
	if (row->fs_count < ESTIMATE_FS_MAX)
		snprintf(row->fs[row->fs_count++], sizeof(row->fs[0]), "%s", fs);
}

static int row_points(struct scope *scope, const struct plan_step *step, struct plan_place *place,
		      struct estimate *estimate, struct estimate_row *row, struct fault *fault)
{
	int limit_error = target_limit(scope, step, place, fault);

	if (limit_error)
		return limit_error;
	for (uint32_t point = 0; point < step->point_count; point++) {
		struct need need;
		int error;

		place->point = point;
		error = plan_instantiate(scope->plan, place, NULL, &scope->instance, fault);
		if (!error)
			error = point_estimate(step, scope, &need, fault);
		if (error)
			return error;
		if (step->kind == STEP_MKFS)
			fs_note(row, scope->instance.fs);
		row->write_bytes += need.write_bytes * step->repeat;
		row->read_bytes += need.read_bytes * step->repeat;
		row->time_ns += need.time_ns * step->repeat;
		row->time_known &= need.time_known;
		if (need.memory_bytes > estimate->memory_bytes)
			estimate->memory_bytes = need.memory_bytes;
	}
	return 0;
}

static int row_estimate(struct scope *scope, const struct plan_step *step, struct estimate *estimate,
			struct fault *fault)
{
	struct estimate_row *row = &estimate->row[estimate->count++];
	struct plan_place place = { .step = step->index };
	int error;

	*row = (struct estimate_row){ .step = step, .repeats = step->repeat, .time_known = true };
	if (!step_goes_here(scope, step))
		return 0;
	groups_multiply(scope->plan, step, &row->points, &row->rounds);
	do
		error = row_points(scope, step, &place, estimate, row, fault);
	while (!error && groups_advance(scope->plan, step, &place));
	estimate->write_bytes += row->write_bytes * row->rounds;
	estimate->read_bytes += row->read_bytes * row->rounds;
	estimate->time_ns += row->time_ns * row->rounds;
	return error;
}

struct estimate_target estimate_target_of(const struct guard_subject *subject, const struct target *sim,
					  uint32_t index)
{
	const bool virtual = subject->kind == TARGET_SIM && sim->sim;

	return (struct estimate_target){
		.subject = subject,
		.bytes = virtual ? sim->size_bytes : guard_bytes(subject),
		.block_bytes = virtual ? sim->block_bytes : subject->block_bytes,
		.no_trim = virtual ? sim->no_trim : subject->kind == TARGET_CHAR,
		.index = index,
	};
}

int estimate_make(const struct plan *plan, const struct estimate_target *at, struct estimate *ret_estimate,
		  struct fault *fault)
{
	struct estimate estimate = { .row = calloc(plan->step_count + 1, sizeof(*estimate.row)) };
	struct scope *scope = calloc(1, sizeof(*scope));
	int error = estimate.row && scope ? 0 : -ENOMEM;

	if (!error) {
		scope->plan = plan;
		scope->index = at->index;
		scope->subject = at->subject;
		scope->target.subject = *at->subject;
		scope->target.subject.size_bytes = scope->target.sim.size_bytes = at->bytes;
		scope->target.subject.block_bytes = scope->target.sim.block_bytes = at->block_bytes;
		scope->target.sim.no_trim = at->no_trim;
	}
	for (uint32_t i = 0; i < plan->step_count && !error; i++)
		if (plan->steps[i].kind != STEP_GROUP && plan->steps[i].joined_to < 0)
			error = row_estimate(scope, &plan->steps[i], &estimate, fault);
	free(scope);
	if (error)
		estimate_release(&estimate);
	else
		*ret_estimate = estimate;
	return error;
}

void estimate_release(struct estimate *estimate)
{
	free(estimate->row);
	estimate->row = NULL;
}
