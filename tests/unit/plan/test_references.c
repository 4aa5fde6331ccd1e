/* @KEY, @NAME.key, PERCENT@STEP. */
#include "fixture.h"
#include <errno.h>

static const char *const text =
	"[base]\nrw=randwrite\nvary.numjobs/iodepth=1/1 4/8\nruntime=1m\n"
	"pick.max=base max iops where mean<5ms\npick.min=base[numjobs=1 iodepth=1]\n"
	"[top]\nrw=randwrite\nnumjobs=@max.numjobs\niodepth=@max.iodepth\nruntime=1m\n"
	"[open]\nvary.arrival=poisson:10%@top constant:50%@top\nruntime=1m\n"
	"[g]\nkind=group\nvary.wait=5s 10s\nvary.top=50% 93%\n"
	"[rest]\nin=g\nkind=idle\nruntime=@wait\n"
	"[duty]\nin=g\nrange=0%..@top\nduty=5s/@wait*360\n";

static int pick(void *context, const char *name, const char *key, char *value, size_t bytes)
{
	if (strcmp(name, "max"))
		return -ENOENT;
	snprintf(value, bytes, "%s", !strcmp(key, "numjobs") ? "4" : "8");
	return 0;
}

static int reached(void *context, const char *step, double *ret_rate)
{
	if (strcmp(step, "top"))
		return -ENOENT;
	*ret_rate = *(double *)context;
	return 0;
}

static void swept_values_are_put_in(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, text);
	struct plan_instance *rest = instance_of(plan, "rest", 3, 0), *duty = instance_of(plan, "duty", 2, 0);

	assert_int_equal(rest->runtime_ns, 10000000000ull);
	assert_string_equal(value_of(rest, "wait"), "10s");
	assert_int_equal(duty->duty_on_ns, 5000000000ull);
	assert_int_equal(duty->duty_off_ns, 10000000000ull);
	assert_int_equal(duty->duty_count, 360);
	assert_close(duty->loads[0].range_to.share, 0.5);
	assert_true(duty->loads[0].time_based);
	assert_int_equal(step_of(plan, "duty")->duty_off_ns, 5000000000ull);
	free(rest);
	free(duty);
	plan_free(plan);
}

static void picks_come_from_the_run(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, text);
	struct plan_instance *instance = calloc(1, sizeof(*instance));
	double rate = 20000;
	struct plan_lookup lookup = { &rate, pick, reached };
	struct plan_place place = { .step = step_of(plan, "top")->index };

	assert_int_equal(plan_instantiate(plan, &place, NULL, instance, NULL), 0);
	assert_int_equal(instance->loads[0].numjobs, 1);	/* the first point stands in */
	assert_int_equal(plan_instantiate(plan, &place, &lookup, instance, NULL), 0);
	assert_int_equal(instance->loads[0].numjobs, 4);
	assert_int_equal(instance->loads[0].iodepth, 8);
	free(instance);
	plan_free(plan);
}

static void shares_come_from_the_run(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, text);
	struct plan_instance *instance = calloc(1, sizeof(*instance));
	double rate = 20000;
	struct plan_lookup lookup = { &rate, pick, reached };
	struct plan_place place = { .step = step_of(plan, "open")->index, .point = 1 };
	struct fault fault = { 0 };

	assert_int_equal(plan_instantiate(plan, &place, NULL, instance, NULL), 0);
	assert_true(instance->loads[0].arrival_rate > 0);
	assert_int_equal(plan_instantiate(plan, &place, &lookup, instance, NULL), 0);
	assert_int_equal(instance->loads[0].arrival, ARRIVAL_CONSTANT);
	assert_close(instance->loads[0].arrival_rate, 10000);
	assert_true(step_of(plan, "open")->open_loop);
	rate = 0;
	assert_int_equal(plan_instantiate(plan, &place, &lookup, instance, &fault), -22);
	assert_non_null(strstr(fault.text, "no measured rate"));
	free(instance);
	plan_free(plan);
}

static void picks_are_described(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, text);
	const struct plan_pick *picks = step_of(plan, "base")->pick;

	assert_int_equal(step_of(plan, "base")->pick_count, 2);
	assert_string_equal(picks[0].name, "max");
	assert_string_equal(picks[0].step, "base");
	assert_int_equal(picks[0].order, PICK_MAX);
	assert_string_equal(picks[0].figure, "iops");
	assert_string_equal(picks[0].where_figure, "mean");
	assert_true(picks[0].where_below);
	assert_close(picks[0].where_limit, 5e6);
	assert_int_equal(picks[0].line, 5);
	assert_int_equal(picks[1].order, PICK_POINT);
	assert_string_equal(picks[1].point, "numjobs=1 iodepth=1");
	plan_free(plan);
}

static void a_pick_that_found_nothing_is_a_fault_at_its_use(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, "[b]\nvary.numjobs=1 2\npick.low=b min "
						 "iops\n[t]\nnumjobs=@low.numjobs\n");
	struct plan_instance *instance = calloc(1, sizeof(*instance));
	struct plan_lookup lookup = { NULL, pick, reached };
	struct plan_place place = { .step = 1 };
	struct fault fault = { 0 };

	assert_int_equal(plan_instantiate(plan, &place, &lookup, instance, &fault), -22);
	assert_int_equal(fault.line, 5);
	assert_int_equal(fault.column, 9);
	assert_non_null(strstr(fault.text, "found no point"));
	free(instance);
	plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(swept_values_are_put_in),
		cmocka_unit_test(picks_come_from_the_run),
		cmocka_unit_test(shares_come_from_the_run),
		cmocka_unit_test(picks_are_described),
		cmocka_unit_test(a_pick_that_found_nothing_is_a_fault_at_its_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
