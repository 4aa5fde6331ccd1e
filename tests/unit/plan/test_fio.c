/* The job files that a fio user would try first, unchanged (tests/golden/fio), and what is fio's way in .fio
 * files. */
#include "fixture.h"

static struct plan *golden(const char *name)
{
	char path[128];
	char *text;
	struct plan *plan;

	snprintf(path, sizeof(path), "golden/fio/%s.fio", name);
	text = file_text("SSDASSAY_TESTS", path);
	plan = plan_of(PLAN_FIO, text);
	free(text);
	return plan;
}

static void random_read_runs_for_a_minute(void **state)
{
	struct plan *plan = golden("random-read");
	struct plan_instance *instance = instance_of(plan, "random-read", 0, 0);
	const struct load *load = &instance->loads[0];

	assert_int_equal(plan->step_count, 1);
	assert_int_equal(instance->load_count, 1);
	assert_int_equal(load->rw, LOAD_RANDREAD);
	assert_int_equal(load->engine, ENGINE_URING);
	assert_true(load->direct && load->time_based && load->random_map);
	assert_int_equal(load->iodepth, 32);
	assert_int_equal(load->size.bytes, 4ull << 30);
	assert_int_equal(instance->runtime_ns, 60000000000ull);
	assert_true(plan->reads && !plan->writes);
	assert_int_equal(plan->warning_count + plan->target_count, 0);
	free(instance);
	plan_free(plan);
}

static void sequential_write_ends_with_its_size(void **state)
{
	struct plan *plan = golden("sequential-write");
	struct plan_instance *instance = instance_of(plan, "sequential-write", 0, 0);

	assert_int_equal(instance->loads[0].rw, LOAD_WRITE);
	assert_int_equal(instance->loads[0].sizes[1].part[0].bytes_min, 1 << 20);
	assert_int_equal(instance->runtime_ns, 0);
	assert_false(instance->loads[0].time_based);
	assert_true(plan->writes && !plan->reads);
	assert_int_equal(plan->target_count, 1);
	assert_string_equal(plan->targets[0], "/mnt/test/file");
	free(instance);
	plan_free(plan);
}

static void mixed_has_seventy_percent_reads_and_one_warning(void **state)
{
	struct plan *plan = golden("mixed-70-30");
	struct plan_instance *instance = instance_of(plan, "mixed", 0, 0);

	assert_close(instance->loads[0].read_share, 0.7);
	assert_int_equal(instance->loads[0].numjobs, 4);
	assert_string_equal(value_of(instance, "rwmixread"), "70");
	assert_true(instance->loads[0].group_reporting);
	assert_int_equal(plan->warning_count, 1);
	assert_int_equal(plan->warnings[0].line, 13);
	assert_non_null(strstr(plan->warnings[0].text, "write_lat_log"));
	free(instance);
	plan_free(plan);
}

static void jobs_without_a_wall_run_together(void **state)
{
	struct plan *plan = golden("multi-job");
	struct plan_instance *instance = instance_of(plan, "readers", 0, 0);

	assert_int_equal(plan->step_count, 3);
	assert_int_equal(plan->steps[0].joined_to, -1);
	assert_int_equal(plan->steps[1].joined_to, 0);
	assert_int_equal(plan->steps[2].joined_to, 0);
	assert_int_equal(instance->load_count, 3);
	assert_string_equal(instance->loads[1].name, "writer");
	assert_int_equal(instance->loads[1].section, 1);
	assert_close(instance->loads[1].arrival_rate, 400);	/* 50 MiB/s in blocks of 128 KiB */
	assert_int_equal(instance->loads[2].fsync_every, 1);
	assert_int_equal(plan->point_total, 1);
	free(instance);
	plan_free(plan);
}

static void a_stonewall_starts_a_new_step(void **state)
{
	struct plan *plan = golden("fill-then-measure");

	assert_int_equal(plan->step_count, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(plan->steps[i].joined_to, -1);
	assert_int_equal(plan->target_count, 1);
	assert_int_equal(plan->steps[2].target_count, 1);
	assert_int_equal(plan->steps[2].targets[0], 0);
	plan_free(plan);
}

static void ramp_and_run_time_are_apart(void **state)
{
	struct plan *plan = golden("time-based-ramp");
	struct plan_instance *instance = instance_of(plan, "steady", 0, 0);
	const struct load *load = &instance->loads[0];

	assert_int_equal(load->ramp_ns, 10000000000ull);
	assert_int_equal(load->runtime_ns, 300000000000ull);
	assert_true(!load->random_map && !load->seed_repeat && load->refill_buffers);
	assert_close(load->size.share, 0.5);
	assert_string_equal(plan->targets[0], "/mnt/test/");
	free(instance);
	plan_free(plan);
}

static void global_counts_for_what_stands_below_it(void **state)
{
	struct plan *plan = plan_of(PLAN_FIO, "[a]\n[global]\nbs=8k\niodepth=4\n[b]\n[global]\nbs=16k\n[c]"
					      "\niodepth=2\n");
	struct plan_instance *instance = instance_of(plan, "a", 0, 0);

	assert_int_equal(instance->load_count, 3);
	assert_int_equal(instance->loads[0].sizes[0].part[0].bytes_min, 4096);
	assert_int_equal(instance->loads[1].sizes[0].part[0].bytes_min, 8192);
	assert_int_equal(instance->loads[1].iodepth, 4);
	assert_int_equal(instance->loads[2].sizes[0].part[0].bytes_min, 16384);
	assert_int_equal(instance->loads[2].iodepth, 2);
	free(instance);
	plan_free(plan);
}

static void jobs_may_share_a_name_in_fio_files(void **state)
{
	struct plan *plan = plan_of(PLAN_FIO, "[a]\n[a]\nrw=write\n");

	assert_int_equal(plan->step_count, 2);
	plan_free(plan);
}

static void more_loads_than_fit_are_refused(void **state)
{
	char text[4096] = "";
	struct fault fault = { 0 };
	struct plan *plan;

	for (int i = 0; i < 64; i++)
		sprintf(text + strlen(text), "[j%d]\n", i);
	plan = plan_of(PLAN_FIO, text);
	assert_int_equal(plan->step_count, 64);
	plan_free(plan);
	strcat(text, "[one-more]\n");
	assert_int_equal(plan_fault(PLAN_FIO, text, &fault), -22);
	assert_int_equal(fault.line, 65);
	strcat(text, "stonewall\n");
	plan = plan_of(PLAN_FIO, text);
	plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_read_runs_for_a_minute),
		cmocka_unit_test(sequential_write_ends_with_its_size),
		cmocka_unit_test(mixed_has_seventy_percent_reads_and_one_warning),
		cmocka_unit_test(jobs_without_a_wall_run_together),
		cmocka_unit_test(a_stonewall_starts_a_new_step),
		cmocka_unit_test(ramp_and_run_time_are_apart),
		cmocka_unit_test(global_counts_for_what_stands_below_it),
		cmocka_unit_test(jobs_may_share_a_name_in_fio_files),
		cmocka_unit_test(more_loads_than_fit_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
