#include "run/stage.h"

struct pauses stage_pauses(const struct stage *stage, const struct load *load)
{
	return (struct pauses){
		.delay_ns = load->startdelay_ns,
		.on_ns = stage->instance->duty_on_ns,
		.off_ns = stage->instance->duty_off_ns,
		.count = stage->instance->duty_count,
	};
}

void stage_worker_config(const struct stage *stage, struct worker_board *entry, const struct target *target,
			 struct clock *clock, struct worker_config *ret_config)
{
	const struct stage_load *load = &stage->load[entry->load];

	*ret_config = (struct worker_config){
		.load = load->load,
		.target = target,
		.clock = clock,
		.board = stage->board,
		.entry = entry,
		.seed = stage->seed,
		.layout_seed = stage->layout_seed,
		.continue_offset = load->continue_offset,
		.budget_bytes = load->budget_bytes,
		.budget_ios = load->budget_ios,
		.ramp_ns = stage->ramp_ns,
		.runtime_ns = load->runtime_ns,
		.duty_on_ns = stage->instance->duty_on_ns,
		.duty_off_ns = stage->instance->duty_off_ns,
		.duty_count = stage->instance->duty_count,
		.sqpoll_cpu = load->load->sqpoll_cpu,
	};
}
