/* --set KEY=VALUE, STEP.KEY=VALUE, class=NAME. */
#include "fixture.h"

static const char *const text =
	"[global]\nbs=4k\n"
	"[class enterprise]\niodepth=32\n"
	"[class client]\niodepth=16\n"
	"[a]\nrw=randrw\nvary.rwmixread=100 0\nruntime=5s\n"
	"[a.b]\nbs=64k\nvary.numjobs/iodepth=1/1 2/2\n";

static struct plan *plan_set(const char *const *set, uint32_t count)
{
	struct plan_options options = options_of(PLAN_NATIVE);

	options.set = set;
	options.set_count = count;
	return plan_of_options(&options, text);
}

static void global_keys_are_defaults(void **state)
{
	struct plan *plan = plan_set((const char *[]){ "bs=8k", "direct=1" }, 2);
	struct plan_instance *a = instance_of(plan, "a", 0, 0), *b = instance_of(plan, "a.b", 0, 0);

	assert_int_equal(a->loads[0].sizes[0].part[0].bytes_min, 8192);
	assert_int_equal(b->loads[0].sizes[0].part[0].bytes_min, 65536);
	assert_true(a->loads[0].direct && b->loads[0].direct);
	free(a);
	free(b);
	plan_free(plan);
}

static void a_steps_key_replaces_line_and_sweep(void **state)
{
	struct plan *plan = plan_set((const char *[]){ "a.runtime=7s", "a.rwmixread=30", "a.b.bs=16k" }, 3);
	struct plan_instance *a = instance_of(plan, "a", 0, 0), *b = instance_of(plan, "a.b", 0, 1);

	assert_int_equal(a->runtime_ns, 7000000000ull);
	assert_int_equal(step_of(plan, "a")->point_count, 1);
	assert_close(a->loads[0].read_share, 0.3);
	assert_int_equal(b->loads[0].sizes[0].part[0].bytes_min, 16384);
	free(a);
	free(b);
	plan_free(plan);
}

static void sweeps_can_be_set(void **state)
{
	struct plan *plan =
		plan_set((const char *[]){ "a.vary.rwmixread=70 50 30", "a.b.vary.numjobs/iodepth=4/4" }, 2);

	assert_int_equal(step_of(plan, "a")->point_count, 3);
	assert_int_equal(step_of(plan, "a.b")->point_count, 1);
	plan_free(plan);
}

static void the_last_setting_of_a_key_counts(void **state)
{
	struct plan *plan =
		plan_set((const char *[]){ "bs=8k", "blocksize=16k", "a.runtime=1", "a.timeout=2" }, 4);
	struct plan_instance *a = instance_of(plan, "a", 0, 0);

	assert_int_equal(a->loads[0].sizes[0].part[0].bytes_min, 16384);
	assert_int_equal(a->runtime_ns, 2000000000ull);
	free(a);
	plan_free(plan);
}

static void words_of_the_plan_can_be_set(void **state)
{
	struct plan *plan = plan_set((const char *[]){ "title=other words", "report=x", "randseed=99" }, 3);

	assert_string_equal(plan->title, "other words");
	assert_string_equal(plan->report, "x");
	assert_int_equal(plan->seed, 99);
	plan_free(plan);
}

static void the_first_class_is_the_default(void **state)
{
	struct plan *plan = plan_set(NULL, 0);
	struct plan_instance *a = instance_of(plan, "a", 0, 0);

	assert_string_equal(plan->class_name, "enterprise");
	assert_int_equal(a->loads[0].iodepth, 32);
	free(a);
	plan_free(plan);
	plan = plan_set((const char *[]){ "class=client" }, 1);
	a = instance_of(plan, "a", 0, 0);
	assert_string_equal(plan->class_name, "client");
	assert_int_equal(a->loads[0].iodepth, 16);
	free(a);
	plan_free(plan);
}

static void settings_work_on_fio_files_too(void **state)
{
	struct plan_options options = options_of(PLAN_FIO);
	const char *const set[] = { "runtime=3", "a.rw=write" };
	struct plan *plan;
	struct plan_instance *a;

	options.set = set;
	options.set_count = 2;
	plan = plan_of_options(&options, "[a]\nrw=read\n[b]\n");
	a = instance_of(plan, "a", 0, 0);
	assert_int_equal(a->loads[0].rw, LOAD_WRITE);
	assert_int_equal(a->loads[1].runtime_ns, 3000000000ull);
	free(a);
	plan_free(plan);
}

static void mistakes_name_the_setting(void **state)
{
	static const struct { const char *set, *source, *says;
	} rows[] = {
		{ "bs", "--set bs", "KEY=VALUE" },
		{ "=4k", "--set =4k", "KEY=VALUE" },
		{ "bss=4k", "--set bss=4k", "did you mean bs?" },
		{ "a.bss=4k", "--set a.bss=4k", "did you mean bs?" },
		{ "x.bs=4k", "--set x.bs=4k", "no step of this plan" },
		{ "bs=4x", "--set bs=4x", "no size" },
		{ "a.bs=4x", "--set a.bs=4x", "no size" },
		{ "class=clint", "--set class", "did you mean client?" },
		{ "vary.bs=4k", "--set vary.bs=4k", "STEP.vary.bs" },
		{ "a.b.numjobs=4", "--set a.b.numjobs=4", "moves together" },
		{ "until=time:1s", "--set until=time:1s", "belongs to a step" },
		{ "a.norandommap", "--set a.norandommap", "KEY=VALUE" },
		{ "rwmixread=5", "--set rwmixread=5", "no effect" }, /* [a] sweeps it, [a.b] only reads */
		{ "fs=xfs", "--set fs=xfs", "no step takes it" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct plan_options options = options_of(PLAN_NATIVE);
		struct plan *plan = NULL;
		struct fault fault = { 0 };

		options.set = &rows[i].set;
		options.set_count = 1;
		assert_int_equal(plan_parse(text, &options, &plan, &fault), -22);
		if (strcmp(fault.source, rows[i].source) || fault.line || !strstr(fault.text, rows[i].says))
			fail_msg("%s: %s:%u %s", rows[i].set, fault.source, fault.line, fault.text);
	}
}

static void lines_that_lose_their_effect_by_a_setting_are_warnings(void **state)
{
	struct plan_options options = options_of(PLAN_NATIVE);
	const char *const set[] = { "a.rw=read" };
	struct plan *plan;

	options.set = set;
	options.set_count = 1;
	plan = plan_of_options(&options, "[a]\nrw=randrw\nrwmixread=70\n");
	assert_int_equal(plan->warning_count, 1);
	assert_int_equal(plan->warnings[0].line, 3);
	plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(global_keys_are_defaults),
		cmocka_unit_test(a_steps_key_replaces_line_and_sweep),
		cmocka_unit_test(sweeps_can_be_set),
		cmocka_unit_test(the_last_setting_of_a_key_counts),
		cmocka_unit_test(words_of_the_plan_can_be_set),
		cmocka_unit_test(the_first_class_is_the_default),
		cmocka_unit_test(settings_work_on_fio_files_too),
		cmocka_unit_test(mistakes_name_the_setting),
		cmocka_unit_test(lines_that_lose_their_effect_by_a_setting_are_warnings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
