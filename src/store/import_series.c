/* The logs of one load, all read side by side, as intervals. */
#include <errno.h>
#include <string.h>
#include "store/import_inside.h"

#define INTERVALS_MAX 4000000u
#define INTERVALS_A_ROW 1000u	/* beyond the first hour, each row may stand for so many at most */

struct merge {
	struct import *import;
	struct import_load *load;
	struct import_log *const *logs;
	uint32_t count;
	bool has[IMPORT_OTHER];			/* by kind */
	uint64_t interval_ms;
	uint64_t index, end_index;
	uint64_t rows_ios[IO_OPS];		/* sum over the series */
	double lat_sum_ns[IO_OPS], lat_weight[IO_OPS];
	double bytes[IO_OPS], ios[IO_OPS];	/* of the interval, before rounding */
};

/* Latencies are ns in fio 3 (5 columns or more, or 1856 buckets), us in fio 2. */
static uint64_t latency_unit_ns(const struct import_log *log)
{
	if (log->kind != IMPORT_HIST)
		return log->columns >= 5 ? 1 : 1000;
	for (uint32_t shift = 0; shift <= 6; shift++)
		if (log->row->bins == 1856u >> shift)
			return 1;
	return 1000;
}

/* The sum of all latencies of an interval is the time times the I/Os in flight: far from overflowing, if it
 * is true. */
static int check_sum(struct merge *merge, const struct import_log *log, const struct op_tally *op,
		     double more_ns)
{
	if ((double)op->service.moments.sum_ns + more_ns < 8e18)
		return 0;
	return import_refuse(merge->import, log->path, log->line,
			     "latencies that add up to more than there is time");
}

static int add_bins(struct merge *merge, const struct import_log *log, struct op_tally *op)
{
	const struct import_row *row = log->row;
	uint64_t unit = latency_unit_ns(log);
	uint32_t all = unit == 1 ? 1856 : 1216, stride = all / row->bins;
	struct moments *moments = &op->service.moments;

	for (uint32_t i = 0; i < row->bins; i++) {
		uint64_t middle, low, high;

		if (row->bin[i] == 0)
			continue;
		middle = import_bin_middle(i * stride, stride) * unit;
		low = import_bin_low(i * stride) * unit;
		high = import_bin_low((i + 1) * stride) * unit - 1;
		if (check_sum(merge, log, op, (double)middle * (double)row->bin[i]) < 0)
			return -EBADMSG;
		import_add_slot(op, middle, row->bin[i]);
		moments->sum_ns += middle * row->bin[i];
		moments->sum_squares_ns2 += (unsigned __int128)middle * middle * row->bin[i];
		moments->min_ns = low < moments->min_ns ? low : moments->min_ns;
		moments->max_ns = high > moments->max_ns ? high : moments->max_ns;
	}
	return 0;
}

static int add_single(struct merge *merge, const struct import_log *log, struct op_tally *op)
{
	const struct import_row *row = log->row;

	/* One line is one I/O. It is counted once, whichever logs there are: by the first kind of log that
	 * exists. */
	if (log->kind == IMPORT_LAT && !merge->has[IMPORT_HIST]) {
		uint64_t value_ns = row->value * latency_unit_ns(log);

		if (check_sum(merge, log, op, (double)value_ns) < 0)
			return -EBADMSG;
		histogram_record(&op->service, value_ns);
		import_count_slow(op, value_ns, 1);
	}
	if (log->kind == (merge->has[IMPORT_BW]     ? IMPORT_BW
			  : merge->has[IMPORT_IOPS] ? IMPORT_IOPS
						    : IMPORT_LAT)) {
		merge->ios[row->op] += 1;
		merge->bytes[row->op] += (double)row->block_bytes;
	}
	return 0;
}

static void add_averaged(struct merge *merge, const struct import_log *log)
{
	const struct import_row *row = log->row;
	double seconds = (double)log->period_ms / 1000;

	switch (log->kind) {
	case IMPORT_BW:
		merge->bytes[row->op] += (double)row->value * 1024 * seconds;
		break;
	case IMPORT_IOPS:
		merge->ios[row->op] += (double)row->value * seconds;
		break;
	case IMPORT_LAT:
		merge->lat_sum_ns[row->op] += (double)row->value * (double)latency_unit_ns(log);
		merge->lat_weight[row->op] += 1;
		break;
	default:
		break;
	}
}

