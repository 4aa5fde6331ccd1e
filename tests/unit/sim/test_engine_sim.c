/* The engine of the simulated drive: virtual time, several workers on one drive. */
#include "fixture.h"

#include <errno.h>
#include <string.h>
#include "engine/engine.h"

struct rig {
	struct clock clock;
	struct target target;
	struct engine *engines[2];
};

static void rig_init(struct rig *rig, const char *spec, uint32_t depth)
{
	memset(rig, 0, sizeof(*rig));
	clock_init_virtual(&rig->clock);
	rig->target = (struct target){ .kind = TARGET_SIM, .name = "sim", .fd = -1, .may_write = true };
	rig->target.sim = drive_make(spec, 1);
	rig->target.block_bytes = sim_drive_block_bytes(rig->target.sim);
	rig->target.size_bytes = sim_drive_capacity_bytes(rig->target.sim);
	rig->target.no_trim = sim_drive_params(rig->target.sim)->kind != SIM_KIND_SSD;
	for (int i = 0; i < 2; i++) {
		const struct engine_config config = { .target = &rig->target,
						      .clock = &rig->clock,
						      .depth = depth };
		struct fault fault = { 0 };

		if (engine_new(NULL, &config, &rig->engines[i], &fault))
			fail_msg("%s", fault.text);
		assert_string_equal(rig->engines[i]->ops->name, "sim");
		assert_true(rig->engines[i]->capabilities.is_virtual);
	}
}

static void rig_release(struct rig *rig)
{
	engine_free(rig->engines[0]);
	engine_free(rig->engines[1]);
	sim_drive_free(rig->target.sim);
}

static void waiting_moves_the_clock_to_the_completion(void **state)
{
	struct io_done done[4];
	struct io ios[4] = { 0 };
	struct rig rig;

	rig_init(&rig, "theory,precondition=sequential", 4);
	for (uint16_t i = 0; i < 4; i++)
		ios[i] = (struct io){ .offset = i * 4096, .bytes = 4096, .slot = i, .op = IO_READ };
	assert_int_equal(engine_submit(rig.engines[0], ios, 4), 4);
	assert_int_equal(engine_reap(rig.engines[0], done, 4, 0, 0), 0);
	assert_int_equal(engine_reap(rig.engines[0], done, 4, 1, 1000), 0);	/* timed out */
	assert_int_equal(clock_now_ns(&rig.clock), 1000);
	assert_true(engine_reap(rig.engines[0], done, 4, 4, ENGINE_WAIT_FOREVER) == 4);
	assert_int_equal(clock_now_ns(&rig.clock), done[3].done_ns);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(done[i].result, 4096);
		assert_int_equal(done[i].submit_ns, 0);
		assert_true(done[i].done_ns > 50 * US && (i == 0 || done[i].done_ns >= done[i - 1].done_ns));
	}
	assert_true(engine_next_event(rig.engines[0]) == UINT64_MAX);
	rig_release(&rig);
}

/* Two workers in closed loops, driven as run does: the clock goes to the earliest event. */
static uint64_t loop_run(struct rig *rig, uint32_t depth, uint32_t ios_wanted, double *ret_latency_ns)
{
	struct random random;
	uint32_t ios = 0;

	*ret_latency_ns = 0;
	random_init(&random, 1, 1);
	for (uint32_t i = 0; i < 2 * depth; i++) {
		const struct io io = { .offset = random_below(&random, 1000000) * 4096, .bytes = 4096,
				       .slot = (uint16_t)(i / 2), .op = IO_READ };

		assert_int_equal(engine_submit(rig->engines[i % 2], &io, 1), 1);
	}
	while (rig->engines[0]->in_flight || rig->engines[1]->in_flight) {
		uint64_t next_ns = engine_next_event(rig->engines[0]);

		if (engine_next_event(rig->engines[1]) < next_ns)
			next_ns = engine_next_event(rig->engines[1]);
		assert_true(next_ns != UINT64_MAX && next_ns >= clock_now_ns(&rig->clock));
		clock_set(&rig->clock, next_ns);
		for (int worker = 0; worker < 2; worker++) {
			struct io_done done[64];
			const int count = engine_reap(rig->engines[worker], done, 64, 0, 0);

			for (int i = 0; i < count; i++) {
				const struct io io = { .offset = random_below(&random, 1000000) * 4096,
						       .bytes = 4096,
						       .slot = done[i].slot,
						       .op = IO_READ };

				assert_int_equal(done[i].done_ns, next_ns);
				*ret_latency_ns += (double)(done[i].done_ns - done[i].submit_ns);
				if (++ios < ios_wanted)
					assert_int_equal(engine_submit(rig->engines[worker], &io, 1), 1);
			}
		}
	}
	*ret_latency_ns /= ios;
	return clock_now_ns(&rig->clock);
}

