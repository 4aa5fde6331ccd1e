/* Reading: the series. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "store/connection.h"
#include "store/get_latency.h"
#include "store/row.h"

#define LATE_NS 1000000000ull	/* more than a last interval may be late in the shortest step */

struct reading {
	struct store *store;
	struct row series, open;	/* `open` is used for response and lateness only */
	enum latency_kind kind;
	uint64_t start_ns_max;		/* that makes sense in this step */
	struct histogram *histogram;	/* NULL when not asked for */
	bool started;
	struct interval_row before;	/* only its place */
};

static void set_latency(struct interval_row *interval, const struct latency_row *latency)
{
	interval->moments = latency->moments;
	interval->p50_ns = latency->percentile_ns[0];
	interval->p99_ns = latency->percentile_ns[1];
	interval->p999_ns = latency->percentile_ns[2];
}

static void read_place(struct row *row, struct interval_row *interval)
{
	interval->step = row_u64(row);
	interval->load = (uint32_t)row_u64_max(row, UINT16_MAX);
	interval->index = row_u64(row);
	interval->op = (enum io_op)row_u64_max(row, IO_OPS - 1);
}

static void read_series(struct reading *reading, struct interval_row *interval)
{
	struct row *row = &reading->series;
	struct latency_row latency;

	row->column = 0;
	read_place(row, interval);
	interval->start_ns = row_u64(row);
	interval->duration_ns = row_u64(row);
	interval->spans = row_u64(row);
	interval->ramp = row_bool(row);
	interval->in_flight_ns = row_real_or(row, 0);
	interval->ios = row_u64(row);
	interval->bytes = row_u64(row);
	interval->errors = row_u64(row);
	for (int i = 0; i < SLOW_BUCKETS; i++)
		interval->slow[i] = row_u64(row);
	row_latency(row, &reading->store->packer, &latency,
		    reading->kind == LATENCY_SERVICE ? reading->histogram : NULL);
	set_latency(interval, &latency);
	interval->rest_ns = row_u64_max(row, interval->duration_ns);
}

/* Response or lateness of the same interval and op; nothing there means nothing timed. */
static int read_open(struct reading *reading, struct interval_row *interval)
{
	static const struct latency_row none = { .moments.min_ns = UINT64_MAX };
	struct binder to = { .statement = reading->open.statement };
	struct interval_row place;
	struct latency_row latency;
	int more;

	bind_u64(&to, interval->step);
	bind_u64(&to, interval->load);
	bind_u64(&to, interval->index);
	bind_u64(&to, interval->op);
	bind_u64(&to, reading->kind);
	more = to.error < 0 ? to.error : store_next(reading->store, to.statement);
	if (more == 0) {
		set_latency(interval, &none);
		if (reading->histogram)
			histogram_clear(reading->histogram);
	}
	if (more <= 0)
		return more;
	reading->open.column = 0;
	read_place(&reading->open, &place);
	row_u64(&reading->open);
	row_latency(&reading->open, &reading->store->packer, &latency, reading->histogram);
	set_latency(interval, &latency);
	sqlite3_reset(to.statement);
	return reading->open.error;
}

/* Rows come strictly in order; in a damaged tree they may not, and might never end. */
static int check_order(struct reading *reading, const struct interval_row *row)
{
	const struct interval_row *before = &reading->before;
	bool later = !reading->started || row->load > before->load ||
		     (row->load == before->load && (row->index > before->index ||
						    (row->index == before->index && row->op > before->op)));

	reading->started = true;
	reading->before = *row;
	return later ? 0 : -EBADMSG;
}

/* An interval that begins long after its step has ended would be as many empty ones before it to every
 * reader. */
static int find_limit(struct reading *reading, uint64_t step)
{
	struct row row = { 0 };
	struct binder to = { 0 };
	uint64_t length_ns;
	int result;

	reading->start_ns_max = UINT64_MAX;
	if (reading->store->writable)
		return 0;
	result = store_statement(reading->store, GET_STEP_LENGTH, &row.statement);
	if (result < 0)
		return result;
	to.statement = row.statement;
	bind_u64(&to, step);
	result = to.error < 0 ? to.error : store_next(reading->store, row.statement);
	if (result <= 0)
		return result;
	length_ns = row_u64(&row);
	sqlite3_reset(row.statement);
	if (length_ns && length_ns < INT64_MAX / 4)
		reading->start_ns_max = length_ns * 2 + LATE_NS;
	return row.error;
}

static int read_interval(struct reading *reading, struct interval_row *interval)
{
	int result;

	read_series(reading, interval);
	result = reading->series.error;
	if (result == 0 && interval->start_ns > reading->start_ns_max)
		result = -EBADMSG;
	if (result == 0)
		result = check_order(reading, interval);
	if (result == 0 && reading->kind != LATENCY_SERVICE)
		result = read_open(reading, interval);
	return result;
}

static int reading_start(struct reading *reading, uint64_t step, int32_t load)
{
	struct binder to = { 0 };
	int result = 0;

	if (reading->kind != LATENCY_SERVICE)
		result = store_statement(reading->store, GET_SERIES_OPEN, &reading->open.statement);
	if (result == 0)
		result = store_statement(reading->store, GET_SERIES, &reading->series.statement);
	if (result < 0)
		return result;
	to.statement = reading->series.statement;
	bind_u64(&to, step);
	bind_i64(&to, load < 0 ? 0 : load);
	bind_i64(&to, load < 0 ? UINT16_MAX : load);
	return to.error;
}

int store_each_interval_of(struct store *store, uint64_t step, int32_t load, enum latency_kind kind,
			   bool with_histogram, store_interval_fn fn, void *context)
{
	struct reading reading = { .store = store, .kind = kind };
	struct interval_row interval;
	int result;

	if (with_histogram) {
		reading.histogram = calloc(1, sizeof(*reading.histogram));
		if (!reading.histogram)
			return -ENOMEM;
		histogram_clear(reading.histogram);
	}
	result = find_limit(&reading, step);
	if (result == 0)
		result = reading_start(&reading, step, load);
	while (result == 0) {
		result = store_next(store, reading.series.statement);
		if (result <= 0)
			break;
		result = read_interval(&reading, &interval);
		if (result == 0)
			result = fn(context, &interval, reading.histogram);
	}
	sqlite3_reset(reading.series.statement);
	sqlite3_reset(reading.open.statement);
	free(reading.histogram);
	return result;
}

int store_each_interval(struct store *store, uint64_t step, int32_t load, bool with_histogram,
			store_interval_fn fn, void *context)
{
	return store_each_interval_of(store, step, load, LATENCY_SERVICE, with_histogram, fn, context);
}
