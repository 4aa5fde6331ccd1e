/* Everything written is read back. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "fixture.h"
#include <sqlite3.h>
#include "base/text.h"
#include "store/connection.h"

static struct store *create(struct fixture *fixture)
{
	struct store *store = NULL;
	struct fault fault = { 0 };
	int result = store_create(fixture->path, &store, &fault);

	if (result < 0)
		fail_msg("%d %s", result, fault.text);
	return store;
}

static struct store *open_again(struct fixture *fixture)
{
	struct store *store = NULL;
	struct fault fault = { 0 };
	int result = store_open(fixture->path, &store, &fault);

	if (result < 0)
		fail_msg("%d %s", result, fault.text);
	return store;
}

static void the_run_comes_back(void **state)
{
	struct run_record run = {
		.id = "ab",
		.version = "1.2",
		.started_wall_ns = 1,
		.duration_ns = 2,
		.wall_duration_ns = 3,
		.status = RUN_INTERRUPTED,
		.status_text = "Ctrl-C",
		.plan_name = "n",
		.plan_title = "t",
		.plan_report = "r",
		.plan_text = "x\ny",
		.plan_source = "s",
		.command_line = "[]",
		.scale = 0.5,
		.seed = UINT64_MAX - 5,
		.allow_unwritten = true,
		.strict = false,
		.host_json = NULL,
		.clock = "tsc",
		.ceiling_iops = 1.5e6,
	};
	const struct run_record *back;
	struct store *store = create(*state);

	assert_int_equal(store_put_run(store, &run), 0);
	run.duration_ns = 77;
	assert_int_equal(store_put_run(store, &run), 0);
	assert_int_equal(store_commit(store), 0);
	store_close(store);
	store = open_again(*state);
	assert_int_equal(store_run(store, &back), 0);
	assert_string_equal(back->id, "ab");
	assert_int_equal(back->duration_ns, 77);
	assert_int_equal(back->wall_duration_ns, 3);
	assert_int_equal(back->status, RUN_INTERRUPTED);
	assert_string_equal(back->status_text, "Ctrl-C");
	assert_string_equal(back->plan_text, "x\ny");
	assert_string_equal(back->plan_source, "s");
	assert_true(back->scale == 0.5 && back->ceiling_iops == 1.5e6);
	assert_true(back->seed == UINT64_MAX - 5);
	assert_true(back->allow_unwritten && !back->strict);
	assert_null(back->host_json);
	assert_string_equal(back->clock, "tsc");
	store_close(store);
}

static void a_file_without_a_run_says_so(void **state)
{
	const struct run_record *run;
	struct store *store = create(*state);

	store_close(store);
	store = open_again(*state);
	assert_int_equal(store_run(store, &run), -ENODATA);
	store_close(store);
}

static void drives_and_steps_come_back_in_order(void **state)
{
	struct drive_record drive = { .target = 1,
				      .name = "/dev/x",
				      .kind = "block",
				      .model = "M\xff",
				      .capacity_bytes = 1ull << 40,
				      .block_bytes = 4096,
				      .longest_stall_ns = 9,
				      .after_json = "{}",
				      .truth_json = "{\"t\":0}" };
	struct step_record step = { .id = 7,
				    .name = "w",
				    .group_name = "g",
				    .kind = "fill",
				    .title = "T",
				    .note = "N",
				    .plan_step = 3,
				    .round = 4,
				    .point = 5,
				    .repeat = 6,
				    .path = "rounds:3/0",
				    .values_json = "{}",
				    .status = RUN_FAILED,
				    .status_text = "error: x",
				    .started_ns = 8,
				    .duration_ns = 9,
				    .measured_start_ns = 10,
				    .interval_ns = 11,
				    .steady_json = "{}",
				    .stall_longest_ns = 12 };
	const struct drive_record *drives;
	const struct step_record *steps;
	struct store *store = create(*state);
	uint32_t count;

	assert_int_equal(store_put_drive(store, &drive), 0);
	drive.target = 0;
	assert_int_equal(store_put_drive(store, &drive), 0);
	assert_int_equal(store_put_step(store, &step), 0);
	step.id = 2;
	assert_int_equal(store_put_step(store, &step), 0);
	assert_int_equal(store_commit(store), 0);
	assert_int_equal(store_drives(store, &drives, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(drives[0].target, 0);
	assert_int_equal(drives[1].target, 1);
	assert_string_equal(drives[1].model, "M?");
	assert_null(drives[1].serial);
	assert_true(drives[1].capacity_bytes == 1ull << 40);
	assert_int_equal(drives[1].longest_stall_ns, 9);
	assert_string_equal(drives[1].truth_json, "{\"t\":0}");
	assert_int_equal(store_steps(store, &steps, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(steps[0].id, 2);
	assert_int_equal(steps[1].id, 7);
	assert_int_equal(steps[1].status, RUN_FAILED);
	assert_int_equal(steps[1].plan_step, 3);
	assert_int_equal(steps[1].round, 4);
	assert_int_equal(steps[1].point, 5);
	assert_int_equal(steps[1].repeat, 6);
	assert_int_equal(steps[1].measured_start_ns, 10);
	assert_int_equal(steps[1].interval_ns, 11);
	assert_int_equal(steps[1].stall_longest_ns, 12);
	assert_string_equal(steps[1].group_name, "g");
	store_close(store);
}

static void assert_same_histogram(const struct histogram *a, const struct histogram *b)
{
	assert_int_equal(a->moments.n, b->moments.n);
	assert_int_equal(a->moments.sum_ns, b->moments.sum_ns);
	assert_true(a->moments.min_ns == b->moments.min_ns && a->moments.max_ns == b->moments.max_ns);
	assert_int_equal(a->moments.over_range, b->moments.over_range);
	assert_true(fabs((double)a->moments.sum_squares_ns2 - (double)b->moments.sum_squares_ns2) <=
		    1e-9 * (double)a->moments.sum_squares_ns2);
	assert_memory_equal(a->slot, b->slot, sizeof(a->slot));
}

static void totals_come_back_exactly(void **state)
{
	struct tally *total = tally_new();
	struct load_record load = { .step = 1,
				    .load = 0,
				    .name = "l",
				    .target = 1,
				    .engine = "uring",
				    .engine_note = "no poll",
				    .workers = 3,
				    .depth_asked = 4,
				    .open_loop = true,
				    .rate_asked = 1234.5,
				    .range_start = 5,
				    .range_bytes = 6,
				    .outliers_kept = 7,
				    .outliers_seen = 8,
				    .samples_every = 9,
				    .facts_json = "{}",
				    .total = NULL };
	const struct load_record *loads;
	struct store *store = create(*state);
	struct random random;
	uint32_t count;

	random_init(&random, 1, 2);
	tally_fill(total, &random, 5, 3000, true);
	histogram_record(&total->op[IO_TRIM].service, 1ull << 50);
	total->op[IO_TRIM].slow[7] = 1;
	assert_int_equal(store_put_load(store, &load), 0);
	assert_int_equal(store_loads(store, &loads, &count), 0);
	assert_null(loads[0].total);
	load.total = total;
	assert_int_equal(store_put_load(store, &load), 0);
	assert_int_equal(store_put_load(store, &load), 0);
	assert_int_equal(store_commit(store), 0);
	store_close(store);
	store = open_again(*state);
	assert_int_equal(store_loads(store, &loads, &count), 0);
	assert_int_equal(count, 1);
	assert_string_equal(loads[0].engine_note, "no poll");
	assert_true(loads[0].rate_asked == 1234.5 && loads[0].open_loop);
	assert_int_equal(loads[0].outliers_seen, 8);
	assert_int_equal(loads[0].samples_every, 9);
	assert_non_null(loads[0].total);
	assert_int_equal(loads[0].total->start_ns, total->start_ns);
	assert_int_equal(loads[0].total->end_ns, total->end_ns);
	assert_true(loads[0].total->in_flight_ns == total->in_flight_ns);
	for (int op = 0; op < IO_OPS; op++) {
		const struct op_tally *a = &total->op[op], *b = &loads[0].total->op[op];

		assert_int_equal(a->ios, b->ios);
		assert_int_equal(a->bytes, b->bytes);
		assert_int_equal(a->errors, b->errors);
		assert_memory_equal(a->slow, b->slow, sizeof(a->slow));
		assert_same_histogram(&a->service, &b->service);
		assert_same_histogram(&a->response, &b->response);
		assert_same_histogram(&a->lateness, &b->lateness);
	}
	store_close(store);
	free(total);
}

static void equal_latencies_keep_a_deviation_of_nothing(void **state)
{
	struct tally *total = tally_new();
	struct load_record load = { .step = 1, .total = total };
	const struct load_record *loads;
	struct store *store = create(*state);
	struct histogram *service = &total->op[IO_READ].service;
	uint32_t count;

	/* 1 000 003 times 12 345 678 904 ns: the sum of squares doesn't fit 53 bits and is rounded down */
	for (uint32_t i = 0; i < 1000003; i++)
		histogram_record(service, 12345678904);
	assert_int_equal(store_put_load(store, &load), 0);
	assert_int_equal(store_loads(store, &loads, &count), 0);
	service = (struct histogram *)(uintptr_t)&loads[0].total->op[IO_READ].service;
	assert_true(histogram_stddev_ns(service) >= 0 && histogram_stddev_ns(service) < 12345678904 * 1e-7);
	store_close(store);
	free(total);
}

