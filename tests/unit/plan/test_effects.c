/* Nothing is ignored silently: errors in .plan files, warnings in .fio files, errors again with --strict. */
#include "fixture.h"

struct row {
	const char *text;
	uint32_t line, column;
	const char *says;
};

static const struct row fio_rows[] = {
	{ "[a]\nioengine=psync\niodepth=32\n", 3, 1, "several I/Os in flight" },
	{ "[a]\nrwmixread=50\n", 2, 1, "needs rw=rw" },
	{ "[a]\ntime_based\n", 2, 1, "needs runtime" },
	{ "[a]\nlog_avg_msec=500\n", 2, 1, "run file" },
	{ "[a]\ngtod_reduce=1\n", 2, 1, "no effect" },
	{ "[a]\nthread\n", 2, 1, "threads" },
	{ "[a]\nbs=4k\nbs=8k\n", 3, 1, "second time" },
	{ "[a]\ndirect=1\nbuffered=1\n", 3, 1, "this one counts" },
	{ "[a]\nfilename=/dev/a#b\n", 2, 16, "comment" },
	{ "[a]\niodepth=2\niodepth_batch=4\n", 3, 1, "larger than iodepth" },
	{ "[global]\nrwmixread=10\n[a]\n[b]\nrw=write\n", 2, 1, "needs rw=rw" },
};

static void fio_files_get_warnings(void **state)
{
	for (size_t i = 0; i < sizeof(fio_rows) / sizeof(*fio_rows); i++) {
		const struct row *row = &fio_rows[i];
		struct plan *plan = plan_of(PLAN_FIO, row->text);

		if (plan->warning_count != 1 || plan->warnings[0].line != row->line ||
		    plan->warnings[0].column != row->column || !strstr(plan->warnings[0].text, row->says))
			fail_msg("%s%u warnings, first %u:%u %s", row->text, plan->warning_count,
				 plan->warnings[0].line, plan->warnings[0].column, plan->warnings[0].text);
		plan_free(plan);
	}
}

static void strict_turns_them_into_faults(void **state)
{
	for (size_t i = 0; i < sizeof(fio_rows) / sizeof(*fio_rows); i++) {
		struct plan_options options = options_of(PLAN_FIO);
		struct plan *plan = NULL;
		struct fault fault = { 0 };

		options.strict = true;
		assert_int_equal(plan_parse(fio_rows[i].text, &options, &plan, &fault), -22);
		assert_int_equal(fault.line, fio_rows[i].line);
		assert_int_equal(fault.column, fio_rows[i].column);
		assert_non_null(strstr(fault.text, fio_rows[i].says));
	}
}

static void what_makes_a_difference_is_left_alone(void **state)
{
	static const char *const texts[] = {
		"[a]\nvary.rw=randread randrw\nrwmixread=70\n", /* at one of the points */
		"[a]\nvary.iodepth=1 32\nioengine=psync\n",     /* a swept key always counts */
		"[global]\nrwmixread=70\n[a]\n[b]\nrw=rw\n",    /* for one of the steps */
		"[global]\nruntime=5\n[a]\nruntime=7\n",        /* a standard that each step overrides */
		"[a]\ntime_based=0\n",                         /* says what is so anyway */
		"[global]\nbs=4k\n[a]\nkind=purge\n[b]\n",      /* not for every kind */
		"[g]\nkind=group\nbs=8k\n[a]\nin=g\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct plan *plan = plan_of(PLAN_NATIVE, texts[i]);

		assert_int_equal(plan->warning_count, 0);
		plan_free(plan);
	}
}

static void fio_mends_batches_that_are_too_large(void **state)
{
	struct load load = load_of(PLAN_FIO, "iodepth=2\niodepth_batch=4\niodepth_batch_complete=8\n");

	assert_int_equal(load.batch_submit, 2);
	assert_int_equal(load.batch_complete_min, 2);
}

static void the_last_of_two_lines_counts_in_fio_files(void **state)
{
	struct load load = load_of(PLAN_FIO, "bs=4k\nbs=8k\ndirect=1\nbuffered=1\n");

	assert_int_equal(load.sizes[0].part[0].bytes_min, 8192);
	assert_false(load.direct);
}

/* tests/golden/fio/option-names.txt: every name and alias that fio 3.33 lists in its own help. */
static void every_name_of_fio_is_known(void **state)
{
	char *names = file_text("SSDASSAY_TESTS", "golden/fio/option-names.txt"), *rest = names, *name;
	uint32_t count = 0;

	while ((name = strsep(&rest, "\n"))) {
		char text[128], unknown[128];
		struct fault fault = { 0 };

		if (!*name)
			continue;
		count++;
		snprintf(text, sizeof(text), "[a]\n%s=1\n", name);
		snprintf(unknown, sizeof(unknown), "%s is not known", name);
		if (plan_fault(PLAN_FIO, text, &fault) && !strncmp(fault.text, unknown, strlen(unknown)))
			fail_msg("%s", fault.text);
	}
	assert_true(count > 150);
	free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fio_files_get_warnings),
		cmocka_unit_test(strict_turns_them_into_faults),
		cmocka_unit_test(what_makes_a_difference_is_left_alone),
		cmocka_unit_test(every_name_of_fio_is_known),
		cmocka_unit_test(fio_mends_batches_that_are_too_large),
		cmocka_unit_test(the_last_of_two_lines_counts_in_fio_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
