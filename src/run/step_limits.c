#include "run/step_limits.h"

#include <errno.h>
#include <math.h>
#include "run/load_fits.h"

const struct stop_rule *stop_rule_find(const struct stop_rule *rules, uint32_t count, enum stop_kind kind)
{
	for (uint32_t i = 0; i < count; i++)
		if (rules[i].kind == kind)
			return &rules[i];
	return NULL;
}

uint64_t step_limits_written_bytes(const struct stop_rule *rule, uint64_t target_bytes, uint64_t range_bytes)
{
	if (rule->capacities > 0)
		return (uint64_t)llround(rule->capacities * (double)target_bytes);
	if (rule->ranges > 0)
		return (uint64_t)llround(rule->ranges * (double)range_bytes);
	return rule->bytes;
}

static bool load_reads_too(const struct load *load)
{
	return load->rw == LOAD_READ || load->rw == LOAD_RANDREAD || load->rw == LOAD_RW ||
	       load->rw == LOAD_RANDRW;
}

/* Each worker's share of what all of them together may write; mixed loads are watched by stop.c instead. */
static uint64_t written_budget(const struct stop_rule *rules, uint32_t count, const struct load *load,
			       uint64_t target_bytes, uint64_t range_bytes)
{
	uint64_t budget = UINT64_MAX;

	if (load_reads_too(load))
		return budget;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t bytes;

		if (rules[i].kind != STOP_WRITTEN)
			continue;
		bytes = step_limits_written_bytes(&rules[i], target_bytes, range_bytes);
		bytes = (bytes + load->numjobs - 1) / load->numjobs;
		if (bytes < budget)
			budget = bytes;
	}
	return budget;
}

/* number_ios= is that of each loop, as in fio. */
static uint64_t ios_budget(const struct load *load)
{
	uint64_t ios;

	if (!load->number_ios || __builtin_mul_overflow(load->number_ios, (uint64_t)load->loops, &ios))
		return UINT64_MAX;
	return ios;
}

/* The shortest time that the step itself allows; UINT64_MAX = it does not say. */
static uint64_t step_time_limit(const struct plan_instance *instance)
{
	uint64_t limit = UINT64_MAX;

	for (uint32_t i = 0; i < instance->until_count; i++)
		if (instance->until[i].kind == STOP_TIME && instance->until[i].time_ns < limit)
			limit = instance->until[i].time_ns;
	for (uint32_t i = 0; i < instance->max_count; i++)
		if (instance->max[i].kind == STOP_TIME && instance->max[i].time_ns < limit)
			limit = instance->max[i].time_ns;
	return limit;
}

/* Each load's own time, never longer than the step's; the stage's is that of the longest load, when all have
 * one. */
static void times_resolve(struct stage *stage)
{
	uint64_t step_limit = step_time_limit(stage->instance);
	bool all = true;

	stage->runtime_ns = 0;
	for (uint32_t i = 0; i < stage->load_count; i++) {
		struct stage_load *load = &stage->load[i];
		uint64_t own = load->load->runtime_ns ? load->load->runtime_ns : UINT64_MAX;
		uint64_t limit = own < step_limit ? own : step_limit;

		if (stage->instance->duty_count)
			limit = UINT64_MAX;
		load->runtime_ns = limit == UINT64_MAX ? 0 : limit;
		all = all && load->runtime_ns;
		if (load->runtime_ns + load->load->startdelay_ns > stage->runtime_ns)
			stage->runtime_ns = load->runtime_ns + load->load->startdelay_ns;
	}
	if (!all)
		stage->runtime_ns = 0;
}

static bool has_small(const struct load *load, enum io_op op, uint32_t block_bytes)
{
	for (uint32_t i = 0; i < load->sizes[op].count; i++)
		if (load->sizes[op].part[i].bytes_max < block_bytes)
			return true;
	return false;
}

int step_limits_blocks(const struct load *load, uint32_t block_bytes, bool small, struct fault *fault)
{
	if (load->rw_skip % (int64_t)block_bytes)
		return fault_set(fault, 0, 0,
				 "load '%s': rw: it goes on by %lld bytes, which is not a multiple of the "
				 "target's block of %u bytes",
				 load->name, (long long)load->rw_skip, block_bytes);
	for (int op = 0; op < 3; op++)
		if (load_sends(load, (enum io_op)op) && load->align_bytes[op] % block_bytes &&
		    !(small && has_small(load, (enum io_op)op, block_bytes)))
			return fault_set(fault, 0, 0,
					 "load '%s': blockalign: %u bytes is not a multiple of the "
					 "target's block of %u bytes", load->name, load->align_bytes[op],
					 block_bytes);
	for (int op = 0; op < 3; op++)
		for (uint32_t i = 0; load_sends(load, (enum io_op)op) && i < load->sizes[op].count; i++) {
			uint64_t min = load->sizes[op].part[i].bytes_min;
			uint64_t max = load->sizes[op].part[i].bytes_max;
			uint64_t odd = min % block_bytes ? min : max;

			if (odd % block_bytes && (max >= block_bytes || !small))
				return fault_set(fault, 0, 0,
						 "load '%s': bs: %llu bytes is not a multiple of the "
						 "target's block of %u bytes",
						 load->name, (unsigned long long)odd, block_bytes);
		}
	return 0;
}

/* A target is opened once in a step, and O_DIRECT belongs to the opening. */
static int direct_check(const struct stage *stage, const struct plan_step *step, struct fault *fault)
{
	for (uint32_t i = 1; i < stage->load_count; i++)
		for (uint32_t k = 0; k < i; k++) {
			const struct stage_load *a = &stage->load[k], *b = &stage->load[i];

			if (a->target != b->target || a->load->direct == b->load->direct)
				continue;
			return fault_set(fault, step->line, 0,
					 "loads '%s' and '%s' run together on one target with different "
					 "direct=: give both the same, or let one run after the other",
					 a->load->name, b->load->name);
		}
	return 0;
}

int step_limits_resolve(struct stage *stage, const struct plan_step *step, struct fault *fault)
{
	const struct plan_instance *instance = stage->instance;
	bool conditional = instance->until_count > 0 || instance->duty_count > 0;

	if (direct_check(stage, step, fault))
		return -EINVAL;
	times_resolve(stage);
	for (uint32_t i = 0; i < stage->load_count; i++) {
		struct stage_load *load = &stage->load[i];
		struct work_range range;
		uint64_t until, max;
		uint64_t target_bytes = run_target_bytes(load->at);
		uint32_t block_bytes = run_target_block_bytes(load->at);
		int error = work_range_resolve(load->load, target_bytes, block_bytes, 0, &range, fault);

		if (!error)
			error = step_limits_blocks(load->load, block_bytes, true, fault);
		if (!error)
			error = load_fits(load->load, load->at, &range, fault);
		if (error) {
			if (fault && !fault->line)
				fault->line = step->line;
			return error;
		}
		until = written_budget(instance->until, instance->until_count, load->load, target_bytes,
				       range.addressed_bytes);
		max = written_budget(instance->max, instance->max_count, load->load, target_bytes,
				     range.addressed_bytes);
		load->budget_bytes = until < max ? until : max;
		load->budget_ios = ios_budget(load->load);
		if (!conditional && !(load->load->time_based && load->runtime_ns) && max == UINT64_MAX)
			load->budget_bytes = work_budget_bytes(load->load, &range);
		load->follows = !conditional && stage->load_count > 1 && load->load->time_based &&
				!load->runtime_ns && load->budget_bytes == UINT64_MAX;
	}
	return 0;
}
