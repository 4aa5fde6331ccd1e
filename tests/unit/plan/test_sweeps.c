/* vary.KEY: which points, in which order, with which values. */
#include "fixture.h"

static void check_values(const char *lines, const char *key, const char *const *expected, uint32_t count)
{
	char text[1024];
	struct plan *plan;

	snprintf(text, sizeof(text), "[a]\nrw=randrw\n%s", lines);
	plan = plan_of(PLAN_NATIVE, text);
	assert_int_equal(plan->steps[0].point_count, count);
	for (uint32_t i = 0; i < count; i++) {
		struct plan_instance *instance = instance_of(plan, "a", 0, i);

		assert_string_equal(value_of(instance, key), expected[i]);
		free(instance);
	}
	plan_free(plan);
}

static void lists_and_ranges_expand_in_the_order_written(void **state)
{
	check_values("vary.iodepth=8 1 3\n", "iodepth", (const char *[]){ "8", "1", "3" }, 3);
	check_values("vary.iodepth=1..16*2\n", "iodepth", (const char *[]){ "1", "2", "4", "8", "16" }, 5);
	check_values("vary.iodepth=1..20*2 7\n", "iodepth", (const char *[]){ "1", "2", "4", "8", "16", "7" },
		     6);
	check_values("vary.bs=4k..32k*2\n", "bs", (const char *[]){ "4096", "8192", "16384", "32768" }, 4);
	check_values("vary.bs=512..4k*2\n", "bs", (const char *[]){ "512", "1024", "2048", "4096" }, 4);
	check_values("vary.bs=512k..2m*2\n", "bs", (const char *[]){ "524288", "1048576", "2097152" }, 3);
	check_values("vary.runtime=5s..20s*2\n", "runtime", (const char *[]){ "5s", "10s", "20s" }, 3);
	check_values("vary.range=0%..93% 0%..50%\n", "range", (const char *[]){ "0%..93%", "0%..50%" }, 2);
	check_values("vary.range=50%/16 75%/2048\n", "range", (const char *[]){ "50%/16", "75%/2048" }, 2);
	check_values("vary.bssplit=4k/50:8k/50 4k/100\n", "bssplit",
		     (const char *[]){ "4k/50:8k/50", "4k/100" }, 2);
	check_values("vary.blocksize=4k 8k\n", "bs", (const char *[]){ "4096", "8192" }, 2);
	check_values("vary.rwmixread=100 65 0\n", "rwmixread", (const char *[]){ "100", "65", "0" }, 3);
}

static void the_first_line_is_outermost(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, "[a]\nvary.rw=read write\nvary.bs=4k 8k 16k\n");
	static const char *const rw[] = { "read", "read", "read", "write", "write", "write" };
	static const char *const bs[] = { "4096", "8192", "16384", "4096", "8192", "16384" };

	assert_int_equal(plan->point_total, 6);
	for (uint32_t i = 0; i < 6; i++) {
		struct plan_instance *instance = instance_of(plan, "a", 0, i);

		assert_string_equal(value_of(instance, "rw"), rw[i]);
		assert_string_equal(value_of(instance, "bs"), bs[i]);
		free(instance);
	}
	plan_free(plan);
}

static void keys_move_in_step(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, "[a]\nvary.numjobs/iodepth=32/1 16/2 8/4\nvary.rw=read "
						 "write\n");
	struct plan_instance *instance = instance_of(plan, "a", 0, 3);

	assert_int_equal(plan->point_total, 6);
	assert_int_equal(instance->loads[0].numjobs, 16);
	assert_int_equal(instance->loads[0].iodepth, 2);
	assert_int_equal(instance->loads[0].rw, LOAD_WRITE);
	free(instance);
	plan_free(plan);
}

static void values_of_a_point_are_typed(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, "[a]\nrw=randread\nbs=64k\niodepth=32\nvary.size=1g 2g\n");
	struct plan_instance *instance = instance_of(plan, "a", 0, 1);

	for (uint32_t i = 0; i < instance->value_count; i++) {
		const struct plan_value *value = &instance->values[i];

		if (!strcmp(value->key, "bs"))
			assert_true(value->numeric && value->number == 65536);
		if (!strcmp(value->key, "rw"))
			assert_false(value->numeric);
		if (!strcmp(value->key, "size"))
			assert_true(value->numeric && value->number == (double)(2ull << 30));
	}
	assert_non_null(value_of(instance, "size"));
	free(instance);
	plan_free(plan);
}

static void points_are_matched_as_numbers(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, "[a]\nrw=randrw\nvary.rwmixread=65 0\nvary.bs=1024k 4k\n");
	struct plan_instance *instance = instance_of(plan, "a", 0, 0);

	assert_true(plan_point_matches(instance, "rwmixread=65 bs=1m"));
	assert_true(plan_point_matches(instance, "bs=1048576"));
	assert_true(plan_point_matches(instance, "rw=randrw iodepth=1"));
	assert_true(plan_point_matches(instance, ""));
	assert_false(plan_point_matches(instance, "rwmixread=0 bs=1m"));
	assert_false(plan_point_matches(instance, "nothing=1"));
	free(instance);
	plan_free(plan);
}

static void points_that_do_not_exist_are_refused(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, "[a]\nvary.bs=4k 8k\n");
	struct plan_instance *instance = calloc(1, sizeof(*instance));
	struct plan_place place = { .step = 0, .point = 2 };
	struct fault fault = { 0 };

	assert_int_equal(plan_instantiate(plan, &place, NULL, instance, &fault), -22);
	place = (struct plan_place){ .step = 1 };
	assert_int_equal(plan_instantiate(plan, &place, NULL, instance, &fault), -22);
	assert_int_equal(plan_step_points(plan, 0), 2);
	assert_int_equal(plan_step_points(plan, 1), 0);
	free(instance);
	plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_and_ranges_expand_in_the_order_written),
		cmocka_unit_test(the_first_line_is_outermost),
		cmocka_unit_test(keys_move_in_step),
		cmocka_unit_test(values_of_a_point_are_typed),
		cmocka_unit_test(points_are_matched_as_numbers),
		cmocka_unit_test(points_that_do_not_exist_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
