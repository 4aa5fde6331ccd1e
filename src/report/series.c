#include "report/series.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct fill {
	struct series *series;
	const struct report_step *step;
	double started_ns;
	bool several_loads;
	uint64_t highest;	/* index + 1 */
	uint64_t last_load, last_index;		/* whose I/Os in flight were added last: every direction's row has them; index + 1 */
};

static double *column_new(struct series *series, double value)
{
	double *column = arena_alloc(&series->arena, series->capacity * sizeof(*column) + 1);

	for (uint32_t i = 0; column && i < series->capacity; i++)
		column[i] = value;
	return column;
}

static int columns_new(struct series *series)
{
	bool ok = true;

	ok &= (series->t_ns = column_new(series, NAN)) != NULL;
	ok &= (series->duration_ns = column_new(series, 0)) != NULL;
	ok &= (series->iops = column_new(series, NAN)) != NULL;
	ok &= (series->rate = column_new(series, NAN)) != NULL;
	ok &= (series->in_flight = column_new(series, NAN)) != NULL;
	return ok ? 0 : -ENOMEM;
}

static int op_columns_new(struct series *series, struct series_op *op)
{
	bool ok = true;

	ok &= (op->iops = column_new(series, 0)) != NULL;
	ok &= (op->rate = column_new(series, 0)) != NULL;
	ok &= (op->mean_ns = column_new(series, NAN)) != NULL;
	ok &= (op->max_ns = column_new(series, NAN)) != NULL;
	ok &= (op->deviation_ns = column_new(series, NAN)) != NULL;
	ok &= (op->p50_ns = column_new(series, NAN)) != NULL;
	ok &= (op->p99_ns = column_new(series, NAN)) != NULL;
	ok &= (op->p999_ns = column_new(series, NAN)) != NULL;
	op->used = ok;
	return ok ? 0 : -ENOMEM;
}

static double deviation_of(const struct moments *moments)
{
	double n = (double)moments->n, mean = (double)moments->sum_ns / n;

	return sqrt(fmax((double)moments->sum_squares_ns2 / n - mean * mean, 0));
}

static void fill_latency(struct series_op *op, uint32_t at, const struct interval_row *row,
			 bool several_loads)
{
	double mean = row->moments.n ? (double)row->moments.sum_ns / (double)row->moments.n : NAN;

	if (!row->ios)
		return;
	op->max_ns[at] = fmax(op->max_ns[at], (double)row->moments.max_ns);	/* fmax ignores NaN */
	op->mean_ns[at] = isnan(op->mean_ns[at]) ? mean : (op->mean_ns[at] + mean) / 2;
	if (several_loads) {
		op->mean_ns[at] = NAN;
		return;
	}
	op->deviation_ns[at] = row->moments.n ? deviation_of(&row->moments) : NAN;
	op->p50_ns[at] = (double)row->p50_ns;
	op->p99_ns[at] = (double)row->p99_ns;
	op->p999_ns[at] = (double)row->p999_ns;
}

/* NaN: logs of another tool told bytes without I/Os, or I/Os without bytes. */
static double ios_of(const struct interval_row *row)
{
	return !row->ios && !row->errors && row->bytes ? NAN : (double)row->ios;
}

static double bytes_of(const struct interval_row *row)
{
	return report_unsized(row->op, row->ios, row->bytes) ? NAN : (double)row->bytes;
}

static void fill_rates(struct fill *fill, uint32_t at, const struct interval_row *row)
{
	struct series *series = fill->series;
	double seconds = (double)interval_sent_ns(row) / 1e9;

	if (!series->duration_ns[at]) {
		series->iops[at] = series->rate[at] = series->in_flight[at] = 0;
		series->duration_ns[at] = (double)interval_sent_ns(row);
		series->t_ns[at] = fill->started_ns + (double)row->start_ns + (double)row->duration_ns / 2;
	}
	series->iops[at] += ios_of(row) / seconds;
	series->rate[at] += bytes_of(row) / seconds;
	if (fill->last_index == row->index + 1 && fill->last_load == row->load)
		return;
	fill->last_index = row->index + 1;
	fill->last_load = row->load;
	series->in_flight[at] += row->in_flight_ns / (double)interval_sent_ns(row);
}

/* The last interval of a step may be so short that its rate is an accident; it is in the tables and files,
 * not in charts. */
static bool is_scrap(const struct step_record *record, const struct interval_row *row)
{
	return row->index > 0 && interval_sent_ns(row) < record->interval_ns / 5;
}

