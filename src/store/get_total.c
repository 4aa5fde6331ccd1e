/* Reading: loads with their totals. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "store/connection.h"
#include "store/get.h"
#include "store/get_latency.h"
#include "store/tally_map.h"

#define LOADS_MAX 50000u

struct load_row {
	struct load_record load;
	bool has_total;
	uint64_t start_ns, end_ns, rest_ns, spans;
	double in_flight_ns;
};

static void read_load(struct row *row, void *record)
{
	struct load_row *to = record;
	struct load_record *load = &to->load;

	load->step = row_u64(row);
	load->load = (uint32_t)row_u64_max(row, UINT16_MAX);
	load->name = row_text(row);
	load->target = row_u32(row);
	load->engine = row_text(row);
	load->engine_note = row_text(row);
	load->workers = row_u32(row);
	load->depth_asked = row_u32(row);
	load->open_loop = row_bool(row);
	load->rate_asked = row_real_or(row, 0);
	load->range_start = row_u64(row);
	load->range_bytes = row_u64(row);
	load->outliers_kept = row_u64(row);
	load->outliers_seen = row_u64(row);
	load->samples_every = row_u64(row);
	load->facts_json = row_text(row);
	to->start_ns = row_u64(row);
	to->has_total = sqlite3_column_type(row->statement, row->column) != SQLITE_NULL;
	to->end_ns = row_u64(row);
	to->in_flight_ns = row_real_or(row, 0);
	to->spans = row_u64(row);
	to->rest_ns = row_u64(row);
	load->thinktime_ns = row_u64(row);
}

static struct histogram *latency_of(struct op_tally *op, enum latency_kind kind)
{
	switch (kind) {
	case LATENCY_RESPONSE: return &op->response;
	case LATENCY_LATENESS: return &op->lateness;
	default: return &op->service;
	}
}

/* -- a stored total -- */

static void read_total_op(struct row *row, struct tally *tally)
{
	struct op_tally *op;

	row->column = 2;	/* after step and load */
	op = &tally->op[row_u64_max(row, IO_OPS - 1)];
	op->ios = row_u64(row);
	op->bytes = row_u64(row);
	op->errors = row_u64(row);
	for (int i = 0; i < SLOW_BUCKETS; i++)
		op->slow[i] = row_u64(row);
}

static int each_total_row(struct store *store, enum statement which, const struct load_record *load,
			  void (*read)(struct store *store, struct row *row, struct tally *tally),
			  struct tally *tally)
{
	struct row row = { .arena = &store->arena };
	struct binder to = { 0 };
	int more = store_statement(store, which, &to.statement);

	if (more < 0)
		return more;
	bind_u64(&to, load->step);
	bind_u64(&to, load->load);
	row.statement = to.statement;
	for (more = to.error; more >= 0 && row.error == 0;) {
		more = store_next(store, row.statement);
		if (more <= 0)
			break;
		read(store, &row, tally);
	}
	sqlite3_reset(row.statement);
	return row.error < 0 ? row.error : more;
}

static void read_counts(struct store *store, struct row *row, struct tally *tally)
{
	(void)store;
	read_total_op(row, tally);
}

static void read_total_latency(struct store *store, struct row *row, struct tally *tally)
{
	struct latency_row latency;
	enum latency_kind kind;
	struct op_tally *op;

	row->column = 2;
	op = &tally->op[row_u64_max(row, IO_OPS - 1)];
	kind = (enum latency_kind)row_u64_max(row, LATENCY_KINDS - 1);
	row_latency(row, &store->packer, &latency, latency_of(op, kind));
}

static int read_total(struct store *store, const struct load_row *from, struct tally *tally)
{
	int result = each_total_row(store, GET_TOTAL, &from->load, read_counts, tally);

	if (result == 0)
		result = each_total_row(store, GET_TOTAL_LATENCY, &from->load, read_total_latency, tally);
	if (from->end_ns < from->start_ns || from->rest_ns > from->end_ns - from->start_ns)
		return -EBADMSG;
	tally->start_ns = from->start_ns;
	tally->end_ns = from->end_ns;
	tally->in_flight_ns = from->in_flight_ns;
	tally->spans = from->spans;
	tally->rest_ns = from->rest_ns;
	return result;
}

