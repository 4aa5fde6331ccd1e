#include "run/run.h"

#include <errno.h>
#include <stdlib.h>
#include "run/pass.h"
#include "run/sides.h"

static int one_after_another(const struct run_config *config, uint64_t *next_id, struct run_outcome *outcome)
{
	struct conductor *conductor = calloc(1, sizeof(*conductor));
	uint32_t passes = config->plan_names_targets ? 1 : config->target_count;
	int error = 0;

	if (!conductor)
		return -ENOMEM;
	pass_init(conductor, config, next_id);
	conductor->context.count *= passes;
	for (uint32_t i = 0; i < passes && !error && !conductor->ended; i++)
		error = pass_run(conductor, i);
	pass_judge(conductor);
	pass_outcome(conductor, outcome);
	pass_release(conductor);
	free(conductor);
	return error;
}

int run_plan(const struct run_config *config, struct run_outcome *ret_outcome)
{
	bool together = config->together && config->target_count > 1 && !config->plan_names_targets;
	uint64_t wall_start = clock_boot_ns(), next_id = config->resume ? config->resume->next_id : 1;
	int error;

	*ret_outcome = (struct run_outcome){ .status = RUN_FAILED };
	error = together ? sides_run(config, &next_id, ret_outcome) :
			   one_after_another(config, &next_id, ret_outcome);
	if (error)
		ret_outcome->status = RUN_FAILED;
	ret_outcome->wall_duration_ns = clock_boot_ns() - wall_start;
	return error;
}

uint64_t run_target_bytes(const struct run_target *target)
{
	uint64_t bytes = target->subject.kind == TARGET_SIM ? target->sim.size_bytes :
							      target->subject.size_bytes;

	return target->limit_bytes && target->limit_bytes < bytes ? target->limit_bytes : bytes;
}

uint32_t run_target_block_bytes(const struct run_target *target)
{
	return target->subject.kind == TARGET_SIM ? target->sim.block_bytes : target->subject.block_bytes;
}

bool run_target_has_trim(const struct run_target *target)
{
	if (target->subject.kind == TARGET_SIM)
		return !target->sim.no_trim;
	return target->subject.kind != TARGET_CHAR;
}