static int add_row(struct merge *merge, struct import_log *log)
{
	struct op_tally *op = &merge->import->tally->op[log->row->op];

	if (log->kind == IMPORT_HIST)
		return add_bins(merge, log, op);
	if (log->row->block_bytes > 0)
		return add_single(merge, log, op);
	add_averaged(merge, log);
	return 0;
}

/* The interval that a row of this time belongs to: an averaged row (period_ms > 0) tells about the time
 * before it. */
static uint64_t index_of(const struct merge *merge, const struct import_log *log, uint64_t time_ms)
{
	return (time_ms > log->period_ms / 2 ? time_ms - log->period_ms / 2 : 0) / merge->interval_ms;
}

/* All rows up to the current interval; a row that comes late is counted in it. */
static int take_rows(struct merge *merge, struct import_log *log)
{
	int result = 0;

	for (;;) {
		if (!log->ahead) {
			result = import_log_next(merge->import, log);
			if (result <= 0)
				return result;
			log->ahead = 1;
		}
		if (index_of(merge, log, log->row->time_ms) > merge->index)
			return 0;
		result = add_row(merge, log);
		if (result < 0)
			return result;
		log->ahead = 0;
	}
}

/* -- one interval -- */

static void settle_op(struct merge *merge, enum io_op which)
{
	struct op_tally *op = &merge->import->tally->op[which];
	double block = (double)merge->load->block_bytes, ios = merge->ios[which], bytes = merge->bytes[which];

	if (!merge->has[IMPORT_IOPS] && ios == 0)
		ios = merge->has[IMPORT_HIST] ? (double)op->service.moments.n : block > 0 ? bytes / block : 0;
	if (!merge->has[IMPORT_BW] && bytes == 0)
		bytes = ios * block < 8e18 ? ios * block : 0;
	op->ios = (uint64_t)(ios + 0.5);
	op->bytes = (uint64_t)(bytes + 0.5);
	merge->rows_ios[which] += op->ios;
}

/* A mean without a distribution is no histogram: it is kept as telemetry. */
static int put_means(struct merge *merge, uint64_t t_ns)
{
	int result = 0;

	for (enum io_op op = 0; op < IO_OPS && result == 0; op++) {
		static const char *const names[IO_OPS] = {
			"fio_latency_mean_read_ns", "fio_latency_mean_write_ns", "fio_latency_mean_trim_ns",
			"fio_latency_mean_flush_ns", "fio_latency_mean_fsync_ns"
		};
		struct telemetry_record row = { .t_ns = merge->load->step_record->started_ns + t_ns,
						.step = merge->load->step,
						.target = 0,
						.name = names[op] };

		if (merge->lat_weight[op] == 0)
			continue;
		row.value = merge->lat_sum_ns[op] / merge->lat_weight[op];
		result = store_put_telemetry(merge->import->store, &row, 1);
	}
	return result;
}

static int put_interval(struct merge *merge)
{
	struct tally *tally = merge->import->tally;
	struct interval_record record = {
		.step = merge->load->step, .load = merge->load->load, .index = merge->index, .tally = tally,
	};
	int result;

	for (enum io_op op = 0; op < IO_OPS; op++) {
		if (!(merge->ios[op] < 1e18 && merge->bytes[op] < 8e18))
			return import_refuse(merge->import, merge->logs[0]->path, 0,
					     "more I/Os in an interval than can be");
		settle_op(merge, op);
		tally->in_flight_ns += (double)tally->op[op].service.moments.sum_ns;
	}
	tally->start_ns = merge->index * merge->interval_ms * 1000000;
	tally->end_ns = tally->start_ns + merge->interval_ms * 1000000;
	tally->spans = 1;
	result = put_means(merge, tally->start_ns);
	if (result == 0 &&
	    (merge->has[IMPORT_BW] || merge->has[IMPORT_IOPS] || merge->has[IMPORT_HIST] || tally_ios(tally)))
		result = store_put_interval(merge->import->store, &record);
	return result;
}

