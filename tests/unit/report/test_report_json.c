#include "support.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include "report/json_writer.h"
#include "report/model.h"
#include "report/report.h"

static json_t *document(enum fake_kind kind, struct fake_file *file)
{
	struct text out = { 0 };
	struct fault fault = { 0 };
	json_error_t error;
	json_t *json;

	fake_open(file, kind, 30);
	assert_int_equal(report_json(file->store, &out, &fault), 0);
	json = json_loads(text_data(&out), JSON_REJECT_DUPLICATES, &error);
	if (!json)
		fail_msg("%s at %d:%d", error.text, error.line, error.column);
	text_release(&out);
	return json;
}

static const json_t *step_load(const json_t *json, size_t step, size_t load)
{
	return json_array_get(json_object_get(json_array_get(json_object_get(json, "steps"), step), "loads"),
			      load);
}

static const json_t *percentile(const json_t *latency, double p)
{
	const json_t *list = json_object_get(latency, "percentiles");
	json_t *entry;
	size_t index;

	json_array_foreach(list, index, entry)
		if (json_number_value(json_object_get(entry, "p")) == p)
			return entry;
	fail_msg("no percentile %g", p);
	return NULL;
}

static double number(const json_t *object, const char *key)
{
	assert_true(json_is_number(json_object_get(object, key)));
	return json_number_value(json_object_get(object, key));
}

static void every_kind_of_run_is_one_valid_document_with_unique_keys(void **state)
{
	for (int kind = 0; kind < FAKE_KINDS; kind++) {
		struct fake_file file;
		json_t *json = document(kind, &file);

		assert_int_equal(json_integer_value(json_object_get(json, "schema")), 1);
		assert_true(json_array_size(json_object_get(json, "steps")) > 0);
		json_decref(json);
		fake_close(&file);
	}
}

static void names_of_the_interface_are_there(void **state)
{
	static const char *const top[] = { "ssdassay", "schema", "status",   "run",   "host",
					   "drives",   "steps",	 "findings", "checks" };
	static const char *const step[] = {
		"name",	  "group",  "round",	  "point",	 "repeat", "kind",
		"values", "status", "started_ns", "duration_ns", "steady", "loads"
	};
	static const char *const load[] = { "name",  "target", "engine", "queue_depth", "read",
					    "write", "trim",   "flush",	 "fsync" };
	static const char *const op[] = {
		"ios",	      "bytes",	     "errors",	    "iops",    "bytes_per_second",
		"service_ns", "response_ns", "lateness_ns", "slow_ios"
	};
	struct fake_file file;
	json_t *json = document(FAKE_QUICK, &file);
	const json_t *first = step_load(json, 0, 0);

	for (size_t i = 0; i < sizeof(top) / sizeof(*top); i++)
		assert_non_null(json_object_get(json, top[i]));
	for (size_t i = 0; i < sizeof(step) / sizeof(*step); i++)
		assert_non_null(json_object_get(json_array_get(json_object_get(json, "steps"), 0), step[i]));
	for (size_t i = 0; i < sizeof(load) / sizeof(*load); i++)
		assert_non_null(json_object_get(first, load[i]));
	for (size_t i = 0; i < sizeof(op) / sizeof(*op); i++)
		assert_non_null(json_object_get(json_object_get(first, "read"), op[i]));
	assert_int_equal(json_array_size(json_object_get(json, "steps")), 40);
	json_decref(json);
	fake_close(&file);
}

static void check_latency(const json_t *latency)
{
	double last = number(latency, "min"), max = number(latency, "max");
	json_t *entry;
	size_t index;

	assert_true(number(latency, "mean") >= last && number(latency, "mean") <= max);
	json_array_foreach(json_object_get(latency, "percentiles"), index, entry) {
		const json_t *value = json_object_get(entry, "value");

		if (json_is_null(value)) {
			assert_true(json_integer_value(json_object_get(entry, "needs")) > 0);
			if (!json_object_get(entry, "of_step"))
				continue;
			assert_true(number(entry, "of_step") >= last && number(entry, "of_step") <= max);
			assert_true(number(latency, "n") * (1 - number(entry, "p") / 100) >= 9.999 ||
				    number(latency, "n") * number(entry, "p") / 100 >= 9.999);
			last = number(entry, "of_step");
			continue;
		}
		assert_true(json_number_value(value) >= last && json_number_value(value) <= max);
		last = json_number_value(value);
		if (json_is_number(json_object_get(entry, "low"))) {
			assert_true(number(entry, "low") <= last);
			assert_true(number(entry, "high") >= last);
		}
	}
}

