/* Writing: loads with their totals, and the series. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "store/connection.h"
#include "store/row.h"

/* Bytes alone: logs of another tool may tell no more. */
static bool op_used(const struct op_tally *op)
{
	return op->ios || op->bytes || op->errors || op->service.moments.n || op->response.moments.n ||
	       op->lateness.moments.n;
}

static const struct histogram *latency_of(const struct op_tally *op, enum latency_kind kind)
{
	switch (kind) {
	case LATENCY_RESPONSE: return &op->response;
	case LATENCY_LATENESS: return &op->lateness;
	default: return &op->service;
	}
}

static void bind_counts(struct binder *to, const struct op_tally *op)
{
	bind_u64(to, op->ios);
	bind_u64(to, op->bytes);
	bind_u64(to, op->errors);
	for (int i = 0; i < SLOW_BUCKETS; i++)
		bind_u64(to, op->slow[i]);
}

static void bind_percentiles(struct binder *to, const struct histogram *histogram)
{
	static const double p[] = { 0.5, 0.99, 0.999 };

	for (size_t i = 0; i < sizeof(p) / sizeof(p[0]); i++) {
		if (histogram->moments.n)
			bind_u64(to, histogram_percentile(histogram, p[i]));
		else
			bind_null(to);
	}
}

static void bind_latency(struct store *store, struct binder *to, const struct histogram *histogram,
			 uint32_t bits)
{
	const struct moments *moments = &histogram->moments;
	const void *packed;
	size_t count;
	int result = packer_pack_histogram(&store->packer, histogram, bits, &packed, &count);

	if (result < 0 && to->error == 0)
		to->error = result;
	bind_u64(to, moments->n);
	bind_u64(to, moments->sum_ns);
	bind_real(to, (double)moments->sum_squares_ns2);
	if (moments->n) {
		bind_u64(to, moments->min_ns);
		bind_u64(to, moments->max_ns);
	} else {
		bind_null(to);
		bind_null(to);
	}
	bind_u64(to, moments->over_range);
	bind_percentiles(to, histogram);
	if (result == 0 && count > 0)
		bind_blob(to, packed, count);
	else
		bind_null(to);
}

/* -- totals -- */

static int put_total_latency(struct store *store, const struct load_record *load, enum io_op op,
			     enum latency_kind kind)
{
	const struct histogram *histogram = latency_of(&load->total->op[op], kind);
	struct binder to = { 0 };
	int result;

	if (histogram->moments.n == 0)
		return 0;
	result = store_statement(store, PUT_TOTAL_LATENCY, &to.statement);
	if (result < 0)
		return result;
	bind_u64(&to, load->step);
	bind_u64(&to, load->load);
	bind_u64(&to, op);
	bind_u64(&to, kind);
	bind_latency(store, &to, histogram, HISTOGRAM_BITS);
	return store_finish(store, to.statement, to.error);
}

static int put_total_op(struct store *store, const struct load_record *load, enum io_op op)
{
	struct binder to = { 0 };
	int result;

	if (!op_used(&load->total->op[op]))
		return 0;
	result = store_statement(store, PUT_TOTAL, &to.statement);
	if (result < 0)
		return result;
	bind_u64(&to, load->step);
	bind_u64(&to, load->load);
	bind_u64(&to, op);
	bind_counts(&to, &load->total->op[op]);
	result = store_finish(store, to.statement, to.error);
	for (enum latency_kind kind = 0; kind < LATENCY_KINDS && result == 0; kind++)
		result = put_total_latency(store, load, op, kind);
	return result;
}

static int clear_total(struct store *store, enum statement which, const struct load_record *load)
{
	struct binder to = { 0 };
	int result = store_statement(store, which, &to.statement);

	if (result < 0)
		return result;
	bind_u64(&to, load->step);
	bind_u64(&to, load->load);
	return store_finish(store, to.statement, to.error);
}

static int put_total(struct store *store, const struct load_record *load)
{
	int result = clear_total(store, CLEAR_TOTAL, load);

	if (result == 0)
		result = clear_total(store, CLEAR_TOTAL_LATENCY, load);
	for (enum io_op op = 0; load->total && op < IO_OPS && result == 0; op++)
		result = put_total_op(store, load, op);
	return result;
}

static void bind_total_span(struct binder *to, const struct tally *total)
{
	if (!total) {
		for (int i = 0; i < 5; i++)
			bind_null(to);
		return;
	}
	bind_u64(to, total->start_ns);
	bind_u64(to, total->end_ns);
	bind_real(to, total->in_flight_ns);
	bind_u64(to, total->spans);
	bind_u64(to, total->rest_ns);
}

