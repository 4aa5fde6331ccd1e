/* The data that Explore reads: packed, read back as the page's script does, and within the precision it
 * promises. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include "report/explore.h"
#include "report/explore_pack.h"
#include "report/page.h"
#include "report/report.h"

#define ROWS 6u

/* As numbers() of explore.js. */
static void unpack(const uint8_t *bytes, uint32_t rows, uint32_t planes, uint32_t *values)
{
	uint64_t range = 1ull << (8 * planes), value = 0;

	for (uint32_t i = 0; i < rows; i++) {
		uint64_t zigzag = 0;

		for (uint32_t plane = planes; plane--;)
			zigzag = zigzag << 8 | bytes[plane * rows + i];
		value = (value + (zigzag & 1 ? range - (zigzag + 1) / 2 : zigzag / 2)) % range;
		values[i] = (uint32_t)value;
	}
}

static void times_come_back_in_milliseconds(void **state)
{
	const double t_ns[ROWS] = { 5e5, 1.5e9, 2.5e9, 2.5e9, 86400e9, 864000e9 };
	const double zero[ROWS] = { 0 };
	const struct explore_column column = { "iops", "x", 0, zero };
	static const uint32_t wanted[ROWS] = { 1, 1500, 2500, 2500, 86400000, 864000000 };
	uint32_t read[ROWS];
	uint8_t *bytes;
	size_t count;

	assert_int_equal(explore_pack(t_ns, ROWS, &column, 1, &bytes, &count), 0);
	assert_int_equal(count, ROWS * 6);
	unpack(bytes, ROWS, 4, read);
	assert_memory_equal(read, wanted, sizeof(wanted));
	free(bytes);
}

static void logarithmic_columns_are_precise_to_half_a_thousandth(void **state)
{
	const double t_ns[ROWS] = { 0, 1e9, 2e9, 3e9, 4e9, 5e9 };
	const double values[ROWS] = { NAN, 0, 0.02, 48210, 3.6e12, 1e15 };
	const struct explore_column column = { "ns", "x", 0, values };
	uint32_t read[ROWS];
	uint8_t *bytes;
	size_t count;

	assert_int_equal(explore_pack(t_ns, ROWS, &column, 1, &bytes, &count), 0);
	unpack(bytes + ROWS * 4, ROWS, 2, read);
	assert_int_equal(read[0], 0);
	assert_int_equal(read[1], 1);
	for (uint32_t i = 2; i < ROWS; i++)
		assert_true(fabs(exp((read[i] - 8000.0) / 1000) / values[i] - 1) < 0.00051);
	free(bytes);
}

static void linear_columns_keep_negative_values(void **state)
{
	const double t_ns[ROWS] = { 0, 1e9, 2e9, 3e9, 4e9, 5e9 };
	const double values[ROWS] = { -10, NAN, 84.5, 20, 20, 0 };
	const struct explore_column column = { "value", "x", 0, values };
	struct explore_range range = explore_range_of(&column, ROWS);
	uint32_t read[ROWS];
	uint8_t *bytes;
	size_t count;

	assert_int_equal(explore_pack(t_ns, ROWS, &column, 1, &bytes, &count), 0);
	unpack(bytes + ROWS * 4, ROWS, 2, read);
	for (uint32_t i = 0; i < ROWS; i++)
		if (isnan(values[i]))
			assert_int_equal(read[i], 0);
		else
			assert_true(fabs(range.low + (read[i] - 1) * range.step - values[i]) < 94.5 / 65000);
	free(bytes);
}

static void a_page_has_the_library_once_and_its_licence(void **state)
{
	struct fake_file file;
	struct text out = { 0 };
	const char *page;

	fake_open(&file, FAKE_HOUR, 300);
	assert_int_equal(report_html(&file.store, 1, NULL, &out, NULL), 0);
	page = text_data(&out);
	if (explore_available()) {
		assert_non_null(strstr(page, "script-src 'unsafe-inline'"));
		assert_non_null(strstr(page, "class=\"explore\""));
		assert_non_null(strstr(page, "id=\"uplot-js\""));
		assert_null(strstr(strstr(page, "id=\"uplot-js\"") + 1, "id=\"uplot-js\""));
		assert_non_null(strstr(page, "Permission is hereby granted, free of charge"));
	} else {
		assert_null(strstr(page, "<script"));
		assert_null(strstr(page, "script-src"));
		assert_null(strstr(page, "class=\"explore\""));
	}
	text_release(&out);
	fake_close(&file);
}

static void a_page_without_long_steps_has_no_script(void **state)
{
	struct fake_file file;
	struct text out = { 0 };

	fake_open(&file, FAKE_EMPTY, 0);
	assert_int_equal(report_html(&file.store, 1, NULL, &out, NULL), 0);
	assert_null(strstr(text_data(&out), "id=\"uplot-js\""));
	text_release(&out);
	fake_close(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_come_back_in_milliseconds),
		cmocka_unit_test(logarithmic_columns_are_precise_to_half_a_thousandth),
		cmocka_unit_test(linear_columns_keep_negative_values),
		cmocka_unit_test(a_page_has_the_library_once_and_its_licence),
		cmocka_unit_test(a_page_without_long_steps_has_no_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
