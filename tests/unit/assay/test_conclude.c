/* Self-checks and criteria, judged on run files written by hand. */
#include "made_run.h"

static void result_is(struct made_run *made, const char *name, enum check_result result)
{
	const struct check_record *check = made_run_check(made, name);

	if (check->result != result)
		fail_msg("%s is %s: %s", name, check_result_name(check->result), check->text);
}

static void a_healthy_run_passes(void **state)
{
	struct made_run made;

	made_run_init(&made);
	made_run_write(&made);
	assert_true(made_run_conclude(&made, NULL));
	result_is(&made, "littles_law", CHECK_PASSED);
	result_is(&made, "queue_depth_reached", CHECK_PASSED);
	result_is(&made, "latency_plausible", CHECK_PASSED);
	result_is(&made, "no_io_errors", CHECK_PASSED);
	result_is(&made, "run_file_elsewhere", CHECK_PASSED);
	result_is(&made, "bytes_match_block_layer", CHECK_NOT_APPLICABLE);
	result_is(&made, "link_at_full_speed", CHECK_NOT_APPLICABLE);
	made_run_release(&made);
}

static void what_contradicts_itself_fails(void **state)
{
	struct made_run made;

	made_run_init(&made);
	made.total->in_flight_ns = 8e9;		/* 8 in flight, but 40,000 per second of 100 us are 4 */
	made_run_write(&made);
	made_run_conclude(&made, NULL);
	result_is(&made, "littles_law", CHECK_FAILED);
	made_run_release(&made);
}

static void a_queue_that_was_not_kept_full_fails(void **state)
{
	struct made_run made;

	made_run_init(&made);
	made.load.depth_asked = 32;
	made_run_write(&made);
	made_run_conclude(&made, NULL);
	result_is(&made, "queue_depth_reached", CHECK_FAILED);
	assert_non_null(strstr(made_run_check(&made, "queue_depth_reached")->text, "4.0 of 32"));
	made_run_release(&made);
}

static void answers_faster_than_any_drive_fail(void **state)
{
	struct made_run made;

	made_run_init(&made);
	made_run_add(&made, IO_READ, 100000, 4096, 700);
	made_run_write(&made);
	made_run_conclude(&made, NULL);
	result_is(&made, "latency_plausible", CHECK_FAILED);
	made_run_release(&made);
}

static void simulated_and_null_targets_are_not_judged_as_drives(void **state)
{
	static const char *const kinds[] = { "sim", "char" };

	for (int i = 0; i < 2; i++) {
		struct made_run made;

		made_run_init(&made);
		made.drive.kind = kinds[i];
		made.run.clock = i ? "vdso" : "virtual";
		made_run_add(&made, IO_READ, 100000, 4096, 700);
		made_run_write(&made);
		made_run_conclude(&made, NULL);
		result_is(&made, "latency_plausible", CHECK_NOT_APPLICABLE);
		if (!i)
			result_is(&made, "cpu_not_the_limit", CHECK_NOT_APPLICABLE);
		made_run_release(&made);
	}
}

static void errors_and_options_that_weaken_a_result_fail(void **state)
{
	struct made_run made;

	made_run_init(&made);
	made.total->op[IO_READ].errors = 3;
	made.run.allow_unwritten = true;
	made.run.scale = 0.1;
	made_run_write(&made);
	made_run_conclude(&made, NULL);
	result_is(&made, "no_io_errors", CHECK_FAILED);
	result_is(&made, "reads_find_data", CHECK_FAILED);
	result_is(&made, "full_length", CHECK_FAILED);
	made_run_release(&made);
}

static void block_layer(struct made_run *made, uint64_t read_bytes)
{
	char json[128];
	const struct event_record event = { .step = 1, .kind = "block_layer", .text = "counted", .data_json = json };

	snprintf(json, sizeof(json), "{\"target\":0,\"reads\":40000,\"read_bytes\":%lu,\"write_bytes\":0}",
		 read_bytes);
	assert_int_equal(store_put_event(made->store, &event), 0);
}

static void the_block_layer_is_compared_to_the_byte(void **state)
{
	for (int off = 0; off < 2; off++) {
		struct made_run made;

		made_run_init(&made);
		made_run_write(&made);
		block_layer(&made, 40000ull * 4096 + (uint64_t)off * 512);
		made_run_conclude(&made, NULL);
		result_is(&made, "bytes_match_block_layer", off ? CHECK_FAILED : CHECK_PASSED);
		made_run_release(&made);
	}
}

static void a_run_file_beside_the_target_fails(void **state)
{
	const struct event_record event = { .kind = "run_file_same_fs", .text = "beside" };
	struct made_run made;

	made_run_init(&made);
	made_run_write(&made);
	assert_int_equal(store_put_event(made.store, &event), 0);
	made_run_conclude(&made, NULL);
	result_is(&made, "run_file_elsewhere", CHECK_FAILED);
	made_run_release(&made);
}

static void a_worker_that_had_no_cpu_left_fails(void **state)
{
	struct made_run made;

	made_run_init(&made);
	made.load.facts_json = "{\"workers\":[{\"cpu_user_ns\":600000000,\"cpu_system_ns\":395000000,\"finished_ns\":1000000000}]}";
	made_run_write(&made);
	made_run_conclude(&made, NULL);
	result_is(&made, "cpu_not_the_limit", CHECK_FAILED);
	made_run_release(&made);
}