static void two_workers_on_a_flash_drive_keep_littles_law(void **state)
{
	double latency_ns;
	struct rig rig;
	uint64_t end_ns;

	rig_init(&rig, "theory,precondition=sequential", 8);
	end_ns = loop_run(&rig, 8, 50000, &latency_ns);
	assert_near(50000 * latency_ns / (double)end_ns, 16, 0.01);
	rig_release(&rig);
}

static void two_workers_on_a_hard_disk_get_their_own_completions(void **state)
{
	double latency_ns;
	struct rig rig;
	uint64_t end_ns;

	rig_init(&rig, "hdd", 8);
	end_ns = loop_run(&rig, 8, 3000, &latency_ns);
	assert_near(3000 * latency_ns / (double)end_ns, 16, 0.02);
	rig_release(&rig);
}

static void trims_flushes_and_refusals_are_results(void **state)
{
	struct io_done done[3];
	const struct io ios[3] = { { .offset = 0, .bytes = 1 << 20, .slot = 0, .op = IO_TRIM },
				   { .slot = 1, .op = IO_FLUSH }, { .slot = 2, .op = IO_FSYNC } };
	struct rig rig;

	rig_init(&rig, "theory", 4);
	assert_int_equal(engine_submit(rig.engines[1], ios, 3), 3);
	assert_int_equal(engine_reap(rig.engines[1], done, 3, 3, ENGINE_WAIT_FOREVER), 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(done[i].result, 0);
	rig_release(&rig);
	rig_init(&rig, "hdd", 4);
	assert_false(rig.engines[0]->capabilities.trim);
	assert_false(rig.engines[0]->ops_allowed >> IO_TRIM & 1);
	rig_release(&rig);
}

static void an_engine_can_go_while_its_commands_are_in_flight(void **state)
{
	const struct io io = { .bytes = 4096, .op = IO_READ };
	struct rig rig;

	rig_init(&rig, "hdd", 4);
	assert_int_equal(engine_submit(rig.engines[0], &io, 1), 1);
	assert_int_equal(engine_submit(rig.engines[1], &io, 1), 1);
	rig.engines[0] = engine_free(rig.engines[0]);
	struct io_done done;
	assert_int_equal(engine_reap(rig.engines[1], &done, 1, 1, ENGINE_WAIT_FOREVER), 1);
	rig_release(&rig);
}

static void a_real_clock_is_refused(void **state)
{
	struct engine *engine = NULL;
	struct fault fault = { 0 };
	struct rig rig;

	rig_init(&rig, "theory", 4);
	clock_init_vdso(&rig.clock);
	const struct engine_config config = { .target = &rig.target, .clock = &rig.clock, .depth = 1 };
	assert_int_equal(engine_new("sim", &config, &engine, &fault), -EINVAL);
	assert_non_null(strstr(fault.text, "virtual clock"));
	rig_release(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waiting_moves_the_clock_to_the_completion),
		cmocka_unit_test(two_workers_on_a_flash_drive_keep_littles_law),
		cmocka_unit_test(two_workers_on_a_hard_disk_get_their_own_completions),
		cmocka_unit_test(trims_flushes_and_refusals_are_results),
		cmocka_unit_test(an_engine_can_go_while_its_commands_are_in_flight),
		cmocka_unit_test(a_real_clock_is_refused),
	};

	return cmocka_run_group_tests_name("sim/engine", tests, NULL, NULL);
}
