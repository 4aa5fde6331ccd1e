/* Findings about the drive's state and its own record of errors, on run files written by hand. */
#include "made_run.h"

/* The sentence of the finding of that kind; NULL = there is none. */
static const char *found(struct made_run *made, const char *kind)
{
	const struct finding_record *findings;
	uint32_t count;

	assert_int_equal(store_findings(made->store, &findings, &count), 0);
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(findings[i].kind, kind))
			return findings[i].text;
	return NULL;
}

static void write_with_facts(struct made_run *made, const char *before, const char *after)
{
	made_run_init(made);
	made->drive.before_json = before;
	made->drive.after_json = after;
	made_run_write(made);
	made_run_conclude(made, NULL);
}

static void new_entries_of_the_error_log_are_told(void **state)
{
	struct made_run made;
	const char *text;

	write_with_facts(&made, "{\"health\":{\"error_log_entries\":17}}",
			 "{\"health\":{\"error_log_entries\":20},\"error_log\":["
			 "{\"number\":20,\"queue\":0,\"status\":265,\"meaning\":\"invalid log page\",\"block\":0},"
			 "{\"number\":19,\"queue\":2,\"status\":641,\"meaning\":\"unrecovered read error\",\"block\":999},"
			 "{\"number\":18,\"queue\":1,\"status\":1777,\"meaning\":null,\"block\":4711},"
			 "{\"number\":17,\"queue\":1,\"status\":641,\"meaning\":\"unrecovered read error\",\"block\":1}]}");
	text = found(&made, "error_log");
	assert_non_null(text);
	assert_non_null(strstr(text, "3 new entries"));
	assert_non_null(strstr(text, "2 of them of reads and writes, first: status 0x6f1 at block 4711"));
	made_run_release(&made);
}

static void questions_that_the_drive_does_not_answer_are_told_from_failed_io(void **state)
{
	struct made_run made;
	const char *text;

	write_with_facts(&made, "{\"health\":{\"error_log_entries\":17}}",
			 "{\"health\":{\"error_log_entries\":18},\"error_log\":["
			 "{\"number\":18,\"queue\":0,\"status\":265,\"meaning\":\"invalid log page\",\"block\":0}]}");
	text = found(&made, "error_log");
	assert_non_null(text);
	assert_non_null(strstr(text, "1 new entry"));
	assert_non_null(strstr(text, "none of reads or writes"));
	made_run_release(&made);
}

static void a_log_that_did_not_grow_or_is_not_known_is_no_finding(void **state)
{
	static const char *const after[] = {
		"{\"health\":{\"error_log_entries\":17},\"error_log\":[{\"number\":17,\"queue\":1}]}",
		"{\"health\":{\"error_log_entries\":null},\"error_log\":null}", "{\"error_log\":7}", "{",
	};

	for (int i = 0; i < 4; i++) {
		struct made_run made;

		write_with_facts(&made, "{\"health\":{\"error_log_entries\":17}}", after[i]);
		assert_null(found(&made, "error_log"));
		made_run_release(&made);
	}
}

static void what_the_run_cost_the_drive_is_told(void **state)
{
	struct made_run made;
	const char *text;

	write_with_facts(&made, "{\"health\":{\"host_write_bytes\":1000000000,\"nand_write_bytes\":2000000000,\"used_percent\":3}}",
			 "{\"health\":{\"host_write_bytes\":3000000000,\"nand_write_bytes\":7000000000,\"used_percent\":4}}");
	text = found(&made, "wear");
	assert_non_null(text);
	assert_non_null(strstr(text, "took 2.00 GB from the host"));
	assert_non_null(strstr(text, "5.00 GB to its flash (write amplification 2.50)"));
	assert_non_null(strstr(text, "from 3 to 4 %"));
	made_run_release(&made);
	write_with_facts(&made, "{\"health\":{\"host_write_bytes\":1000000000,\"nand_write_bytes\":null,\"used_percent\":3}}",
			 "{\"health\":{\"host_write_bytes\":3000000000,\"nand_write_bytes\":null,\"used_percent\":3}}");
	text = found(&made, "wear");
	assert_non_null(text);
	assert_null(strstr(text, "flash"));
	assert_null(strstr(text, "rated life"));
	made_run_release(&made);
	write_with_facts(&made, "{\"health\":{\"host_write_bytes\":1000000000}}",
			 "{\"health\":{\"host_write_bytes\":1000000000}}");
	assert_null(found(&made, "wear"));
	made_run_release(&made);
}

static void a_drive_that_was_not_purged_is_a_finding_with_the_reason(void **state)
{
	const struct event_record event = { .step = 1, .kind = "not_purged", .text = "/dev/x has no TRIM" };
	struct made_run made;

	made_run_init(&made);
	made.step.kind = "purge";
	made.step.note = PURGE_NOT_DONE;
	made_run_write(&made);
	assert_int_equal(store_put_event(made.store, &event), 0);
	made_run_conclude(&made, NULL);
	assert_non_null(found(&made, "not_purged"));
	assert_non_null(strstr(found(&made, "not_purged"), "NOT purged in step 'a' (/dev/x has no TRIM)"));
	made_run_release(&made);
}

static void a_purge_that_worked_is_none(void **state)
{
	struct made_run made;

	made_run_init(&made);
	made.step.kind = "purge";
	made.step.note = "sanitize, block erase";
	made_run_write(&made);
	made_run_conclude(&made, NULL);
	assert_null(found(&made, "not_purged"));
	made_run_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_entries_of_the_error_log_are_told),
		cmocka_unit_test(questions_that_the_drive_does_not_answer_are_told_from_failed_io),
		cmocka_unit_test(a_log_that_did_not_grow_or_is_not_known_is_no_finding),
		cmocka_unit_test(what_the_run_cost_the_drive_is_told),
		cmocka_unit_test(a_drive_that_was_not_purged_is_a_finding_with_the_reason),
		cmocka_unit_test(a_purge_that_worked_is_none),
	};

	return cmocka_run_group_tests_name("findings about the drive", tests, NULL, NULL);
}