static void a_link_below_its_best_fails(void **state)
{
	static const char *const facts[] = {
		"{\"links\":[{\"speed_now_gt_per_second\":16,\"speed_max_gt_per_second\":16,\"width_now\":4,\"width_max\":4}]}",
		"{\"links\":[{\"speed_now_gt_per_second\":8,\"speed_max_gt_per_second\":16,\"width_now\":4,\"width_max\":4}]}",
		"{\"links\":[{\"speed_now_gt_per_second\":null,\"speed_max_gt_per_second\":16,\"width_now\":4,\"width_max\":4}]}",
		"{", "[]", "{\"links\":7}",
	};
	static const enum check_result results[] = { CHECK_PASSED, CHECK_FAILED, CHECK_NOT_APPLICABLE, CHECK_NOT_APPLICABLE,
						     CHECK_NOT_APPLICABLE, CHECK_NOT_APPLICABLE };

	for (int i = 0; i < 6; i++) {
		struct made_run made;

		made_run_init(&made);
		made.drive.before_json = facts[i];
		made_run_write(&made);
		made_run_conclude(&made, NULL);
		result_is(&made, "link_at_full_speed", results[i]);
		made_run_release(&made);
	}
}

static void concluding_again_replaces_what_was_concluded(void **state)
{
	struct made_run made;
	const struct check_record *checks;
	uint32_t once, twice;

	made_run_init(&made);
	made_run_write(&made);
	made_run_conclude(&made, NULL);
	assert_int_equal(store_checks(made.store, &checks, &once), 0);
	made_run_conclude(&made, NULL);
	assert_int_equal(store_checks(made.store, &checks, &twice), 0);
	assert_int_equal(once, twice);
	made_run_release(&made);
}

/* -- criteria -- */

static bool criterion_met(const char *expect, void (*change)(struct made_run *made))
{
	struct made_run made;
	struct plan *plan;
	char text[256];
	bool met;

	snprintf(text, sizeof(text), "[a]\nrw=randrw\nbs=4k\nruntime=1s\nexpect=%s\n", expect);
	plan = plan_of(PLAN_NATIVE, text);
	made_run_init(&made);
	if (change)
		change(&made);
	made_run_write(&made);
	met = made_run_conclude(&made, plan);
	made_run_release(&made);
	plan_free(plan);
	return met;
}

static void writes_too(struct made_run *made)
{
	made_run_add(made, IO_WRITE, 10000, 8192, 1000000);
}

static void some_errors(struct made_run *made)
{
	made->total->op[IO_READ].errors = 2;
}

static void open_loop(struct made_run *made)
{
	made->load.open_loop = true;
	for (int i = 0; i < 40000; i++) {
		histogram_record(&made->total->op[IO_READ].response, 5000000);
		histogram_record(&made->total->op[IO_READ].lateness, 4900000);
	}
}

static void criteria_are_judged_by_direction_figure_and_clock(void **state)
{
	static const struct { const char *expect; void (*change)(struct made_run *); bool met; } cases[] = {
		{ "iops>39k", NULL, true }, { "iops>41k", NULL, false }, { "iops<41k", NULL, true },
		{ "read.iops>39k", writes_too, true }, { "write.iops>39k", writes_too, false }, { "iops>49k", writes_too, true },
		{ "bytes_per_second>160m", NULL, false }, { "bytes_per_second>150m", NULL, true },
		{ "mean<101us", NULL, true }, { "mean<99us", NULL, false }, { "write.mean>900us", writes_too, true },
		{ "max<1ms", NULL, true }, { "p50<101us", NULL, true }, { "p99.9<99us", NULL, false },
		{ "read.p99<101us", writes_too, true }, { "p99<101us", writes_too, false },
		{ "errors<1", NULL, true }, { "errors<1", some_errors, false }, { "read.errors<3", some_errors, true },
		{ "p99<1ms", open_loop, false }, { "service.p99<1ms", open_loop, true }, { "response.p99>4ms", open_loop, true },
		{ "write.p99<1s", NULL, false },	/* nothing was written: no figure, not met */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (criterion_met(cases[i].expect, cases[i].change) != cases[i].met)
			fail_msg("case %zu: %s is %s", i, cases[i].expect, cases[i].met ? "not met" : "met");
}

static void every_criterion_is_a_check_with_its_numbers(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, "[a]\nrw=randread\nbs=4k\nruntime=1s\nexpect=iops>50k\nexpect=mean<1ms\n");
	struct made_run made;

	made_run_init(&made);
	made_run_write(&made);
	assert_false(made_run_conclude(&made, plan));
	result_is(&made, "expect a: iops>50k", CHECK_FAILED);
	assert_non_null(strstr(made_run_check(&made, "expect a: iops>50k")->text, "40"));
	result_is(&made, "expect a: mean<1ms", CHECK_PASSED);
	made_run_release(&made);
	plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_healthy_run_passes),
		cmocka_unit_test(what_contradicts_itself_fails),
		cmocka_unit_test(a_queue_that_was_not_kept_full_fails),
		cmocka_unit_test(answers_faster_than_any_drive_fail),
		cmocka_unit_test(simulated_and_null_targets_are_not_judged_as_drives),
		cmocka_unit_test(errors_and_options_that_weaken_a_result_fail),
		cmocka_unit_test(the_block_layer_is_compared_to_the_byte),
		cmocka_unit_test(a_run_file_beside_the_target_fails),
		cmocka_unit_test(a_worker_that_had_no_cpu_left_fails),
		cmocka_unit_test(a_link_below_its_best_fails),
		cmocka_unit_test(concluding_again_replaces_what_was_concluded),
		cmocka_unit_test(criteria_are_judged_by_direction_figure_and_clock),
		cmocka_unit_test(every_criterion_is_a_check_with_its_numbers),
	};

	return cmocka_run_group_tests_name("conclude", tests, NULL, NULL);
}
