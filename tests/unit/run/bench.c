#include "bench.h"
#include <string.h>

/* A load of one worker asks for a ramp in whole intervals, as the conductor gives it. */
static void ramp_set(struct stage *stage)
{
	const uint64_t interval = stage->instance->interval_ns;

	stage->ramp_ns = (stage->load[0].load->ramp_ns + interval - 1) / interval * interval;
}

static void layout_set(struct stage *stage)
{
	const struct load *load = stage->load[0].load;
	const uint32_t depth = load->iodepth ? load->iodepth : 1;

	stage->layout[0] = (struct board_layout){
		.workers = load->numjobs,
		.depth = depth,
		.recorder = { .interval_ns = stage->instance->interval_ns, .samples_per_second = 10, .depth = depth,
			      .open_loop = load->arrival != ARRIVAL_CLOSED },
	};
}

void bench_init(struct bench *bench, const char *lines, uint64_t target_bytes, uint32_t worker)
{
	struct worker_config config;
	struct fault fault = { 0 };
	char text[2048];

	memset(bench, 0, sizeof(*bench));
	snprintf(text, sizeof(text), "[a]\nioengine=null\n%s", lines);
	bench->plan = plan_of(PLAN_NATIVE, text);
	bench->instance = instance_of(bench->plan, "a", 0, 0);
	bench->target.subject = (struct guard_subject){
		.kind = TARGET_BLOCK, .size_bytes = target_bytes, .block_bytes = 512 };
	bench->opened = (struct target){ .kind = TARGET_BLOCK, .fd = -1, .may_write = true, .block_bytes = 512,
					 .memory_align = 512, .size_bytes = target_bytes };
	bench->stage = (struct stage){ .instance = bench->instance, .load_count = 1, .seed = 1, .layout_seed = 1,
				       .load = { { .load = &bench->instance->loads[0], .at = &bench->target } } };
	ramp_set(&bench->stage);
	layout_set(&bench->stage);
	if (step_limits_resolve(&bench->stage, step_of(bench->plan, "a"), &fault))
		fail_msg("%s", fault.text);
	assert_int_equal(board_new(bench->stage.layout, 1, &bench->stage.board), 0);
	clock_init_virtual(&bench->clock);
	clock_set(&bench->clock, 1000 * MS);
	stage_worker_config(&bench->stage, &bench->stage.board->worker[worker], &bench->opened, &bench->clock,
			    &config);
	if (worker_init(&bench->worker, &config, &fault))
		fail_msg("%s", fault.text);
	bench->start_ns = clock_now_ns(&bench->clock);
	board_start(bench->stage.board, bench->stage.layout, bench->start_ns);
	worker_start(&bench->worker, bench->start_ns);
}

void bench_release(struct bench *bench)
{
	worker_release(&bench->worker);
	board_free(bench->stage.board);
	free(bench->instance);
	plan_free(bench->plan);
}

uint64_t bench_now(const struct bench *bench)
{
	return clock_now_ns(&bench->clock) - bench->start_ns;
}

struct worker_board *bench_entry(struct bench *bench)
{
	return bench->worker.entry;
}

static void completions(struct bench *bench)
{
	struct worker *worker = &bench->worker;
	int count = engine_reap(worker->engine, worker->done, worker->reap_max, 0, 0);

	assert_true(count >= 0);
	for (int i = 0; i < count; i++) {
		if (bench->result < 0)
			worker->done[i].result = bench->result;
		else
			bench->bytes += (uint64_t)worker->done[i].result;
		bench->ios++;
	}
	if (count)
		worker_complete(worker, worker->done, (uint32_t)count);
}

static void submissions(struct bench *bench)
{
	struct worker *worker = &bench->worker;
	const uint32_t before = worker->engine->in_flight;
	uint32_t count;

	worker_issue(worker, clock_now_ns(&bench->clock));
	count = worker->engine->in_flight - before;
	if (!count)
		return;
	if (!bench->bursts++)
		bench->first_ns = bench_now(bench);
	bench->last_ns = bench_now(bench);
	bench->submitted_max = count > bench->submitted_max ? count : bench->submitted_max;
	if (worker->engine->in_flight > bench->in_flight_max)
		bench->in_flight_max = worker->engine->in_flight;
	if (bench->on_submit)
		bench->on_submit(bench, bench_now(bench), count);
}

bool bench_step(struct bench *bench, uint64_t step_ns)
{
	clock_set(&bench->clock, clock_now_ns(&bench->clock) + step_ns);
	completions(bench);
	submissions(bench);
	return !worker_is_done(&bench->worker);
}

void bench_run(struct bench *bench, uint64_t step_ns, uint32_t steps_max)
{
	submissions(bench);
	for (uint32_t i = 0; i < steps_max; i++)
		if (!bench_step(bench, step_ns)) {
			worker_finish(&bench->worker, clock_now_ns(&bench->clock));
			return;
		}
	fail_msg("the worker goes on after %u steps", steps_max);
}