int store_put_load(struct store *store, const struct load_record *load)
{
	struct binder to = { 0 };
	int result = store_statement(store, PUT_LOAD, &to.statement);

	if (result < 0)
		return result;
	bind_u64(&to, load->step);
	bind_u64(&to, load->load);
	bind_text(&to, load->name);
	bind_u64(&to, load->target);
	bind_text(&to, load->engine);
	bind_text(&to, load->engine_note);
	bind_u64(&to, load->workers);
	bind_u64(&to, load->depth_asked);
	bind_u64(&to, load->open_loop);
	bind_real(&to, load->rate_asked);
	bind_u64(&to, load->range_start);
	bind_u64(&to, load->range_bytes);
	bind_u64(&to, load->outliers_kept);
	bind_u64(&to, load->outliers_seen);
	bind_u64(&to, load->samples_every);
	bind_text(&to, load->facts_json);
	bind_total_span(&to, load->total);
	bind_u64(&to, load->thinktime_ns);
	result = store_finish(store, to.statement, to.error);
	return result < 0 ? result : put_total(store, load);
}

/* -- series -- */

static int put_series_open(struct store *store, const struct interval_record *interval, enum io_op op,
			   enum latency_kind kind)
{
	const struct histogram *histogram = latency_of(&interval->tally->op[op], kind);
	struct binder to = { 0 };
	int result;

	if (histogram->moments.n == 0)
		return 0;
	result = store_statement(store, PUT_SERIES_OPEN, &to.statement);
	if (result < 0)
		return result;
	bind_u64(&to, interval->step);
	bind_u64(&to, interval->load);
	bind_u64(&to, interval->index);
	bind_u64(&to, op);
	bind_u64(&to, kind);
	bind_latency(store, &to, histogram, HISTOGRAM_SERIES_BITS);
	return store_finish(store, to.statement, to.error);
}

static int put_series(struct store *store, const struct interval_record *interval, enum io_op op)
{
	const struct tally *tally = interval->tally;
	struct binder to = { 0 };
	int result;

	if (tally->end_ns < tally->start_ns || tally->rest_ns > tally->end_ns - tally->start_ns)
		return -EINVAL;
	result = store_statement(store, PUT_SERIES, &to.statement);
	if (result < 0)
		return result;
	bind_u64(&to, interval->step);
	bind_u64(&to, interval->load);
	bind_u64(&to, interval->index);
	bind_u64(&to, op);
	bind_u64(&to, tally->start_ns);
	bind_u64(&to, tally->end_ns - tally->start_ns);
	bind_u64(&to, tally->spans);
	bind_u64(&to, interval->ramp);
	bind_real(&to, tally->in_flight_ns);
	bind_counts(&to, &tally->op[op]);
	bind_latency(store, &to, &tally->op[op].service, HISTOGRAM_SERIES_BITS);
	bind_u64(&to, tally->rest_ns);
	result = store_finish(store, to.statement, to.error);
	for (enum latency_kind kind = LATENCY_RESPONSE; kind < LATENCY_KINDS && result == 0; kind++)
		result = put_series_open(store, interval, op, kind);
	return result;
}

/* Where the last op of this load is kept, so that an empty interval can be filed under it; NULL when out of
 * memory. */
static uint8_t *last_op(struct store *store, uint64_t step, uint32_t load)
{
	if (store->op.step != step) {
		store->op.step = step;
		if (store->op.loads)
			memset(store->op.last, IO_READ, store->op.loads);
	}
	if (load >= store->op.loads) {
		uint8_t *grown = realloc(store->op.last, (size_t)load + 1);

		if (!grown)
			return NULL;
		memset(grown + store->op.loads, IO_READ, (size_t)load + 1 - store->op.loads);
		store->op.last = grown;
		store->op.loads = load + 1;
	}
	return &store->op.last[load];
}

int store_put_interval(struct store *store, const struct interval_record *interval)
{
	uint8_t *last;
	bool empty = true;
	int result = 0;

	if (interval->load > UINT16_MAX)
		return -EINVAL;
	last = last_op(store, interval->step, interval->load);
	if (!last)
		return -ENOMEM;
	for (enum io_op op = 0; op < IO_OPS && result == 0; op++) {
		if (!op_used(&interval->tally->op[op]))
			continue;
		empty = false;
		*last = op;
		result = put_series(store, interval, op);
	}
	if (empty)
		result = put_series(store, interval, *last);
	return result;
}