/* -- a total that was never stored, because the run ended before its step did: summed from the intervals --
 */

struct summing {
	struct tally *tally;
	enum latency_kind kind;
	uint64_t rows, last_index;
};

static void sum_time(struct summing *sum, const struct interval_row *interval)
{
	struct tally *tally = sum->tally;

	if (sum->rows > 0 && sum->last_index == interval->index)
		return;		/* another op of the same interval */
	if (sum->rows == 0)
		tally->start_ns = interval->start_ns;
	sum->last_index = interval->index;
	tally->end_ns = interval->start_ns + interval->duration_ns;
	tally->in_flight_ns += interval->in_flight_ns;
	tally->spans += interval->spans;
	tally->rest_ns += interval->rest_ns;
}

static void sum_counts(struct op_tally *op, const struct interval_row *interval)
{
	op->ios += interval->ios;
	op->bytes += interval->bytes;
	op->errors += interval->errors;
	for (int i = 0; i < SLOW_BUCKETS; i++)
		op->slow[i] += interval->slow[i];
}

static int sum_interval(void *context, const struct interval_row *interval, const struct histogram *histogram)
{
	struct summing *sum = context;
	struct op_tally *op = &sum->tally->op[interval->op];

	if (interval->ramp)
		return 0;
	if (sum->kind == LATENCY_SERVICE) {
		sum_time(sum, interval);
		sum_counts(op, interval);
	}
	if (histogram->moments.n > 0)
		histogram_add(latency_of(op, sum->kind), histogram);
	sum->rows++;
	return 0;
}

/* 1 when there was something to sum. */
static int sum_total(struct store *store, const struct load_record *load, struct tally *tally)
{
	struct summing sum = { .tally = tally };
	enum latency_kind kinds = load->open_loop ? LATENCY_KINDS : LATENCY_RESPONSE;
	int result = 0;

	for (enum latency_kind kind = 0; kind < kinds && result == 0; kind++) {
		sum.kind = kind;
		result = store_each_interval_of(store, load->step, (int32_t)load->load, kind, true,
						sum_interval, &sum);
	}
	return result < 0 ? result : sum.rows > 0;
}

static int give_load(struct store *store, const struct load_row *from, struct tally *tally,
		     struct load_record *load)
{
	int found = from->has_total;
	int result = 0;

	tally_clear(tally);
	*load = from->load;
	if (found)
		result = read_total(store, from, tally);
	else
		result = found = sum_total(store, load, tally);
	if (result < 0)
		return result;
	load->total = found ? tally : NULL;
	return 0;
}

int store_loads(struct store *store, const struct load_record **ret_loads, uint32_t *ret_count)
{
	static const struct table_shape shape = { GET_LOAD, sizeof(struct load_row), LOADS_MAX, read_load };
	struct load_record *loads;
	const struct load_row *rows;
	struct tally *tallies;
	void *records;
	uint32_t count;
	int result = store_table(store, &shape, &records, &count);

	if (result < 0)
		return result;
	rows = records;
	loads = arena_alloc(&store->arena, (count ? count : 1) * sizeof(*loads));
	tallies = loads ? tally_map_add(&store->tally_maps, count) : NULL;
	if (!tallies)
		return -ENOMEM;
	for (uint32_t i = 0; i < count && result == 0; i++)
		result = give_load(store, &rows[i], &tallies[i], &loads[i]);
	if (result == 0) {
		*ret_loads = loads;
		*ret_count = count;
	}
	return result;
}

int store_measured(struct store *store, bool *ret_measured)
{
	const struct load_record *loads;
	uint32_t count;
	int error = store_loads(store, &loads, &count);

	*ret_measured = false;
	for (uint32_t i = 0; i < count && !error && !*ret_measured; i++)
		*ret_measured = loads[i].total && (tally_ios(loads[i].total) || tally_errors(loads[i].total));
	return error;
}
