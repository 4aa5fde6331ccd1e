/* fio's results as a run. The fixtures in fio/ are of fio 3.33 (normal, plus, client, nolat, l, s) and
 * written by hand (two, three: the same numbers as fio 2 and fio 3 write them). */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/text.h"
#include "fixture.h"
#include "store/import.h"

#define FIO(name) FIXTURES "/fio/" name

/* Imports and opens what came out; NULL and the fault when refused. */
static struct store *import_files(struct fixture *fixture, const char *const *paths, uint32_t count,
				  struct fault *fault)
{
	struct import_request request = {
		.paths = paths, .count = count, .version = "0.1.0", .command_line = "[]"
	};
	struct store *store;
	int result;

	*fault = (struct fault){ 0 };
	fixture_remove_run(fixture);
	assert_int_equal(store_create(fixture->path, &store, NULL), 0);
	result = store_import(store, &request, fault);
	store_close(store);
	if (result < 0) {
		assert_int_equal(result, -EBADMSG);
		assert_true(strlen(fault->text) > 0);
		return NULL;
	}
	assert_int_equal(store_open(fixture->path, &store, NULL), 0);
	return store;
}

static struct store *import_one(struct fixture *fixture, const char *path)
{
	struct fault fault;
	struct store *store = import_files(fixture, &path, 1, &fault);

	if (!store)
		fail_msg("%s: %s", path, fault.text);
	return store;
}

static const struct load_record *get_load(struct store *store, uint32_t index, uint32_t expected)
{
	const struct load_record *loads;
	uint32_t count;

	assert_int_equal(store_loads(store, &loads, &count), 0);
	assert_int_equal(count, expected);
	return &loads[index];
}

static bool has_event(struct store *store, const char *text)
{
	const struct event_record *events;
	uint32_t count;

	assert_int_equal(store_events(store, &events, &count), 0);
	for (uint32_t i = 0; i < count; i++)
		if (strstr(events[i].text, text))
			return true;
	return false;
}

static void assert_about(uint64_t value, double expected)
{
	if (fabs((double)value - expected) > expected * 0.005)
		fail_msg("%llu is not about %g", (unsigned long long)value, expected);
}

/* -- JSON -- */

static void json_plus_gives_every_bucket(void **state)
{
	struct store *store = import_one(*state, FIO("plus.json"));
	const struct load_record *reader = get_load(store, 0, 2), *writer = get_load(store, 1, 2);
	const struct op_tally *read = &reader->total->op[IO_READ];
	const struct step_record *steps;
	const struct run_record *run;
	uint32_t count;

	assert_string_equal(reader->name, "reader");
	assert_string_equal(reader->engine, "psync");
	assert_string_equal(reader->engine_note, "imported");
	assert_int_equal(read->ios, 120);
	assert_int_equal(read->bytes, 120 * 4096);
	assert_int_equal(read->service.moments.n, 120);
	assert_int_equal(writer->total->op[IO_WRITE].ios, 128);
	assert_int_equal(writer->total->op[IO_FSYNC].ios, 14);
	assert_int_equal(writer->total->op[IO_FSYNC].service.moments.n, 14);
	assert_int_equal(writer->workers, 2);
	assert_int_equal(store_steps(store, &steps, &count), 0);
	assert_int_equal(count, 2);		/* stonewall: one after the other */
	assert_int_equal(steps[1].started_ns, steps[0].duration_ns);
	assert_non_null(strstr(steps[1].values_json, "\"bs\":4096"));		/* a global option */
	assert_int_equal(store_run(store, &run), 0);
	assert_non_null(strstr(run->plan_title, "fio-3.33"));
	assert_int_equal(run->status, RUN_COMPLETE);
	store_close(store);
}

static void options_tell_where_they_come_from(void **state)
{
	struct store *store = import_one(*state, FIO("normal.json"));
	const char *facts = get_load(store, 0, 2)->facts_json;

	assert_non_null(strstr(facts, "\"rw\":{\"from\":\"job\",\"value\":\"randread\"}"));
	assert_non_null(strstr(facts, "\"bs\":{\"from\":\"global\",\"value\":\"4k\"}"));
	assert_non_null(strstr(facts, "\"iodepth\":{\"from\":\"default\",\"value\":\"1\"}"));
	store_close(store);
}