struct rows {
	struct interval_row row[64];
	uint64_t n[64];
	uint32_t count;
};

static int keep_row(void *context, const struct interval_row *row, const struct histogram *histogram)
{
	struct rows *rows = context;

	assert_true(rows->count < 64);
	rows->n[rows->count] = histogram ? histogram->moments.n : UINT64_MAX;
	rows->row[rows->count++] = *row;
	return 0;
}

static void intervals_come_back_in_order_with_the_empty_ones(void **state)
{
	struct tally *tally = tally_new();
	struct interval_record interval = { .step = 1, .tally = tally, .ramp = true };
	struct store *store = create(*state);
	struct rows rows = { .count = 0 };
	struct random random;
	uint64_t p99;

	random_init(&random, 3, 4);
	tally_fill(tally, &random, 1, 500, false);	/* reads and writes */
	tally->op[IO_WRITE].slow[3] = 2;
	p99 = histogram_percentile(&tally->op[IO_WRITE].service, 0.99);
	assert_int_equal(store_put_interval(store, &interval), 0);
	tally_clear(tally);
	interval.index = 1;
	interval.ramp = false;
	tally->start_ns = 2000000000;
	tally->end_ns = 3000000000;
	tally->spans = 2;
	assert_int_equal(store_put_interval(store, &interval), 0);
	assert_int_equal(store_commit(store), 0);
	assert_int_equal(store_each_interval(store, 1, -1, true, keep_row, &rows), 0);
	assert_int_equal(rows.count, 3);
	assert_int_equal(rows.row[0].op, IO_READ);
	assert_int_equal(rows.row[0].ios, 500);
	assert_int_equal(rows.n[0], 500);
	assert_true(rows.row[0].ramp && !rows.row[2].ramp);
	assert_int_equal(rows.row[1].op, IO_WRITE);
	assert_int_equal(rows.row[1].slow[3], 2);
	assert_int_equal(rows.row[1].p99_ns, p99);
	assert_int_equal(rows.row[1].bytes, 250 * 4096);
	assert_int_equal(rows.row[2].op, IO_WRITE);
	assert_int_equal(rows.row[2].index, 1);
	assert_int_equal(rows.row[2].ios, 0);
	assert_int_equal(rows.row[2].duration_ns, 1000000000);
	assert_int_equal(rows.row[2].spans, 2);
	assert_true(rows.row[2].moments.min_ns == UINT64_MAX);
	assert_int_equal(rows.row[2].p99_ns, 0);
	rows.count = 0;
	assert_int_equal(store_each_interval(store, 1, 1, false, keep_row, &rows), 0);
	assert_int_equal(rows.count, 0);
	assert_int_equal(store_put_interval(store, &interval), -EINVAL);	/* the same interval twice */
	store_close(store);
	free(tally);
}

