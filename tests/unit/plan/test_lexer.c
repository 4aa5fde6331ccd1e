/* Lines, comments, variables, includes. */
#include "fixture.h"
#include <sys/stat.h>
#include <unistd.h>

static void white_space_and_comments_are_skipped(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, "\xef\xbb\xbf; first\r\n# second\r\n\r\n  [a b]  ; "
						 "third\r\n\tbs = 8k\t# fourth\r\n"
						 "title=50% #1; not cut at;this\r\ndirect");
	struct plan_instance *instance = instance_of(plan, "a b", 0, 0);

	assert_int_equal(instance->loads[0].sizes[0].part[0].bytes_min, 8192);
	assert_true(instance->loads[0].direct);
	assert_string_equal(plan->steps[0].title, "50%");
	assert_int_equal(plan->steps[0].line, 4);
	free(instance);
	plan_free(plan);
}

static void names_keep_every_letter(void **state)
{
	static const char *const names[] = { "a\tb", "say \"hi\"", "größe",      "\xf0\x9f\x92\xbe",
					     "a:b",  "50%",        "back\\slash" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char text[128];
		struct plan *plan;

		snprintf(text, sizeof(text), "[%s]\nbs=4k\n", names[i]);
		plan = plan_of(PLAN_NATIVE, text);
		assert_string_equal(plan->steps[0].name, names[i]);
		plan_free(plan);
		plan = plan_of(PLAN_FIO, text);
		assert_string_equal(plan->steps[0].name, names[i]);
		plan_free(plan);
	}
}

static void variables_are_put_in(void **state)
{
	struct plan *plan = plan_of(PLAN_FIO, "[a]\nbs=${TEST_SIZE}\nfilename=/tmp/"
					      "${TEST_NAME}.0\nnumjobs=2*$ncpus\n"
					      "iodepth=$ncpus\n");
	struct plan_instance *instance = instance_of(plan, "a", 0, 0);

	assert_int_equal(instance->loads[0].sizes[0].part[0].bytes_min, 65536);
	assert_string_equal(plan->targets[0], "/tmp/disk.0");
	assert_int_equal(instance->loads[0].numjobs, 8);
	assert_int_equal(instance->loads[0].iodepth, 4);
	free(instance);
	plan_free(plan);
}

static void sums_around_ncpus_are_worked_out(void **state)
{
	static const struct { const char *text; uint32_t jobs;
	} rows[] = {
		{ "$ncpus", 4 },      { "$ncpus*3", 12 }, { "($ncpus+2)*2", 12 },
		{ "2+$ncpus*2", 10 }, { "$ncpus/2", 2 },  { "$ncpus-1", 3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char lines[64];

		snprintf(lines, sizeof(lines), "numjobs=%s\n", rows[i].text);
		assert_int_equal(load_of(PLAN_NATIVE, lines).numjobs, rows[i].jobs);
	}
}

static void variables_that_are_not_set_are_faults(void **state)
{
	static const struct { const char *text; uint32_t column; const char *says; } rows[] = {
		{ "[a]\nbs=${NOT_SET}\n", 4, "NOT_SET is not set" }, { "[a]\nbs=4${x\n", 5, "closing }" },
		{ "[a]\nsize=2*$mb_memory\n", 8, "$mb_memory" }, { "[a]\nbs=$pagesize\n", 4, "$pagesize" },
		{ "[a]\nnumjobs=$ncpus/0\n", 9, "whole number" },
		{ "[a]\nbs=${TEST_NAME}\n", 4, "\"disk\" is no size" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fault fault = { 0 };

		assert_int_equal(plan_fault(PLAN_NATIVE, rows[i].text, &fault), -22);
		if (fault.line != 2 || fault.column != rows[i].column || !strstr(fault.text, rows[i].says))
			fail_msg("%s: %u:%u %s", rows[i].text, fault.line, fault.column, fault.text);
	}
}

static char folder[] = "/tmp/plan-lexer-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int make_files(void **state)
{
	char path[256];

	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/sub", folder);
	mkdir(path, 0700);
	write_file("global.inc", "[global]\nbs=8k\n");
	write_file("bad.inc", "; nothing\n\nbs=4x\n");
	write_file("self.inc", "include self.inc\n");
	write_file("sub/outer.inc", "include inner.inc\n");
	write_file("sub/inner.inc", "iodepth=7\n");
	return 0;
}

static int remove_files(void **state)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static void includes_take_their_place(void **state)
{
	struct plan_options options = options_of(PLAN_NATIVE);
	struct plan *plan;
	struct plan_instance *instance;

	options.directory = folder;
	plan = plan_of_options(&options, "include global.inc\n[a]\nrw=write\n  include  sub/outer.inc ; "
					 "deeper\nnumjobs=2\n");
	instance = instance_of(plan, "a", 0, 0);
	assert_int_equal(instance->loads[0].sizes[0].part[0].bytes_min, 8192);
	assert_int_equal(instance->loads[0].iodepth, 7);
	assert_int_equal(instance->loads[0].numjobs, 2);
	assert_string_equal(plan->text, "[global]\nbs=8k\n[a]\nrw=write\niodepth=7\nnumjobs=2\n");
	free(instance);
	plan_free(plan);
}

static void faults_in_includes_name_the_included_file(void **state)
{
	static const struct { const char *text; uint32_t line, column; const char *source, *says; } rows[] = {
		{ "[a]\ninclude bad.inc\n", 3, 4, "bad.inc", "no size" },
		{ "[a]\ninclude missing.inc\n", 2, 9, "text", "No such file" },
		{ "[a]\ninclude sub\n", 2, 9, "text", "not a regular file" },
		{ "[a]\ninclude\n", 2, 8, "text", "needs a file name" },
		{ "[a]\ninclude self.inc\n", 1, 9, "self.inc", "include itself" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct plan_options options = options_of(PLAN_NATIVE);
		struct fault fault = { 0 };
		struct plan *plan = NULL;

		options.directory = folder;
		assert_int_equal(plan_parse(rows[i].text, &options, &plan, &fault), -22);
		if (fault.line != rows[i].line || fault.column != rows[i].column ||
		    !strstr(fault.text, rows[i].says) || !strstr(fault.source, rows[i].source))
			fail_msg("%s: %s %u:%u %s", rows[i].text, fault.source, fault.line, fault.column,
				 fault.text);
	}
}

static void includes_are_refused_without_a_folder(void **state)
{
	struct fault fault = { 0 };

	assert_int_equal(plan_fault(PLAN_NATIVE, "include /etc/passwd\n", &fault), -22);
	assert_non_null(strstr(fault.text, "not read from a file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(white_space_and_comments_are_skipped),
		cmocka_unit_test(names_keep_every_letter),
		cmocka_unit_test(variables_are_put_in),
		cmocka_unit_test(sums_around_ncpus_are_worked_out),
		cmocka_unit_test(variables_that_are_not_set_are_faults),
		cmocka_unit_test(includes_take_their_place),
		cmocka_unit_test(faults_in_includes_name_the_included_file),
		cmocka_unit_test(includes_are_refused_without_a_folder),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