static void fio_2_and_fio_3_give_the_same_numbers(void **state)
{
	static const char *const paths[] = { FIO("two.json"), FIO("three.json") };

	for (int i = 0; i < 2; i++) {
		struct store *store = import_one(*state, paths[i]);
		const struct load_record *load = get_load(store, 0, 1);
		const struct op_tally *read = &load->total->op[IO_READ];

		assert_int_equal(read->ios, 1000);
		assert_int_equal(read->bytes, 4096000);
		assert_int_equal(load->total->end_ns, 10000000000);
		assert_int_equal(read->service.moments.n, 1000);
		assert_int_equal(read->service.moments.min_ns, 100000);
		assert_int_equal(read->service.moments.max_ns, 20000000);
		assert_int_equal(read->service.moments.sum_ns, 300000000);
		assert_about(histogram_percentile(&read->service, 0.01), 110000);
		assert_about(histogram_percentile(&read->service, 0.5), 250000);
		assert_about(histogram_percentile(&read->service, 0.9), 400000);
		assert_about(histogram_percentile(&read->service, 0.99), 900000);
		assert_about(histogram_percentile(&read->service, 0.999), 12000000);
		assert_int_equal(read->slow[0], 10);		/* above 99 %: 12 and 20 ms */
		assert_int_equal(read->slow[1], 1);
		assert_non_null(strstr(load->engine_note, "rebuilt from the percentiles"));
		store_close(store);
	}
}

static void clients_are_loads_and_their_sum_is_left_out(void **state)
{
	struct store *store = import_one(*state, FIO("client.json"));
	const struct load_record *load = get_load(store, 0, 2);

	assert_int_equal(load->total->op[IO_READ].ios, 120);
	assert_non_null(strstr(load->facts_json, "\"hostname\":\"127.0.0.1\""));
	assert_true(has_event(store, "All clients"));
	store_close(store);
}

static void latencies_that_were_not_recorded_stay_empty(void **state)
{
	struct store *store = import_one(*state, FIO("nolat.json"));
	const struct load_record *load = get_load(store, 0, 1);

	assert_int_equal(load->total->op[IO_READ].ios, 256);
	assert_int_equal(load->total->op[IO_READ].service.moments.n, 0);
	assert_non_null(strstr(load->engine_note, "not recorded"));
	store_close(store);
}

static const char *make_file(struct fixture *fixture, const char *name, const char *contents)
{
	static char path[4][160];
	static int turn;
	char *at = path[turn++ % 4];
	int fd;

	snprintf(at, sizeof(path[0]), "%s/%s", fixture->directory, name);
	fd = open(at, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, contents, strlen(contents)), (ssize_t)strlen(contents));
	close(fd);
	return at;
}

/* The first `from` in the text becomes `to`. */
static void replace(struct text *text, const char *from, const char *to)
{
	char *old = text_take(text), *at = strstr(old, from);

	assert_non_null(at);
	text_append_bytes(text, old, (size_t)(at - old));
	text_append(text, to);
	text_append(text, at + strlen(from));
	free(old);
}

static void cumulative_reports_are_used_once(void **state)
{
	struct text text = { 0 };
	const char *path;
	struct store *store;

	assert_int_equal(text_read_file(&text, FIO("two.json"), 1 << 20), 0);
	replace(&text, "\"total_ios\" : 1000", "\"total_ios\" : 950");
	text_append(&text, "\n");
	assert_int_equal(text_read_file(&text, FIO("two.json"), 1 << 20), 0);
	path = make_file(*state, "status.json", text_data(&text));
	store = import_one(*state, path);
	assert_int_equal(get_load(store, 0, 1)->total->op[IO_READ].ios, 1000);
	assert_true(has_event(store, "2 reports in one file"));
	store_close(store);
	unlink(path);
	text_release(&text);
}