static int merge_interval(struct merge *merge)
{
	int result = 0;

	tally_clear(merge->import->tally);
	memset(merge->lat_sum_ns, 0, sizeof(merge->lat_sum_ns));
	memset(merge->lat_weight, 0, sizeof(merge->lat_weight));
	memset(merge->bytes, 0, sizeof(merge->bytes));
	memset(merge->ios, 0, sizeof(merge->ios));
	for (uint32_t i = 0; i < merge->count && result == 0; i++)
		result = take_rows(merge, merge->logs[i]);
	return result < 0 ? result : put_interval(merge);
}

/* -- all -- */

/* Latency logs are cut short or complete, never more than there was. */
static int check_sums(struct merge *merge)
{
	int result = 0;

	for (enum io_op op = 0; op < IO_OPS && result == 0; op++) {
		uint64_t rows = merge->rows_ios[op], ios = merge->load->ios[op];

		if (!merge->load->has_total || rows == 0)
			continue;
		if (rows > ios + ios / 20 + 10000)
			return import_refuse(merge->import, merge->logs[0]->path, 0,
					     "the logs hold %llu %ss, the JSON says %llu: they don't "
					     "belong together, or are corrupt",
					     (unsigned long long)rows, io_op_name(op),
					     (unsigned long long)ios);
		if (rows < ios - ios / 50)
			result = import_note(merge->import, merge->load->step,
					     "the logs of \"%s\" cover %llu of %llu %ss (fio leaves out the "
					     "last interval)",
					     merge->load->name, (unsigned long long)rows,
					     (unsigned long long)ios, io_op_name(op));
	}
	return result;
}

static int note_oddities(struct merge *merge, bool absolute)
{
	int result = 0;

	if (absolute)
		result = import_note(merge->import, merge->load->step,
				     "the times in the logs of \"%s\" are since 1970: counted from the "
				     "first line",
				     merge->load->name);
	for (uint32_t i = 0; i < merge->count && result == 0; i++)
		if (merge->logs[i]->cut_off)
			result = import_note(merge->import, merge->load->step,
					     "%s: the last line is cut off and left out",
					     merge->logs[i]->path);
	return result;
}

static int prepare(struct merge *merge)
{
	bool absolute = false;
	uint64_t rows = 0;
	int result;

	for (uint32_t i = 0; i < merge->count; i++) {
		const struct import_log *log = merge->logs[i];

		rows += log->rows;
		merge->has[log->kind] |= log->rows > 0;
		merge->interval_ms = log->period_ms > merge->interval_ms ? log->period_ms
									 : merge->interval_ms;
		absolute |= log->base_ms > 0;
	}
	if (merge->interval_ms == 0)
		merge->interval_ms = 1000;
	for (uint32_t i = 0; i < merge->count; i++) {
		const struct import_log *log = merge->logs[i];
		uint64_t end = index_of(merge, log, log->last_ms - log->base_ms) + 1;

		merge->end_index = end > merge->end_index ? end : merge->end_index;
	}
	if (merge->end_index > INTERVALS_MAX || merge->end_index > 3600 + rows * INTERVALS_A_ROW)
		return import_refuse(merge->import, merge->logs[0]->path, 0,
				     "%llu intervals of %llu ms: the times cannot be right",
				     (unsigned long long)merge->end_index,
				     (unsigned long long)merge->interval_ms);
	merge->load->step_record->interval_ns = merge->interval_ms * 1000000;
	result = store_put_step(merge->import->store, merge->load->step_record);
	return result < 0 ? result : note_oddities(merge, absolute);
}

int import_series(struct import *import, struct import_load *load, struct import_log *const *logs,
		  uint32_t count)
{
	struct merge merge = { .import = import, .load = load, .logs = logs, .count = count };
	int result = prepare(&merge);

	if (result == 0 && !merge.has[IMPORT_BW] && !merge.has[IMPORT_IOPS] && !merge.has[IMPORT_LAT] &&
	    !merge.has[IMPORT_HIST])
		return import_note(import, load->step, "the logs of \"%s\" are empty", load->name);
	for (merge.index = 0; merge.index < merge.end_index && result == 0; merge.index++)
		result = merge_interval(&merge);
	return result < 0 ? result : check_sums(&merge);
}