static void response_and_lateness_have_their_own_series(void **state)
{
	struct tally *tally = tally_new();
	struct interval_record interval = { .step = 1, .tally = tally };
	struct store *store = create(*state);
	struct rows rows = { .count = 0 };
	struct random random;

	random_init(&random, 3, 4);
	tally_fill(tally, &random, 0, 50, true);
	assert_int_equal(store_put_interval(store, &interval), 0);
	assert_int_equal(store_each_interval_of(store, 1, 0, LATENCY_RESPONSE, true, keep_row, &rows), 0);
	assert_int_equal(store_each_interval_of(store, 1, 0, LATENCY_LATENESS, true, keep_row, &rows), 0);
	assert_int_equal(rows.count, 2);
	assert_int_equal(rows.row[0].moments.sum_ns, tally->op[0].response.moments.sum_ns);
	assert_int_equal(rows.row[1].moments.sum_ns, tally->op[0].lateness.moments.sum_ns);
	assert_int_equal(rows.row[1].p50_ns, histogram_percentile(&tally->op[0].lateness, 0.5));
	store_close(store);
	free(tally);
}

static void a_load_that_was_cut_off_is_summed_from_its_intervals(void **state)
{
	struct tally *tally = tally_new(), *sum = tally_new();
	struct load_record load = { .step = 1, .open_loop = true };
	const struct load_record *loads;
	struct store *store = create(*state);
	struct random random;
	uint32_t count;

	random_init(&random, 5, 6);
	for (uint32_t i = 0; i < 6; i++) {
		struct interval_record interval = { .step = 1, .index = i, .tally = tally, .ramp = i < 2 };

		tally_clear(tally);
		tally_fill(tally, &random, i, 200, true);
		if (i >= 2)
			tally_add(sum, tally);
		assert_int_equal(store_put_interval(store, &interval), 0);
	}
	assert_int_equal(store_put_load(store, &load), 0);
	assert_int_equal(store_loads(store, &loads, &count), 0);
	assert_non_null(loads[0].total);
	assert_int_equal(tally_ios(loads[0].total), tally_ios(sum));
	assert_int_equal(tally_errors(loads[0].total), tally_errors(sum));
	assert_int_equal(loads[0].total->start_ns, 2000000000);
	assert_int_equal(loads[0].total->end_ns, 6000000000);
	assert_true(loads[0].total->in_flight_ns == 4 * 31.5e9);
	for (int op = 0; op < 2; op++) {
		const struct op_tally *a = &loads[0].total->op[op], *b = &sum->op[op];
		double p = (double)histogram_percentile(&b->response, 0.99);

		assert_int_equal(a->service.moments.sum_ns, b->service.moments.sum_ns);
		assert_int_equal(a->lateness.moments.n, b->lateness.moments.n);
		assert_true(fabs((double)histogram_percentile(&a->response, 0.99) - p) <= 0.017 * p);
	}
	store_close(store);
	free(tally);
	free(sum);
}