static void json_that_contradicts_itself_is_refused_with_the_reason(void **state)
{
	static const struct {
		const char *from, *to, *reason;
	} wrong[] = {
		{ "\"clat\" :", "\"klat\" :",
		  NULL }, /* lat is there instead, without percentiles: accepted */
		{ "\"total_ios\" : 1000", "\"total_ios\" : \"many\"", "total_ios" },
		{ "\"total_ios\" : 1000", "\"total_ios\" : -5", "total_ios" },
		{ "\"io_bytes\" : 4000", "\"oi_bytes\" : 4000", "io_bytes" },
		{ "\"runtime\" : 10000", "\"runtime\" : 1e300", "runtime" },
		{ "\"max\" : 20000", "\"max\" : 50", "contradict" },
		{ "\"mean\" : 300.00", "\"mean\" : 90000.00", "contradict" },
		{ "\"min\" : 100,", "", "\"min\" is missing" },
		{ "\"50.000000\" : 250", "\"50.000000\" : 50", "fall" },
		{ "\"50.000000\" : 250", "\"50.000000\" : \"x\"",
		  NULL }, /* reads as 0 < 110: below, so it falls */
		{ "\"50.000000\" : 250", "\"median\" : 250", "percentile \"median\"" },
		{ "\"usr_cpu\" : 1.00\n    }\n  ]\n}", "\"usr_cpu\" : 1.00\n    }\n", "not valid JSON" },
		{ "\"jobs\" : [", "\"works\" : [", "neither JSON of fio" },
		{ "\"read\" : {", "\"mixed\" : {", "cannot be told apart" },
		{ "\"total_ios\" : 1000", "\"total_ios\" : 99999999999999999999", "JSON" },
		/* fio before 2.2: the count is what comes of the other two */
		{ "\"runtime\" : 10000,\n        \"total_ios\" : 1000", "\"runtime\" : 10000", NULL },
		{ "\"runtime\" : 10000,\n        \"total_ios\" : 1000", "\"runtime\" : -10000", "no count of I/Os" },
		{ "\"runtime\" : 10000,\n        \"total_ios\" : 1000", "\"runtime\" : 1e300", "no count of I/Os" },
		{ "\"iops\" : 100.00,\n        \"runtime\" : 10000,\n        \"total_ios\" : 1000",
		  "\"runtime\" : 10000", "neither \"total_ios\"" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct text text = { 0 };
		struct fault fault;
		struct store *store;
		const char *path;

		assert_int_equal(text_read_file(&text, FIO("two.json"), 1 << 20), 0);
		replace(&text, wrong[i].from, wrong[i].to);
		path = make_file(*state, "wrong.json", text_data(&text));
		store = import_files(*state, &path, 1, &fault);
		if (wrong[i].reason && (store || !strstr(fault.text, wrong[i].reason)))
			fail_msg("%s: %s", wrong[i].to, store ? "accepted" : fault.text);
		store_close(store);
		unlink(path);
		text_release(&text);
	}
}

static void bins_that_do_not_add_up_are_refused(void **state)
{
	struct text text = { 0 };
	struct fault fault;
	const char *path;

	assert_int_equal(text_read_file(&text, FIO("plus.json"), 1 << 20), 0);
	replace(&text, "\"N\" : 120", "\"N\" : 121");
	path = make_file(*state, "bins.json", text_data(&text));
	assert_null(import_files(*state, &path, 1, &fault));
	/* slat comes first and has N 0 in psync: the count that was changed is clat's or lat's */
	assert_true(strstr(fault.text, "N is 121") || strstr(fault.text, "latencies"));
	unlink(path);
	text_release(&text);
}

/* -- logs -- */

static int sum_row(void *context, const struct interval_row *row, const struct histogram *histogram)
{
	struct interval_row *sum = context;

	sum->ios += row->ios;
	sum->bytes += row->bytes;
	sum->moments.n += row->moments.n;
	sum->spans++;
	sum->duration_ns = row->duration_ns;
	assert_true(histogram->moments.n == row->moments.n);
	return 0;
}

static void logs_join_their_jobs(void **state)
{
	static const char *const paths[] = {
		FIO("l.json"), FIO("l_bw.1.log"), FIO("l_bw.2.log"), FIO("l_iops.1.log"), FIO("l_iops.2.log"),
		FIO("l_clat.1.log"), FIO("l_clat.2.log"), FIO("l_clat_hist.1.log"), FIO("l_clat_hist.2.log"),
	};
	struct interval_row sum = { 0 };
	const struct step_record *steps;
	struct fault fault;
	struct store *store = import_files(*state, paths, 9, &fault);
	uint32_t count;

	if (!store)
		fail_msg("%s", fault.text);
	get_load(store, 1, 2);
	assert_int_equal(store_steps(store, &steps, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(steps[0].interval_ns, 500000000);
	assert_int_equal(store_each_interval(store, 1, 0, true, sum_row, &sum), 0);
	assert_int_equal(sum.spans, 4);
	assert_int_equal(sum.duration_ns, 500000000);
	assert_in_range(sum.ios, 990, 1010);		/* 500 a second, two seconds */
	assert_in_range(sum.bytes, 990 * 4096, 1010 * 4096);
	assert_in_range(sum.moments.n, 740, 1000);	/* fio leaves out the last histogram */
	store_close(store);
}

static void single_ios_are_counted_once(void **state)
{
	static const char *const paths[] = { FIO("s_bw.1.log"), FIO("s_clat.1.log"), FIO("s_lat.1.log") };
	struct interval_row sum = { 0 };
	struct fault fault;
	struct store *store = import_files(*state, paths, 3, &fault);

	if (!store)
		fail_msg("%s", fault.text);
	assert_int_equal(store_each_interval(store, 1, 0, true, sum_row, &sum), 0);
	assert_int_equal(sum.ios, 32);
	assert_int_equal(sum.bytes, 32 * 4096);
	assert_int_equal(sum.moments.n, 32);
	assert_int_equal(tally_ios(get_load(store, 0, 1)->total), 32); /* summed from the intervals */
	store_close(store);
}

static struct store *import_text(struct fixture *fixture, const char *name, const char *contents,
				 struct fault *fault)
{
	const char *path = make_file(fixture, name, contents);
	struct store *store = import_files(fixture, &path, 1, fault);

	unlink(path);
	return store;
}

static void absolute_times_are_counted_from_the_first_line(void **state)
{
	static const char log[] =
		"1700000001000, 100, 0, 0, 0\n1700000002000, 200, 0, 0, 0\n1700000003000, 300, 0, 0, 0\n";
	struct interval_row sum = { 0 };
	struct fault fault;
	struct store *store = import_text(*state, "x_iops.1.log", log, &fault);

	if (!store)
		fail_msg("%s", fault.text);
	assert_int_equal(store_each_interval(store, 1, 0, true, sum_row, &sum), 0);
	assert_int_equal(sum.spans, 3);
	assert_int_equal(sum.ios, 600);
	assert_true(has_event(store, "since 1970"));
	store_close(store);
}

static void a_gap_in_a_log_is_empty_intervals(void **state)
{
	struct interval_row sum = { 0 };
	struct fault fault;
	struct store *store = import_text(
		*state, "x_iops.1.log", "1000, 100, 1, 0\n2000, 100, 1, 0\n5000, 100, 1, 0\n6000, 1", &fault);

	if (!store)
		fail_msg("%s", fault.text);
	assert_int_equal(store_each_interval(store, 1, 0, true, sum_row, &sum), 0);
	assert_int_equal(sum.spans, 5);
	assert_int_equal(sum.ios, 300);
	assert_true(has_event(store, "cut off"));
	store_close(store);
}

static void hist_line(struct text *text, const char *head, uint32_t bins, uint32_t at, const char *count)
{
	text_append(text, head);
	for (uint32_t i = 0; i < bins; i++)
		text_printf(text, ", %s", i == at ? count : "0");
	text_append(text, "\n");
}

static void histogram_rows_of_fio_2_and_3_give_the_same_latency(void **state)
{
	static const struct { uint32_t bins, at; double expected_ns; } forms[] = {
		{ 1856, 700, 110080 },		/* (700 - 9 * 64) << 9, 512 wide: 63488 .. 63999 */
		{ 1216, 141, 154500 },		/* 154 us in buckets of 2 us */
	};

	for (int i = 0; i < 2; i++) {
		struct text text = { 0 };
		struct interval_row sum = { 0 };
		struct store_series series;
		struct fault fault;
		struct store *store;
		double expected = i == 0 ? (double)(((700 - 9 * 64) << 9) + 255) : 154500;

		hist_line(&text, "1000, 0, 4096", forms[i].bins, forms[i].at, "50");
		hist_line(&text, "2000, 0, 4096", forms[i].bins, forms[i].at, "70");
		store = import_text(*state, "x_clat_hist.1.log", text_data(&text), &fault);
		if (!store)
			fail_msg("%s", fault.text);
		assert_int_equal(store_each_interval(store, 1, 0, true, sum_row, &sum), 0);
		assert_int_equal(sum.moments.n, 120);
		assert_int_equal(sum.ios, 120);
		assert_int_equal(store_step_series(store, 1, STORE_ALL, STORE_ALL, LATENCY_SERVICE, &series),
				 0);
		assert_about((uint64_t)series.p50_ns[1], expected);
		store_series_release(&series);
		store_close(store);
		text_release(&text);
	}
}

static void corrupt_logs_are_refused_with_line_and_reason(void **state)
{
	static const struct { const char *name, *contents, *reason; uint32_t line; } wrong[] = {
		{ "x_iops.1.log", "1000, 1, 0, 0\n2000, 1, 7, 0\n", "direction", 2 },
		{ "x_iops.1.log", "1000, 1, 0, 0\n2000, 1, 0, 0, 0\n", "columns", 2 },
		{ "x_iops.1.log", "1000, 1, 0, 0\n2000, x, 0, 0\n", "no number", 2 },
		{ "x_iops.1.log", "1000, 1, 0, 0\n2000, 1\n", "no number", 2 },
		{ "x_iops.1.log", "60000, 1, 0, 0\n2000, 1, 0, 0\n", "backwards", 2 },
		{ "x_iops.1.log", "1000, 99999999999999999999999, 0, 0\n", "no number", 1 },
		{ "x_iops.1.log", "1000, 1, 0, 0, 0, 0, 0, 0, 0\n", "unexpected", 1 },
		{ "x_iops.1.log", "1, 1, 0, 0\n2, 1, 0, 0\n99000000000, 1, 0, 0\n", "intervals", 0 },
		{ "x_bw.1.log", "1000550020, 498, 0, 40, 0\n", "cannot be right", 0 },	/* one line, a million seconds */
		{ "x_clat_hist.1.log", "1000, 0, 4096, 1, 2, 3\n", "3 buckets", 1 },
		{ "x_thing.1.log", "1000, 1, 0, 0\n", "a log of what", 0 },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct fault fault;
		struct store *store = import_text(*state, wrong[i].name, wrong[i].contents, &fault);

		if (store || !strstr(fault.text, wrong[i].reason) || fault.line != wrong[i].line)
			fail_msg("%s: line %u: %s", wrong[i].contents, fault.line,
				 store ? "accepted" : fault.text);
	}
}

/* What fio 3.7 wrote with --client: bytes of its memory as counts. */
static void histograms_with_stray_memory_are_refused(void **state)
{
	struct text text = { 0 };
	struct fault fault;

	hist_line(&text, "1000, 0, 4096", 1856, 700, "50");
	hist_line(&text, "2000, 0, 4096", 1856, 90, "7308332183992725876");
	assert_null(import_text(*state, "x_clat_hist.1.log", text_data(&text), &fault));
	assert_non_null(strstr(fault.text, "impossible count"));
	assert_int_equal(fault.line, 2);
	text_release(&text);
}

static void logs_with_more_ios_than_the_job_are_refused(void **state)
{
	const char *paths[2] = { FIO("l.json"), NULL };
	struct text text = { 0 };
	struct fault fault;

	hist_line(&text, "500, 0, 4096", 1856, 700, "50000");
	hist_line(&text, "1000, 0, 4096", 1856, 700, "50000");
	paths[1] = make_file(*state, "l_clat_hist.1.log", text_data(&text));
	assert_null(import_files(*state, paths, 2, &fault));
	assert_non_null(strstr(fault.text, "don't belong together"));
	unlink(paths[1]);
	text_release(&text);
}

static void other_files_are_refused(void **state)
{
	static const char *const contents[] = {
		"hello\n", "{}\n", "[1, 2]\n", "{\"jobs\": []}\n", "{\"jobs\": [{}]}\n", "{\"jobs\": [1]}\n"
	};
	const char *missing = "/nonexistent/file";
	struct import_request request = { .paths = &missing, .count = 1 };
	struct fixture *fixture = *state;
	struct fault fault = { 0 };
	struct store *store;

	for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); i++)
		assert_null(import_text(fixture, "other", contents[i], &fault));
	fixture_remove_run(fixture);
	assert_int_equal(store_create(fixture->path, &store, NULL), 0);
	assert_int_equal(store_import(store, &request, &fault), -ENOENT);
	store_close(store);
}

/* What is accepted can be read; what isn't is refused as bad input, never as a failure of our own. */
static void import_mutated(struct fixture *fixture, const char *name, const char *contents,
			   struct random *random)
{
	char *copy = strdup(contents), path[160];
	size_t length = strlen(copy), changes = 1 + random_below(random, 4);
	struct import_request request = { .count = 1 };
	const char *paths[1] = { path };
	struct fault fault = { 0 };
	struct store *store;
	uint64_t rows;
	int result;

	while (changes-- > 0) {
		static const char useful[] = "0123456789,\n\"{}[]-.e ";

		copy[random_below(random, length)] = useful[random_below(random, sizeof(useful) - 1)];
	}
	strcpy(path, make_file(fixture, name, copy));
	request.paths = paths;
	fixture_remove_run(fixture);
	assert_int_equal(store_create(fixture->path, &store, NULL), 0);
	result = store_import(store, &request, &fault);
	if (result == 0)
		result = run_read_all(store, &rows);
	else if (result != -EBADMSG)
		fail_msg("%d %s", result, fault.text);
	else
		result = 0;
	if (result != 0)
		fail_msg("%d when reading", result);
	store_close(store);
	unlink(path);
	free(copy);
}

static void mutated_results_are_imported_or_refused(void **state)
{
	static const char *const names[] = { "plus.json", "two.json", "l_bw.1.log", "l_clat_hist.1.log",
					     "s_clat.1.log" };
	struct random random;

	random_init(&random, 99, 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct text text = { 0 };
		char path[512];

		snprintf(path, sizeof(path), "%s/fio/%s", FIXTURES, names[i]);
		assert_int_equal(text_read_file(&text, path, 1 << 20), 0);
		for (int k = 0; k < 120; k++)
			import_mutated(*state, names[i], text_data(&text), &random);
		text_release(&text);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(json_plus_gives_every_bucket),
		TEST(options_tell_where_they_come_from),
		TEST(fio_2_and_fio_3_give_the_same_numbers),
		TEST(clients_are_loads_and_their_sum_is_left_out),
		TEST(latencies_that_were_not_recorded_stay_empty),
		TEST(cumulative_reports_are_used_once),
		TEST(json_that_contradicts_itself_is_refused_with_the_reason),
		TEST(bins_that_do_not_add_up_are_refused),
		TEST(logs_join_their_jobs),
		TEST(single_ios_are_counted_once),
		TEST(absolute_times_are_counted_from_the_first_line),
		TEST(a_gap_in_a_log_is_empty_intervals),
		TEST(histogram_rows_of_fio_2_and_3_give_the_same_latency),
		TEST(corrupt_logs_are_refused_with_line_and_reason),
		TEST(histograms_with_stray_memory_are_refused),
		TEST(logs_with_more_ios_than_the_job_are_refused),
		TEST(other_files_are_refused),
		TEST(mutated_results_are_imported_or_refused),
	};

	return cmocka_run_group_tests_name("run file, import of fio", tests, NULL, NULL);
}
