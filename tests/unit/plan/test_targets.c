/* filename= and directory=: which files a plan names itself. */
#include "fixture.h"

struct row {
	enum plan_dialect dialect;
	const char *lines;
	const char *targets[4];
};

static const struct row rows[] = {
	{ PLAN_FIO, "filename=/dev/sda\n", { "/dev/sda" } },
	{ PLAN_FIO, "filename=/dev/sda:/dev/sdb\n", { "/dev/sda", "/dev/sdb" } },
	{ PLAN_FIO, "filename=/dev/pci-0\\:1f.2\n", { "/dev/pci-0:1f.2" } },
	{ PLAN_FIO, "filename=x:y.dat\n", { "x", "y.dat" } },
	{ PLAN_FIO, "filename=a:a\n", { "a" } },
	{ PLAN_FIO, "directory=/mnt/x\n", { "/mnt/x/" } },
	{ PLAN_FIO, "directory=/mnt/x\nfilename=f:g\n", { "/mnt/x/f", "/mnt/x/g" } },
	{ PLAN_FIO, "directory=/mnt/x/\nfilename=/abs\n", { "/abs" } },
	{ PLAN_NATIVE, "filename=/tmp/a:b %1 \xc3\xa9\n", { "/tmp/a:b %1 \xc3\xa9" } },
	{ PLAN_NATIVE, "filename=/dev/a\nfilename=/dev/b\n", { "/dev/a", "/dev/b" } },
	{ PLAN_NATIVE, "filename=/dev/disk@1\n", { "/dev/disk@1" } },
	{ PLAN_NATIVE, "filename=a#b;c ; comment\n", { "a#b;c" } },
	{ PLAN_NATIVE, "", { NULL } },
};

static void names_are_kept_as_they_are(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[256];
		struct plan *plan;
		uint32_t count = 0;

		snprintf(text, sizeof(text), "[a]\n%s", rows[i].lines);
		plan = plan_of(rows[i].dialect, text);
		for (; count < 4 && rows[i].targets[count]; count++) {
			assert_true(count < plan->target_count);
			assert_string_equal(plan->targets[count], rows[i].targets[count]);
		}
		assert_int_equal(plan->target_count, count);
		plan_free(plan);
	}
}

static void each_step_knows_its_own(void **state)
{
	struct plan *plan = plan_of(PLAN_FIO, "[global]\nfilename=x\n[a]\n[b]\nfilename=y:x\n[c]\nfilename="
					      "z\n");

	assert_int_equal(plan->target_count, 3);
	assert_int_equal(plan->steps[0].target_count, 1);
	assert_int_equal(plan->steps[1].target_count, 2);
	assert_int_equal(plan->steps[1].targets[0], 1);
	assert_int_equal(plan->steps[1].targets[1], 0);
	assert_int_equal(plan->steps[2].targets[0], 2);
	plan_free(plan);
}

static void empty_names_are_faults(void **state)
{
	static const struct { enum plan_dialect dialect; const char *text; uint32_t column;
	} bad[] = {
		{ PLAN_FIO, "[a]\nfilename=a::b\n", 10 },   { PLAN_FIO, "[a]\nfilename=\n", 10 },
		{ PLAN_NATIVE, "[a]\nfilename=\n", 10 },    { PLAN_FIO, "[a]\nfilename\n", 1 },
		{ PLAN_FIO, "[a]\ndirectory=/a:/b\n", 11 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct fault fault = { 0 };

		assert_int_equal(plan_fault(bad[i].dialect, bad[i].text, &fault), -22);
		assert_int_equal(fault.line, 2);
		assert_int_equal(fault.column, bad[i].column);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_kept_as_they_are),
		cmocka_unit_test(each_step_knows_its_own),
		cmocka_unit_test(empty_names_are_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