struct ios {
	const struct logged_io *expected;
	uint32_t count;
};

static int compare_io(void *context, uint64_t step, const struct logged_io *io)
{
	struct ios *ios = context;

	assert_int_equal(step, 3);
	assert_memory_equal(io, &ios->expected[ios->count], sizeof(*io));
	ios->count++;
	return 0;
}

static void outliers_and_samples_come_back_bit_by_bit(void **state)
{
	enum { COUNT = 40000 };		/* more than one batch */
	struct logged_io *ios = calloc(COUNT, sizeof(*ios));
	struct ios check = { .expected = ios };
	struct store *store = create(*state);
	struct random random;

	random_init(&random, 8, 8);
	for (uint32_t i = 0; i < COUNT; i++) {
		logged_fill(&ios[i], &random, random_below(&random, 1ull << 40));
		ios[i].load = (uint16_t)random_below(&random, 3);
		ios[i].op = (uint8_t)random_below(&random, IO_OPS);
		ios[i].bytes = 512u << random_below(&random, 12);
		ios[i].response_ns += random_below(&random, 1ull << 33);
	}
	ios[7] = (struct logged_io){ .submit_ns = INT64_MAX,
				     .offset = INT64_MAX,
				     .service_ns = INT64_MAX,
				     .bytes = UINT32_MAX,
				     .result = INT32_MIN,
				     .worker = UINT16_MAX,
				     .in_flight = UINT16_MAX,
				     .load = UINT16_MAX,
				     .flags = 7 };
	assert_int_equal(store_put_samples(store, 3, ios, COUNT), 0);
	assert_int_equal(store_put_outliers(store, 3, ios, 1000), 0);
	assert_int_equal(store_commit(store), 0);
	store_close(store);
	store = open_again(*state);
	assert_int_equal(store_each_sample(store, 3, compare_io, &check), 0);
	assert_int_equal(check.count, COUNT);
	check.count = 0;
	assert_int_equal(store_each_outlier(store, 0, compare_io, &check), 0);
	assert_int_equal(check.count, 1000);
	check.count = 0;
	assert_int_equal(store_each_outlier(store, 4, compare_io, &check), 0);
	assert_int_equal(check.count, 0);
	store_close(store);
	free(ios);
}