static void percentiles_rise_between_min_and_max_inside_their_intervals(void **state)
{
	for (int kind = 0; kind < FAKE_KINDS; kind++) {
		struct fake_file file;
		json_t *json = document(kind, &file), *step, *load;
		size_t i, j;

		json_array_foreach(json_object_get(json, "steps"), i, step)
			json_array_foreach(json_object_get(step, "loads"), j, load)
				for (int op = 0; op < IO_OPS; op++) {
			const json_t *latency =
				json_object_get(json_object_get(load, io_op_name(op)), "service_ns");

			if (json_integer_value(json_object_get(latency, "n")) > 0)
				check_latency(latency);
				}
		json_decref(json);
		fake_close(&file);
	}
}

/* Enough I/Os that came too unevenly tell of themselves; too few tell nothing. */
static void a_percentile_of_uneven_ios_is_that_of_the_step(void **state)
{
	struct histogram *histogram = malloc(sizeof(*histogram));
	struct report_percentile percentile;

	histogram_clear(histogram);
	for (uint32_t i = 1; i <= 100000; i++)
		histogram_record(histogram, i <= 99800 ? 1000 : 90000);
	percentile = report_percentile_of(histogram, 99.9, 40000);
	assert_int_equal(percentile.grade, REPORT_GOOD);
	assert_false(percentile.of_step);
	percentile = report_percentile_of(histogram, 99.9, 200);
	assert_int_equal(percentile.grade, REPORT_REFUSED);
	assert_true(percentile.of_step);
	assert_false(percentile.bounded);
	assert_in_range(percentile.value_ns, 89600, 90000);
	assert_true(percentile.needs > 100000);
	percentile = report_percentile_of(histogram, 99.999, 200);	/* one beyond: not even by their number */
	assert_int_equal(percentile.grade, REPORT_REFUSED);
	assert_false(percentile.of_step);
	assert_int_equal(percentile.value_ns, 0);
	free(histogram);
}

static void a_percentile_without_enough_samples_is_null_and_says_what_it_needs(void **state)
{
	struct fake_file file;
	json_t *json = document(FAKE_EMPTY, &file);
	const json_t *latency = json_object_get(json_object_get(step_load(json, 3, 0), "read"), "service_ns");
	const json_t *p999 = percentile(latency, 99.9);

	assert_int_equal(json_integer_value(json_object_get(latency, "n")), 4);
	assert_true(json_is_null(json_object_get(p999, "value")));
	assert_in_range(json_integer_value(json_object_get(p999, "needs")), 3600, 3700);
	assert_true(json_is_null(json_object_get(p999, "low")));
	json_decref(json);
	fake_close(&file);
}

static void the_median_of_four_long_reads_is_told(void **state)
{
	struct fake_file file;
	json_t *json = document(FAKE_EMPTY, &file);
	const json_t *latency = json_object_get(json_object_get(step_load(json, 3, 0), "read"), "service_ns");

	assert_true(fabs(number(percentile(latency, 50), "value") - 30e9) < 0.3e9);
	json_decref(json);
	fake_close(&file);
}

static void a_load_without_io_has_nulls_instead_of_nans(void **state)
{
	struct fake_file file;
	json_t *json = document(FAKE_EMPTY, &file);
	const json_t *nothing = json_object_get(step_load(json, 0, 0), "read");
	const json_t *instant = json_object_get(step_load(json, 1, 0), "read");

	assert_float_equal(number(nothing, "iops"), 0, 0);
	assert_true(json_is_null(json_object_get(instant, "iops")));
	assert_true(json_is_null(json_object_get(json_object_get(nothing, "service_ns"), "mean")));
	assert_int_equal(json_integer_value(json_object_get(json_object_get(nothing, "service_ns"), "n")), 0);
	assert_string_equal(json_string_value(json_object_get(json, "status")), "interrupted");
	json_decref(json);
	fake_close(&file);
}

static void response_and_lateness_are_null_in_closed_loops_only(void **state)
{
	struct fake_file file;
	json_t *json = document(FAKE_QUICK, &file);
	const json_t *op = json_object_get(step_load(json, 0, 0), "read");

	assert_true(json_is_null(json_object_get(op, "response_ns")));
	assert_true(json_is_null(json_object_get(op, "lateness_ns")));
	json_decref(json);
	fake_close(&file);
	json = document(FAKE_OPEN, &file);
	op = json_object_get(step_load(json, 0, 0), "read");
	assert_true(number(json_object_get(op, "response_ns"), "mean") >
		    number(json_object_get(op, "service_ns"), "mean"));
	assert_true(number(json_object_get(op, "lateness_ns"), "mean") > 0);
	assert_true(json_is_null(
		json_object_get(json_object_get(step_load(json, 0, 0), "queue_depth"), "asked")));
	json_decref(json);
	fake_close(&file);
}

