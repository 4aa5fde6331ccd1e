/* The built-in plans and the other plan files of the tree: they parse, in every class, to as many points as
 * their procedures have. */
#include "fixture.h"
#include <dirent.h>

struct row {
	const char *name;
	uint64_t points, measurements;
	bool embedded;
	const char *needs;	/* NULL = runs with loads, fills, purges, idling and open loops alone */
};

static const struct row rows[] = {
	{ "quick", 1 + 4 * 3, 1 + 4 * 3 * 5, true, NULL },
	{ "card", 2 + 4 * 5 + 2 * 4 * 4, 54, true, NULL },
	{ "steady", 4 + 3 * 2, 10, true, NULL },
	{ "steady-depths", 2 + 3 * 2, 8, true, NULL },
	{ "mixed", 1 + 9, 10, true, NULL },
	{ "latency-throughput", 1 + 1 + 11 + 1, 14, true, "search=" },
	{ "scorecard", 5, 5, true, "until=steady" },
	{ "peak", 2 + 2 * (16 + 9), 52, true, NULL },
	{ "cache", 4 + 2 * 5 * 2, 24, true, NULL },
	{ "double-fill", 2 + 2 * 2, 6, true, NULL },
	{ "thermal", 6, 6, true, NULL },
	{ "pts-iops", 2 + 7 * 8, 58, true, NULL },
	{ "pts-throughput", 2 * (2 + 2), 8, true, NULL },
	{ "pts-latency", 2 + 3 * 3 + 1, 12, true, NULL },
	{ "pts-wsat", 3, 3, true, NULL },
	{ "pts-hir", 2 + 5 * 2, 12, true, NULL },
	{ "pts-xsr", 4, 4, true, NULL },
	{ "pts-dv", 2 + 1 + 49 + 6, 58, true, NULL },
	{ "pts-cbw", 2 + 1 + 49 + 6, 58, true, NULL },
	{ "consistency", 4, 4, true, "until=steady" },
	{ "qos", 3 + 4 * 3, 15, true, "until=steady" },
	{ "spare", 6 * (2 + 2), 24, true, "until=steady" },
	{ "enterprise", 11 + 4 * 4, 27, true, "until=steady" },
	{ "raw-vs-fs", 5 * (3 + 3 * 2 + 2), 55, true, "kind=mkfs" },
};
#define ROWS (sizeof(rows) / sizeof(*rows))

static char *plan_file(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s.plan", name);
	return file_text("SSDASSAY_PLANS", path);
}

static void every_plan_expands_to_its_points(void **state)
{
	for (size_t i = 0; i < ROWS; i++) {
		char *text = plan_file(rows[i].name);
		struct plan *plan = plan_of(PLAN_NATIVE, text);
		uint32_t line = 0;
		const char *needs = plan_unsupported(plan, PLAN_FEATURE_OPEN_LOOP, &line);

		if (plan->point_total != rows[i].points || plan->measurement_total != rows[i].measurements)
			fail_msg("%s: %llu points, %llu measurements", rows[i].name,
				 (unsigned long long)plan->point_total,
				 (unsigned long long)plan->measurement_total);
		assert_true(rows[i].needs ? needs && !strcmp(needs, rows[i].needs) : !needs);
		assert_non_null(plan->title);
		assert_string_equal(plan->report, rows[i].name);
		assert_int_equal(plan->warning_count, 0);
		plan_free(plan);
		free(text);
	}
}

static void every_class_expands(void **state)
{
	for (size_t i = 0; i < ROWS; i++) {
		static const char *const classes[] = { "class=client", "class=enterprise" };
		char *text = plan_file(rows[i].name);

		for (int c = 0; c < 2 && strstr(text, "[class "); c++) {
			struct plan_options options = options_of(PLAN_NATIVE);
			struct plan *plan;

			options.set = &classes[c];
			options.set_count = 1;
			plan = plan_of_options(&options, text);
			assert_int_equal(plan->point_total, rows[i].points);
			plan_free(plan);
		}
		free(text);
	}
}

static void every_plan_can_be_scaled(void **state)
{
	for (size_t i = 0; i < ROWS; i++) {
		char *text = plan_file(rows[i].name);
		struct plan_options options = options_of(PLAN_NATIVE);
		struct plan *plan;

		for (options.scale = 0.001; options.scale < 0.2; options.scale *= 10) {
			plan = plan_of_options(&options, text);
			assert_int_equal(plan->point_total, rows[i].points);
			plan_free(plan);
		}
		free(text);
	}
}

static void embedded_plans_are_the_files(void **state)
{
	const struct plan_builtin *builtin;
	uint32_t count = 0, expected = 0;

	for (size_t i = 0; i < ROWS; i++) {
		char *text = plan_file(rows[i].name);

		builtin = plan_builtin_find(rows[i].name);
		assert_int_equal(!!builtin, rows[i].embedded);
		expected += rows[i].embedded;
		if (builtin) {
			char first[256];

			assert_string_equal(builtin->text, text);
			snprintf(first, sizeof(first), "# %s: %s\n", builtin->name, builtin->summary);
			assert_true(!strncmp(text, first, strlen(first)));
			assert_true(strlen(builtin->summary) < 120);
		}
		free(text);
	}
	while ((builtin = plan_builtin_at(count)))
		count++;
	assert_int_equal(count, expected);
	assert_null(plan_builtin_find("nothing"));
}

static void no_plan_file_is_without_a_row(void **state)
{
	DIR *folder = opendir(getenv("SSDASSAY_PLANS"));
	struct dirent *entry;
	uint32_t count = 0;

	assert_non_null(folder);
	while ((entry = readdir(folder)))
		count += strstr(entry->d_name, ".plan") != NULL;
	closedir(folder);
	assert_int_equal(count, ROWS);
}

static void the_demand_sweep_goes_from_high_to_low(void **state)
{
	char *text = plan_file("pts-dv");
	struct plan *plan = plan_of(PLAN_NATIVE, text);
	uint64_t before = UINT64_MAX;

	for (uint32_t i = 0; i < 49; i++) {
		struct plan_instance *instance = instance_of(plan, "sweep", 0, i);
		uint64_t outstanding = (uint64_t)instance->loads[0].numjobs * instance->loads[0].iodepth;

		assert_true(outstanding <= before);
		before = outstanding;
		free(instance);
	}
	assert_int_equal(before, 1);
	plan_free(plan);
	free(text);
}

static void the_card_plan_keeps_one_io_per_thread(void **state)
{
	const struct plan_builtin *builtin = plan_builtin_find("card");
	struct plan *plan = plan_of(PLAN_NATIVE, builtin->text);
	struct plan_instance *last = instance_of(plan, "read", 0, 19),
			     *wear = instance_of(plan, "wear-in", 0, 0);

	assert_int_equal(last->loads[0].iodepth, 1);
	assert_int_equal(last->loads[0].numjobs, 32);
	assert_string_equal(value_of(last, "bs"), "131072");
	assert_int_equal(last->runtime_ns, 120000000000ull);
	assert_int_equal(wear->loads[0].batch_submit, 16);
	assert_close(wear->until[0].capacities, 2);
	free(last);
	free(wear);
	plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_plan_expands_to_its_points),
		cmocka_unit_test(every_class_expands),
		cmocka_unit_test(every_plan_can_be_scaled),
		cmocka_unit_test(embedded_plans_are_the_files),
		cmocka_unit_test(no_plan_file_is_without_a_row),
		cmocka_unit_test(the_demand_sweep_goes_from_high_to_low),
		cmocka_unit_test(the_card_plan_keeps_one_io_per_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