static int failed_list(void *context, uint64_t step, const struct logged_io *io)
{
	struct text *list = context;

	text_printf(list, "%lu/%u:%d,%u ", (unsigned long)step, (unsigned)io->load, io->result,
		    (unsigned)io->flags);
	return 0;
}

static void only_failed_and_short_outliers_are_given_on_demand(void **state)
{
	const struct logged_io ios[] = {
		{ .result = 4096 }, { .result = -EIO, .flags = LOGGED_ERROR }, { .result = 4096, .flags = LOGGED_TOP },
		{ .result = 512, .flags = LOGGED_SHORT | LOGGED_HOST, .load = 1 }, { .result = 0, .flags = LOGGED_HOST },
		{ .result = 0, .flags = LOGGED_SHORT },
	};
	struct store *store = create(*state);
	struct text list = { 0 };

	assert_int_equal(store_put_outliers(store, 3, ios, 6), 0);
	assert_int_equal(store_put_outliers(store, 2, ios, 2), 0);
	assert_int_equal(store_each_failed(store, failed_list, &list), 0);
	assert_string_equal(text_data(&list), "3/0:-5,1 3/1:512,10 3/0:0,8 2/0:-5,1 ");
	text_release(&list);
	store_close(store);
}

struct telemetry_check {
	uint32_t count;
	double sum;
};

static int check_telemetry(void *context, const struct telemetry_record *row)
{
	struct telemetry_check *check = context;

	assert_string_equal(row->name, check->count % 2 ? "b" : "a");
	assert_int_equal(row->target, (int)check->count - 1);
	assert_int_equal(row->t_ns, check->count * 10);
	check->sum += row->value;
	check->count++;
	return 0;
}

static void telemetry_comes_back_also_after_resume(void **state)
{
	struct telemetry_check check = { 0 };
	struct fixture *fixture = *state;
	struct store *store = create(fixture);

	for (uint32_t i = 0; i < 4; i++) {
		struct telemetry_record row = {
			.t_ns = i * 10, .target = (int)i - 1, .name = i % 2 ? "b" : "a", .value = i / 4.0
		};

		assert_int_equal(store_put_telemetry(store, &row, 1), 0);
		assert_int_equal(store_commit(store), 0);
		if (i == 1) {
			store_close(store);
			assert_int_equal(store_open_resume(fixture->path, &store, NULL), 0);
		}
	}
	store_close(store);
	store = open_again(fixture);
	assert_int_equal(store_each_telemetry(store, check_telemetry, &check), 0);
	assert_int_equal(check.count, 4);
	assert_true(check.sum == 1.5);
	store_close(store);
}

