#include "support.h"

#include <stdio.h>
#include "report/model.h"
#include "report/report.h"
#include "report/text_table.h"
#include "report/utf8.h"

static void show(struct fake_file *file, enum fake_kind kind, uint32_t width, bool color, struct text *out)
{
	struct report_layout layout = { .color = color, .width = width };

	fake_open(file, kind, 30);
	assert_int_equal(report_text(file->store, &layout, out, NULL), 0);
}

static void every_kind_of_run_is_golden(void **state)
{
	for (int kind = 0; kind < FAKE_KINDS; kind++) {
		struct fake_file file;
		struct text out = { 0 };
		char name[64];

		show(&file, kind, 0, false, &out);
		snprintf(name, sizeof(name), "%s.txt", fake_kind_name[kind]);
		assert_golden(name, &out);
		text_release(&out);
		fake_close(&file);
	}
}

static void no_line_is_wider_than_the_terminal(void **state)
{
	for (int kind = 0; kind < FAKE_KINDS; kind++) {
		struct fake_file file;
		struct text out = { 0 };
		char *line, *rest;
		bool table = false;

		show(&file, kind, 100, false, &out);
		for (rest = out.data; (line = strsep(&rest, "\n"));) {
			table = strncmp(line, "step", 4) == 0 || (table && line[0]);
			if (table)
				assert_in_range(utf8_columns(line), 0, 100);
		}
		text_release(&out);
		fake_close(&file);
	}
}

/* ESC, and C1 controls, which some terminals obey as well. */
static void names_cannot_drive_the_terminal(void **state)
{
	struct fake_file file;
	struct text out = { 0 };

	show(&file, FAKE_HOSTILE, 80, false, &out);
	for (size_t i = 0; i < out.bytes; i++) {
		unsigned char c = (unsigned char)out.data[i];

		assert_true(c >= 0x20 || c == '\n');
		assert_false(c == 0xc2 && (unsigned char)out.data[i + 1] < 0xa0);
	}
	text_release(&out);
	fake_close(&file);
}

static void colours_are_only_used_when_asked_for(void **state)
{
	struct fake_file file;
	struct text out = { 0 };

	show(&file, FAKE_QUICK, 0, true, &out);
	assert_non_null(strchr(text_data(&out), '\x1b'));
	text_release(&out);
	fake_close(&file);
}

/* One model: the table of a run says what its document says. */
static void the_table_agrees_with_the_model(void **state)
{
	struct fake_file file;
	struct text out = { 0 };
	struct report_model *model;
	char expected[64];

	show(&file, FAKE_SWEEP, 0, false, &out);
	assert_int_equal(report_model_new(file.store, REPORT_ALL_TARGETS, &model, NULL), 0);
	for (uint32_t i = 0; i < model->step_count; i++) {
		const struct report_op *op = &model->steps[i].loads[0].op[IO_READ];
		const char *line = strstr(text_data(&out), model->steps[i].point);

		assert_non_null(line);
		snprintf(expected, sizeof(expected), " %.0f ", op->iops);
		assert_non_null(strstr(line, expected));
	}
	report_model_free(model);
	text_release(&out);
	fake_close(&file);
}

static void columns_are_counted_as_terminals_do(void **state)
{
	assert_int_equal(utf8_columns("abc"), 3);
	assert_int_equal(utf8_columns("caf\xc3\xa9"), 4);
	assert_int_equal(utf8_columns("cafe\xcc\x81"), 4);
	assert_int_equal(utf8_columns("\xe7\xa1\xac\xe7\x9b\x98"), 4);
	assert_int_equal(utf8_columns("\xf0\x9f\x94\xa5"), 2);
	assert_int_equal(utf8_length("\xc0\x80"), 0);
	assert_int_equal(utf8_length("\xed\xa0\x80"), 0);
	assert_int_equal(utf8_length("\xf4\x90\x80\x80"), 0);
	assert_int_equal(utf8_length("\xe2\x82"), 0);
}

static void a_narrow_table_leaves_out_half_numbers_and_keeps_both_ends_of_names(void **state)
{
	struct text_table table = { .elastic = { true }, .optional = { [1] = TEXT_TABLE_FIRST_OUT, [2] = TEXT_TABLE_LAST_OUT } };
	struct text out = { 0 };

	text_table_row(&table);
	text_table_row(&table);
	text_table_set(&table, 0, TEXT_PLAIN, "sequential-q8t1");
	text_table_set(&table, 1, TEXT_PLAIN, "(1-2)");
	text_table_set(&table, 2, TEXT_PLAIN, "1.31 ms");
	text_table_set(&table, 3, TEXT_PLAIN, "99");
	text_table_name(&table, 3, TEXT_PLAIN, "n");
	assert_true(text_table_holds(&table, 3));
	assert_false(text_table_holds(&table, 4));
	text_table_write(&table, 35, &out);
	assert_non_null(strstr(text_data(&out), "sequential-q8t1  (1-2)  1.31 ms  99\n"));
	text_clear(&out);
	text_table_write(&table, 28, &out);
	assert_string_equal(text_data(&out), "                          n\nsequential-q8t1  1.31 ms  99\n");
	text_clear(&out);
	text_table_write(&table, 23, &out);
	assert_non_null(strstr(text_data(&out), "seque\xe2\x80\xa6" "q8t1  1.31 ms  99\n"));
	text_clear(&out);
	text_table_write(&table, 14, &out);
	assert_non_null(strstr(text_data(&out), "seque\xe2\x80\xa6" "q8t1  99\n"));
	text_release(&out);
	text_table_release(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_run_is_golden),
		cmocka_unit_test(no_line_is_wider_than_the_terminal),
		cmocka_unit_test(names_cannot_drive_the_terminal),
		cmocka_unit_test(colours_are_only_used_when_asked_for),
		cmocka_unit_test(the_table_agrees_with_the_model),
		cmocka_unit_test(columns_are_counted_as_terminals_do),
		cmocka_unit_test(a_narrow_table_leaves_out_half_numbers_and_keeps_both_ends_of_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