static int fill_row(void *context, const struct interval_row *row, const struct histogram *service)
{
	struct fill *fill = context;
	struct series *series = fill->series;
	struct series_op *op = &series->op[row->op];
	uint32_t at = (uint32_t)row->index;

	if (!report_step_has_load(fill->step, row->load))
		return 0;
	if (row->index >= SERIES_INTERVALS_MAX)
		series->beyond++;
	else if (row->index >= fill->highest)
		fill->highest = row->index + 1;
	if (row->index >= series->capacity || !interval_sent_ns(row) || is_scrap(fill->step->record, row))
		return 0;
	fill_rates(fill, at, row);
	if (!row->ios && !row->errors && !row->bytes)
		return 0;
	if (!op->used && op_columns_new(series, op))
		return -ENOMEM;
	op->iops[at] += ios_of(row) * 1e9 / (double)interval_sent_ns(row);
	op->rate[at] += bytes_of(row) * 1e9 / (double)interval_sent_ns(row);
	fill_latency(op, at, row, fill->several_loads);
	return 0;
}

/* Intervals that aren't in the file: no rate, and a time between their neighbours, so that the columns stay
 * sorted. */
static void fill_gaps(struct series *series)
{
	double last = 0;

	for (uint32_t i = 0; i < series->count; i++) {
		for (int op = 0; op < IO_OPS && !series->duration_ns[i]; op++)
			if (series->op[op].used)
				series->op[op].iops[i] = series->op[op].rate[i] = NAN;
		if (isnan(series->t_ns[i]))
			series->t_ns[i] = last;
		last = series->t_ns[i];
	}
}

static int series_fill(struct fill *fill, struct store *store, const struct report_step *step,
		       uint32_t capacity)
{
	struct series *series = fill->series;
	int error;

	*series = (struct series){ .capacity = capacity };
	fill->highest = fill->last_index = 0;
	error = columns_new(series);
	if (!error)
		error = store_each_interval(store, step->record->id, -1, false, fill_row, fill);
	series->count = fill->highest < capacity ? (uint32_t)fill->highest : capacity;
	return error;
}

/* As many intervals as the step's length says; more are found out by the first reading. */
static uint32_t expected(const struct step_record *record)
{
	uint64_t count = record->interval_ns ? record->duration_ns / record->interval_ns + 2 : 0;

	return count < SERIES_INTERVALS_MAX ? (uint32_t)count : SERIES_INTERVALS_MAX;
}

int series_init(struct series *series, struct store *store, const struct report_step *step)
{
	struct fill fill = { .series = series, .step = step, .started_ns = (double)step->record->started_ns,
			     .several_loads = step->load_count > 1 };
	int error;

	*series = (struct series){ 0 };
	if (!step->load_count)
		return 0;
	error = series_fill(&fill, store, step, expected(step->record));
	if (!error && fill.highest > series->capacity) {
		uint32_t capacity = (uint32_t)fill.highest;

		series_release(series);
		error = series_fill(&fill, store, step, capacity);
	}
	if (error)
		series_release(series);
	else
		fill_gaps(series);
	return error;
}

void series_release(struct series *series)
{
	arena_release(&series->arena);
	*series = (struct series){ 0 };
}

/* Where the mean of the intervals from `first` to `last` stands: at the one with I/O that is nearest to the middle of
 * their I/O, as the middle itself may be one of the pauses between them. */
static double mean_at(const struct series *series, uint32_t first, uint32_t last)
{
	double middle = 0, sum = 0, nearest = NAN;

	for (uint32_t i = first; i <= last; i++) {
		middle += series->t_ns[i] * series->duration_ns[i];
		sum += series->duration_ns[i];
	}
	for (uint32_t i = first; i <= last; i++)
		if (series->duration_ns[i] > 0 &&
		    !(fabs(series->t_ns[i] - middle / sum) >= fabs(nearest - middle / sum)))
			nearest = series->t_ns[i];
	return nearest;
}

uint32_t series_smooth(struct series *series, const double *column, double width_ns, double **ret_t_ns,
		       double **ret_means)
{
	double *times = column_new(series, 0), *means = column_new(series, 0);
	double sum = 0, weight = 0, start = series->count ? series->t_ns[0] : 0;
	uint32_t count = 0, first = 0;

	if (!times || !means)
		return 0;
	for (uint32_t i = 0; i < series->count; i++) {
		if (!isnan(column[i])) {
			sum += column[i] * series->duration_ns[i];
			weight += series->duration_ns[i];
		}
		if (i + 1 < series->count && series->t_ns[i + 1] - start < width_ns)
			continue;
		if (weight > 0) {
			times[count] = mean_at(series, first, i);
			means[count++] = sum / weight;
		}
		if (!series->duration_ns[i]) {	/* a pause ends here: it breaks the line */
			times[count] = series->t_ns[i];
			means[count++] = NAN;
		}
		sum = weight = 0;
		start = i + 1 < series->count ? series->t_ns[i + 1] : 0;
		first = i + 1;
	}
	*ret_t_ns = times;
	*ret_means = means;
	return count;
}
