/* title, description, report, expect, search. */
#include <errno.h>
#include "fixture.h"

static void words_reach_the_plan_and_the_step(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, "[global]\ntitle=All\nreport=quick\ndescription=why\n[a]"
						 "\ntitle=One\n"
						 "description=how\n[b]\n");

	assert_string_equal(plan->title, "All");
	assert_string_equal(plan->report, "quick");
	assert_string_equal(plan->description, "why");
	assert_string_equal(plan->steps[0].title, "One");
	assert_string_equal(plan->steps[0].description, "how");
	assert_null(plan->steps[1].title);
	plan_free(plan);
}

struct row {
	const char *text, *direction, *clock, *figure;
	bool below;
	double limit;
};

static const struct row rows[] = {
	{ "read.response.p99.9<1ms", "read", "response", "p99.9", true, 1e6 },
	{ "write.iops>100k", "write", NULL, "iops", false, 100000 },
	{ "consistency>0.9", NULL, NULL, "consistency", false, 0.9 },
	{ "consistency>90%", NULL, NULL, "consistency", false, 0.9 },
	{ "service.max<2s", NULL, "service", "max", true, 2e9 },
	{ "mean<100us", NULL, NULL, "mean", true, 1e5 },
	{ "read.bytes_per_second>500MB/s", "read", NULL, "bytes_per_second", false, 5e8 },
	{ "bytes_per_second>1g", NULL, NULL, "bytes_per_second", false, 1073741824 },
	{ "errors<1", NULL, NULL, "errors", true, 1 },
	{ "write.p50<5ms", "write", NULL, "p50", true, 5e6 },
};

static void criteria_are_taken_apart(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[128];
		struct plan *plan;
		const struct plan_expect *expect;

		snprintf(text, sizeof(text), "[a]\nrw=randrw\nexpect=%s\n", rows[i].text);
		plan = plan_of(PLAN_NATIVE, text);
		assert_int_equal(plan->steps[0].expect_count, 1);
		expect = plan->steps[0].expect;
		assert_string_equal(expect->text, rows[i].text);
		assert_true(!!expect->direction == !!rows[i].direction && !!expect->clock == !!rows[i].clock);
		if (expect->direction)
			assert_string_equal(expect->direction, rows[i].direction);
		if (expect->clock)
			assert_string_equal(expect->clock, rows[i].clock);
		assert_string_equal(expect->figure, rows[i].figure);
		assert_int_equal(expect->below, rows[i].below);
		assert_close(expect->limit, rows[i].limit);
		assert_int_equal(expect->line, 3);
		assert_int_equal(expect->column, 8);
		plan_free(plan);
	}
}

static void several_criteria_stand_in_one_line_or_in_several(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, "[a]\nrw=randrw\nexpect=read.iops>5 "
						 "write.iops>6\nexpect=errors<1\n");

	assert_int_equal(plan->steps[0].expect_count, 3);
	assert_int_equal(plan->steps[0].expect[1].column, 20);
	plan_free(plan);
}

static void global_criteria_reach_the_loads_that_they_fit(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, "[global]\nexpect=write.iops>5 "
						 "errors<1\n[a]\nrw=read\n[b]\nrw=write\n"
						 "[c]\nrw=read\nexpect=iops>7\n[d]\nkind=idle\nruntime=1\n");

	assert_int_equal(plan->steps[0].expect_count, 1);
	assert_string_equal(plan->steps[0].expect[0].figure, "errors");
	assert_int_equal(plan->steps[1].expect_count, 2);
	assert_int_equal(plan->steps[2].expect_count, 1);
	assert_close(plan->steps[2].expect[0].limit, 7);
	assert_int_equal(plan->steps[3].expect_count, 0);
	plan_free(plan);
}

static void search_is_a_criterion_too(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, "[a]\nsearch=response.p99.9<1ms\nruntime=5\n");

	assert_true(plan->steps[0].searches);
	assert_string_equal(plan->steps[0].search.figure, "p99.9");
	assert_close(plan->steps[0].search.limit, 1e6);
	plan_free(plan);
}

static void searches_take_what_can_be_counted(void **state)
{
	static const struct { const char *text, *fault; } wrong[] = {
		{ "[a]\nsearch=iops>5k\n", "percentile or max" },
		{ "[a]\nsearch=mean<1ms\n", "percentile or max" },
		{ "[a]\nsearch=p99>1ms\n", "percentile or max" },
		{ "[a]\nsearch=p99<1ms\nduty=1s/1s*3\n", "duty contradicts search=" },
		{ "[a]\nrw=write\nsearch=p99<1ms\nuntil=written:1x\n", "until contradicts search=" },
		{ "[a]\nsearch=p99<1ms\nexpect=iops>5k\n", "every probe" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct fault fault;

		assert_int_equal(plan_fault(PLAN_NATIVE, wrong[i].text, &fault), -EINVAL);
		assert_non_null(strstr(fault.text, wrong[i].fault));
	}
}

static void criteria_for_all_leave_searches_out(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE,
				    "[global]\nexpect=p99<9ms\nruntime=5\n[a]\nsearch=max<1ms\n[b]\n");

	assert_int_equal(plan->steps[0].expect_count, 0);
	assert_int_equal(plan->steps[1].expect_count, 1);
	plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_reach_the_plan_and_the_step),
		cmocka_unit_test(criteria_are_taken_apart),
		cmocka_unit_test(several_criteria_stand_in_one_line_or_in_several),
		cmocka_unit_test(global_criteria_reach_the_loads_that_they_fit),
		cmocka_unit_test(search_is_a_criterion_too),
		cmocka_unit_test(searches_take_what_can_be_counted),
		cmocka_unit_test(criteria_for_all_leave_searches_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
