#include "run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "run/conductor.h"
#include "run/telemetry.h"
#include "run/walk.h"
#include "run/write_cache.h"

static void clock_choose(struct conductor *conductor)
{
	if (conductor->config->targets[0].subject.kind == TARGET_SIM)
		clock_init_virtual(&conductor->clock);
	else
		clock_init_vdso(&conductor->clock);
}

static int targets_run(struct conductor *conductor)
{
	const struct run_config *config = conductor->config;
	uint32_t passes = config->plan_names_targets ? 1 : config->target_count;
	struct plan_place place = { 0 };
	int error = 0;

	for (uint32_t i = 0; i < passes && !error && !conductor->ended; i++) {
		conductor->target = i;
		conductor->context.target = &config->targets[i];
		conductor->continue_offset = 0;
		conductor->again_count = 0;
		conductor->cache_wanted = WRITE_CACHE_KEEP;
		if (passes > 1)
			snprintf(conductor->path, sizeof(conductor->path), "target%u/", i);
		error = walk_children(conductor, -1, &place);
		if (!error)
			error = fs_leave(conductor);
		else
			fs_leave(conductor);
		if (!error)
			error = write_cache_restore(conductor);
	}
	return error;
}

int run_plan(const struct run_config *config, struct run_outcome *ret_outcome)
{
	struct conductor *conductor = calloc(1, sizeof(*conductor));
	uint64_t wall_start = clock_monotonic_ns();
	int error;

	if (!conductor)
		return -ENOMEM;
	conductor->config = config;
	conductor->next_id = config->resume ? config->resume->next_id : 1;
	conductor->live = !config->resume;
	conductor->status = RUN_COMPLETE;
	clock_choose(conductor);
	conductor->context = (struct step_context){
		.config = config,
		.observer = config->observer,
		.clock = &conductor->clock,
		.run_start_ns = clock_now_ns(&conductor->clock) - (config->resume ? config->resume->elapsed_ns : 0),
		.count = (uint32_t)config->plan->measurement_total,
	};
	error = targets_run(conductor);
	if (!error && conductor->clock.source != CLOCK_VIRTUAL)
		error = telemetry_last(&conductor->context);
	*ret_outcome = (struct run_outcome){
		.status = error ? RUN_FAILED : conductor->status,
		.duration_ns = conductor_now_ns(conductor),
		.wall_duration_ns = clock_monotonic_ns() - wall_start,
		.clock = conductor->context.clock_used ? conductor->context.clock_used :
							 clock_source_name(conductor->clock.source),
		.ceiling_iops = conductor->context.ceiling_iops,
	};
	snprintf(ret_outcome->text, sizeof(ret_outcome->text), "%s", conductor->text);
	figures_release(&conductor->figures);
	free(conductor->again);
	free(conductor);
	return error;
}

uint64_t run_target_bytes(const struct run_target *target)
{
	uint64_t bytes = target->subject.kind == TARGET_SIM ? target->sim.size_bytes : target->subject.size_bytes;

	return target->limit_bytes && target->limit_bytes < bytes ? target->limit_bytes : bytes;
}

uint32_t run_target_block_bytes(const struct run_target *target)
{
	return target->subject.kind == TARGET_SIM ? target->sim.block_bytes : target->subject.block_bytes;
}
