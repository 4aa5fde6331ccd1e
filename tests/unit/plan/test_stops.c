/* until= and max= in all their forms. */
#include "fixture.h"

static struct plan_instance *stops_of(const char *lines)
{
	char text[512];
	struct plan *plan;
	struct plan_instance *instance;

	snprintf(text, sizeof(text), "[a]\nrw=randwrite\n%s", lines);
	plan = plan_of(PLAN_NATIVE, text);
	instance = instance_of(plan, "a", 0, 0);
	assert_int_equal(plan->steps[0].until_count, instance->until_count);
	plan_free(plan);
	return instance;
}

static void every_form_is_read(void **state)
{
	struct plan_instance *i = stops_of("until=written:2x time:1h written:300g written:1.5r\n");

	assert_int_equal(i->until_count, 4);
	assert_int_equal(i->until[0].kind, STOP_WRITTEN);
	assert_close(i->until[0].capacities, 2);
	assert_int_equal(i->until[1].kind, STOP_TIME);
	assert_int_equal(i->until[1].time_ns, 3600000000000ull);
	assert_int_equal(i->until[2].bytes, 300ull << 30);
	assert_close(i->until[3].ranges, 1.5);
	assert_true(i->loads[0].time_based);
	free(i);
	i = stops_of("until=drop:30%\nmax=written:1x\n");
	assert_int_equal(i->until[0].kind, STOP_DROP);
	assert_close(i->until[0].share, 0.3);
	assert_int_equal(i->max_count, 1);
	free(i);
	i = stops_of("until=steady\nmax=time:4h written:6x\n");
	assert_int_equal(i->until[0].kind, STOP_STEADY);
	assert_int_equal(i->max_count, 2);
	free(i);
}

static void single_steps_have_rounds_of_their_own(void **state)
{
	struct plan_instance *i = stops_of("until=snia:1m/31m\nmax=written:4x time:24h\n");

	assert_int_equal(i->until[0].round_ns, 60000000000ull);
	assert_int_equal(i->until[0].every_ns, 1860000000000ull);
	free(i);
	i = stops_of("until=snia\n");
	assert_int_equal(i->until[0].round_ns, 60000000000ull);
	assert_int_equal(i->until[0].every_ns, 60000000000ull);
	assert_int_equal(i->max[0].kind, STOP_ROUNDS);
	assert_int_equal(i->max[0].rounds, 25);
	free(i);
	i = stops_of("until=snia\nmax=12\n");
	assert_int_equal(i->max[0].rounds, 12);
	free(i);
}

static void an_inherited_run_time_steps_back(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, "[global]\nruntime=5s\n[a]\nrw=write\nuntil=written:1x\n[b]"
						 "\n");
	struct plan_instance *a = instance_of(plan, "a", 0, 0), *b = instance_of(plan, "b", 0, 0);

	assert_int_equal(a->runtime_ns, 0);
	assert_int_equal(a->loads[0].runtime_ns, 0);
	assert_true(a->loads[0].time_based);
	assert_int_equal(b->runtime_ns, 5000000000ull);
	free(a);
	free(b);
	plan_free(plan);
}

static void stops_can_be_swept(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, "[a]\nrw=write\nvary.until=written:1x written:2x\n");
	struct plan_instance *second = instance_of(plan, "a", 0, 1);

	assert_close(second->until[0].capacities, 2);
	assert_close(plan->steps[0].until[0].capacities, 1);
	free(second);
	plan_free(plan);
}

static void what_is_not_executed_yet_is_named(void **state)
{
	static const struct { const char *text, *name; uint32_t line; enum plan_feature feature; } rows[] = {
		{ "[b]\n[a]\nuntil=steady\nmax=time:1h\n", "until=steady", 2, PLAN_FEATURE_STEADY },
		{ "[a]\nkind=mkfs\nfs=ext4\n", "kind=mkfs", 1, PLAN_FEATURE_MKFS },
		{ "[a]\nkind=app\ncommand=x\n", "kind=app", 1, PLAN_FEATURE_APP },
		{ "[a]\nkind=replay\ntrace=x\n", "kind=replay", 1, PLAN_FEATURE_REPLAY },
		{ "[a]\nkind=powercut\n", "kind=powercut", 1, PLAN_FEATURE_POWERCUT },
		{ "[a]\nsearch=p99.9<1ms\nruntime=5\n", "search=", 1, PLAN_FEATURE_SEARCH },
		{ "[a]\narrival=constant:100\nruntime=5\n", "arrival=", 1, PLAN_FEATURE_OPEN_LOOP },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct plan *plan = plan_of(PLAN_NATIVE, rows[i].text);
		uint32_t line = 0;

		assert_string_equal(plan_unsupported(plan, 0, &line), rows[i].name);
		assert_int_equal(line, rows[i].line);
		assert_null(plan_unsupported(plan, rows[i].feature, &line));
		assert_non_null(plan_unsupported(plan, ~(uint32_t)rows[i].feature, &line));
		plan_free(plan);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_is_read),
		cmocka_unit_test(single_steps_have_rounds_of_their_own),
		cmocka_unit_test(an_inherited_run_time_steps_back),
		cmocka_unit_test(stops_can_be_swept),
		cmocka_unit_test(what_is_not_executed_yet_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
