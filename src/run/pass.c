#include "run/pass.h"

#include <stdio.h>
#include <stdlib.h>
#include "run/telemetry.h"
#include "run/walk.h"
#include "run/write_cache.h"

int pass_run(struct conductor *conductor, uint32_t target)
{
	const struct run_config *config = conductor->config;
	struct plan_place place = { 0 };
	int error, left;

	conductor->target = target;
	conductor->context.target = &config->targets[target];
	conductor->continue_offset = 0;
	conductor->again_count = 0;
	conductor->cache_wanted = WRITE_CACHE_KEEP;
	conductor->path[0] = '\0';
	if (!config->plan_names_targets && config->target_count > 1)
		snprintf(conductor->path, sizeof(conductor->path), "target%u/", target);
	error = walk_children(conductor, -1, &place);
	left = fs_leave(conductor);
	if (!error)
		error = left;
	if (!error)
		error = write_cache_restore(conductor);
	if (!error && conductor->clock.source != CLOCK_VIRTUAL)
		error = telemetry_last(&conductor->context);
	return error;
}

void pass_init(struct conductor *conductor, const struct run_config *config, uint64_t *next_id)
{
	*conductor = (struct conductor){
		.config = config,
		.next_id = next_id,
		.live = !config->resume,
		.status = RUN_COMPLETE,
	};
	if (config->targets[0].subject.kind == TARGET_SIM)
		clock_init_virtual(&conductor->clock);
	else
		clock_init_vdso(&conductor->clock);
	conductor->context = (struct step_context){
		.config = config,
		.observer = config->observer,
		.target = config->targets,
		.first = true,
		.clock = &conductor->clock,
		.run_start_ns =
			clock_now_ns(&conductor->clock) - (config->resume ? config->resume->elapsed_ns : 0),
		.count = (uint32_t)config->plan->measurement_total,
	};
}

void pass_release(struct conductor *conductor)
{
	figures_release(&conductor->figures);
	free(conductor->again);
}

void pass_judge(struct conductor *conductor)
{
	if (conductor->status == RUN_COMPLETE && conductor->skipped && !conductor->carried)
		conductor_end(conductor, RUN_FAILED,
			      "nothing was measured: every step was skipped, and the run's events say why");
}

void pass_outcome(const struct conductor *conductor, struct run_outcome *outcome)
{
	outcome->status = conductor->status;
	outcome->duration_ns = conductor_now_ns(conductor);
	outcome->clock = conductor->context.clock_used ? conductor->context.clock_used
						       : clock_source_name(conductor->clock.source);
	outcome->ceiling_iops = conductor->context.ceiling_iops;
	snprintf(outcome->text, sizeof(outcome->text), "%s", conductor->text);
}