static void flush_fsync_and_trim_have_histograms_of_their_own(void **state)
{
	struct fake_file file;
	json_t *json = document(FAKE_OPEN, &file);
	const json_t *load = step_load(json, 0, 0);

	assert_int_equal(json_integer_value(json_object_get(json_object_get(load, "fsync"), "ios")), 180);
	assert_true(number(json_object_get(json_object_get(load, "fsync"), "service_ns"), "mean") >
		    4 * number(json_object_get(json_object_get(load, "trim"), "service_ns"), "mean"));
	json_decref(json);
	fake_close(&file);
}

static void rates_are_counts_over_the_measured_time(void **state)
{
	struct fake_file file;
	json_t *json = document(FAKE_OPEN, &file);
	const json_t *load = step_load(json, 0, 0), *op = json_object_get(load, "write");
	double seconds = number(load, "measured_ns") / 1e9;

	assert_float_equal(number(op, "iops"), number(op, "ios") / seconds, 1e-9);
	assert_float_equal(number(op, "bytes_per_second"), number(op, "bytes") / seconds, 1e-6);
	json_decref(json);
	fake_close(&file);
}

static void hostile_strings_come_back_unchanged(void **state)
{
	struct fake_file file;
	const struct step_record *steps;
	uint32_t count;
	json_t *json = document(FAKE_HOSTILE, &file),
	       *step = json_array_get(json_object_get(json, "steps"), 0);

	assert_int_equal(store_steps(file.store, &steps, &count), 0);
	assert_string_equal(json_string_value(json_object_get(step, "name")), steps[0].name);
	assert_non_null(strchr(steps[0].name, '\t'));
	assert_non_null(strchr(steps[0].name, '\n'));
	assert_non_null(strchr(steps[0].name, '\x1b'));
	assert_non_null(json_object_get(json_object_get(json, "host"), "unreadable"));
	json_decref(json);
	fake_close(&file);
}

static void all_control_characters_are_escaped(void **state)
{
	struct json_writer writer;
	struct text out = { 0 };
	char every[0x20 + 2] = { 0 };
	json_t *json;

	for (int c = 1; c < 0x20; c++)
		every[c - 1] = (char)c;
	every[0x1f] = 0x7f;
	json_writer_init(&writer, &out, 0);
	json_open(&writer, NULL, '{');
	json_text(&writer, "a\tb", every);
	json_text(&writer, "broken", "\xff\xc0\x80\xed\xa0\x80\xf5x\xe2\x82");
	json_number(&writer, "nan", NAN);
	json_number(&writer, "inf", INFINITY);
	json_number(&writer, "tenth", 0.1);
	json_u64(&writer, "big", UINT64_MAX / 2);
	json_close(&writer, '}');
	for (size_t i = 0; i < out.bytes; i++)
		assert_true((unsigned char)out.data[i] >= 0x20 && out.data[i] != 0x7f);
	json = json_loads(text_data(&out), JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(json);
	assert_string_equal(json_string_value(json_object_get(json, "a\tb")), every);
	assert_true(json_is_null(json_object_get(json, "nan")) && json_is_null(json_object_get(json, "inf")));
	assert_float_equal(json_real_value(json_object_get(json, "tenth")), 0.1, 0);
	assert_non_null(strstr(text_data(&out), "0.1"));
	assert_null(strstr(text_data(&out), "0.1000"));
	json_decref(json);
	text_release(&out);
}

static void the_document_is_golden(void **state)
{
	static const enum fake_kind kinds[] = { FAKE_EMPTY, FAKE_OPEN };

	for (int i = 0; i < 2; i++) {
		struct fake_file file;
		struct text out = { 0 };
		char name[64];

		fake_open(&file, kinds[i], 0);
		assert_int_equal(report_json(file.store, &out, NULL), 0);
		snprintf(name, sizeof(name), "%s.json", fake_kind_name[kinds[i]]);
		assert_golden(name, &out);
		text_release(&out);
		fake_close(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_run_is_one_valid_document_with_unique_keys),
		cmocka_unit_test(names_of_the_interface_are_there),
		cmocka_unit_test(percentiles_rise_between_min_and_max_inside_their_intervals),
		cmocka_unit_test(a_percentile_of_uneven_ios_is_that_of_the_step),
		cmocka_unit_test(a_percentile_without_enough_samples_is_null_and_says_what_it_needs),
		cmocka_unit_test(the_median_of_four_long_reads_is_told),
		cmocka_unit_test(a_load_without_io_has_nulls_instead_of_nans),
		cmocka_unit_test(response_and_lateness_are_null_in_closed_loops_only),
		cmocka_unit_test(flush_fsync_and_trim_have_histograms_of_their_own),
		cmocka_unit_test(rates_are_counts_over_the_measured_time),
		cmocka_unit_test(hostile_strings_come_back_unchanged),
		cmocka_unit_test(all_control_characters_are_escaped),
		cmocka_unit_test(the_document_is_golden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