static void findings_checks_and_events_come_back(void **state)
{
	const struct finding_record *findings;
	const struct check_record *checks;
	const struct event_record *events;
	struct store *store = create(*state);
	uint32_t count;

	run_fill(store, 1, 2, 9);
	assert_int_equal(store_findings(store, &findings, &count), 0);
	assert_int_equal(count, 1);
	assert_true(findings[0].value == 42.5 && findings[0].low == 40 && isnan(findings[0].high));
	assert_string_equal(findings[0].text, "Steady.");
	assert_string_equal(findings[0].said_json, "[[\"Steady.\"]]");
	assert_int_equal(findings[0].step_id, 1);
	assert_int_equal(store_checks(store, &checks, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(checks[0].result, CHECK_PASSED);
	assert_string_equal(checks[0].name, "bytes_match_block_layer");
	assert_string_equal(checks[0].said_json, "[[\"equal\"]]");
	assert_int_equal(store_events(store, &events, &count), 0);
	assert_int_equal(count, 1);
	assert_string_equal(events[0].text, "a bit warm");
	assert_string_equal(events[0].said_json, "[[\"a bit %s\",\"warm\"]]");
	assert_int_equal(store_clear_findings(store), 0);
	assert_int_equal(store_findings(store, &findings, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(store_checks(store, &checks, &count), 0);
	assert_int_equal(count, 0);
	store_close(store);
}

static void a_deleted_step_is_gone_and_the_others_stay(void **state)
{
	const struct step_record *steps;
	struct store *store = create(*state);
	struct rows rows = { .count = 0 };
	uint32_t count;

	run_fill(store, 1, 4, 1);
	run_fill(store, 2, 4, 2);
	assert_int_equal(store_delete_step(store, 2), 0);
	assert_int_equal(store_commit(store), 0);
	assert_int_equal(store_steps(store, &steps, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(store_each_interval(store, 2, -1, false, keep_row, &rows), 0);
	assert_int_equal(rows.count, 0);
	assert_int_equal(store_each_interval(store, 1, -1, false, keep_row, &rows), 0);
	assert_int_equal(rows.count, 6);
	run_fill(store, 2, 4, 3);	/* done again */
	rows.count = 0;
	assert_int_equal(store_each_interval(store, 2, -1, false, keep_row, &rows), 0);
	assert_int_equal(rows.count, 6);
	store_close(store);
}

static void numbers_that_do_not_fit_are_refused(void **state)
{
	struct drive_record drive = { .name = "x", .kind = "sim", .capacity_bytes = 1ull << 63 };
	struct logged_io io = { .offset = 1ull << 63 };
	struct store *store = create(*state);

	assert_int_equal(store_put_drive(store, &drive), -ERANGE);
	assert_int_equal(store_put_outliers(store, 1, &io, 1), -ERANGE);
	assert_int_equal(store_put_samples(store, 1, &io, 1), -ERANGE);
	store_close(store);
}

static void a_run_is_never_overwritten_and_has_one_writer(void **state)
{
	struct fixture *fixture = *state;
	struct store *store = create(fixture), *other = NULL, *reader;
	struct fault fault = { 0 };
	struct check_record check = { .name = "x" };

	assert_int_equal(store_create(fixture->path, &other, &fault), -EEXIST);
	assert_non_null(strstr(fault.text, "exists already"));
	assert_int_equal(store_open_resume(fixture->path, &other, &fault), -EBUSY);
	assert_null(other);
	reader = open_again(fixture);
	assert_int_equal(store_put_check(reader, &check), -EROFS);
	assert_int_equal(store_commit(reader), -EROFS);
	store_close(reader);
	store_close(store);
	assert_int_equal(store_open_resume(fixture->path, &other, &fault), 0);
	store_close(other);
}

static int64_t pragma(struct store *store, const char *sql)
{
	sqlite3_stmt *statement;
	int64_t number;

	assert_int_equal(sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	number = sqlite3_column_type(statement, 0) == SQLITE_INTEGER ? sqlite3_column_int64(statement, 0)
								     : !strcmp((const char *)sqlite3_column_text(statement, 0), "wal");
	sqlite3_finalize(statement);
	return number;
}

/* Nothing waits for the disk before a run's first I/O; from store_flush on each commit does. */
static void a_new_run_has_its_log_at_once_and_is_flushed_when_told(void **state)
{
	struct fixture *fixture = *state;
	const struct run_record run = { .id = "ab", .version = "1", .status = RUN_RUNNING };
	const struct event_record event = { .kind = "x", .text = "y" };
	const struct event_record *events;
	struct store *store, *reader;
	uint32_t count;

	assert_int_equal(store_create_run(fixture->path, &run, &store, NULL), 0);
	assert_int_equal(pragma(store, "PRAGMA journal_mode"), 1);
	assert_int_equal(pragma(store, "PRAGMA synchronous"), 0);
	assert_int_equal(store_put_event(store, &event), 0);
	assert_int_equal(store_commit(store), 0);
	assert_int_equal(store_flush(store), 0);
	assert_int_equal(store_flush(store), 0);
	assert_int_equal(pragma(store, "PRAGMA synchronous"), 2);
	reader = open_again(fixture);
	assert_int_equal(store_events(reader, &events, &count), 0);
	assert_int_equal(count, 1);
	store_close(reader);
	store_close(store);
	assert_int_equal(store_open_resume(fixture->path, &store, NULL), 0);
	assert_int_equal(pragma(store, "PRAGMA synchronous"), 2);
	store_close(store);
	fixture_remove_run(fixture);
	store = create(fixture);
	assert_int_equal(pragma(store, "PRAGMA synchronous"), 2);
	store_close(store);
}

static void what_was_not_committed_is_not_there(void **state)
{
	struct event_record event = { .kind = "x", .text = "y" };
	const struct event_record *events;
	struct store *store = create(*state);
	uint32_t count;

	assert_int_equal(store_put_event(store, &event), 0);
	assert_int_equal(store_commit(store), 0);
	assert_int_equal(store_put_event(store, &event), 0);
	store_close(store);
	store = open_again(*state);
	assert_int_equal(store_events(store, &events, &count), 0);
	assert_int_equal(count, 1);
	store_close(store);
}

/* An older file is read from a copy without a name: how much of it may be read goes by its size all the same. */
static void an_older_file_has_the_budget_of_its_size(void **state)
{
	static const char first[] = "ALTER TABLE event DROP COLUMN said_json;"
				    "ALTER TABLE finding DROP COLUMN said_json;"
				    "ALTER TABLE self_check DROP COLUMN said_json;"
				    "ALTER TABLE load DROP COLUMN total_rest_ns;"
				    "ALTER TABLE load DROP COLUMN thinktime_ns;"
				    "ALTER TABLE series DROP COLUMN rest_ns;"
				    "PRAGMA user_version = 1";
	struct fixture *fixture = *state;
	struct store *store = create(fixture);
	struct stat status;
	uint64_t rows;
	sqlite3 *db;

	run_fill(store, 1, 50, 3);
	store_close(store);
	assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, first, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(stat(fixture->path, &status), 0);
	store = open_again(fixture);
	connection_refill(store);
	assert_int_equal(store->operations_left, 1000000 + 12 * (uint64_t)status.st_size);
	assert_int_equal(run_read_all(store, &rows), 0);
	assert_true(rows > 0);
	store_close(store);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_run_comes_back),
		TEST(a_file_without_a_run_says_so),
		TEST(drives_and_steps_come_back_in_order),
		TEST(totals_come_back_exactly),
		TEST(equal_latencies_keep_a_deviation_of_nothing),
		TEST(intervals_come_back_in_order_with_the_empty_ones),
		TEST(response_and_lateness_have_their_own_series),
		TEST(a_load_that_was_cut_off_is_summed_from_its_intervals),
		TEST(outliers_and_samples_come_back_bit_by_bit),
		TEST(only_failed_and_short_outliers_are_given_on_demand),
		TEST(telemetry_comes_back_also_after_resume),
		TEST(findings_checks_and_events_come_back),
		TEST(a_deleted_step_is_gone_and_the_others_stay),
		TEST(numbers_that_do_not_fit_are_refused),
		TEST(a_run_is_never_overwritten_and_has_one_writer),
		TEST(a_new_run_has_its_log_at_once_and_is_flushed_when_told),
		TEST(an_older_file_has_the_budget_of_its_size),
		TEST(what_was_not_committed_is_not_there),
	};

	return cmocka_run_group_tests_name("run file, round trip", tests, NULL, NULL);
}
