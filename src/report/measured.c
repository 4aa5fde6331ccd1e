#include "report/measured.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "analyze/effective.h"
#include "report/counted.h"

#define INTERVALS_LEAST 20u
#define INTERVALS_MAX (1u << 20)	/* more than a run file may sensibly have; later ones don't count */
#define TWO_SIDED 1.96

/* -- pieces -- */

int pieces_init(struct pieces *pieces)
{
	*pieces = (struct pieces){ .sample = bootstrap_sample_new(), .total = malloc(sizeof(*pieces->total)) };
	if (!pieces->sample || !pieces->total)
		return -ENOMEM;
	histogram_clear(pieces->total);
	return 0;
}

void pieces_release(struct pieces *pieces)
{
	bootstrap_sample_free(pieces->sample);
	for (uint32_t i = 0; i < pieces->count; i++)
		free(pieces->blocks[i]);
	free(pieces->blocks);
	free(pieces->total);
	*pieces = (struct pieces){ 0 };
}

/* The next piece, empty. */
static struct histogram *piece_new(struct pieces *pieces)
{
	struct histogram *piece = malloc(sizeof(*piece));

	if (pieces->count == pieces->capacity) {
		uint32_t capacity = pieces->capacity ? 2 * pieces->capacity : 64;
		struct histogram **blocks = reallocarray(pieces->blocks, capacity, sizeof(*blocks));

		if (!blocks) {
			free(piece);
			return NULL;
		}
		pieces->blocks = blocks;
		pieces->capacity = capacity;
	}
	if (piece) {
		histogram_clear(piece);
		pieces->blocks[pieces->count++] = piece;
	}
	return piece;
}

struct cut {
	struct pieces *pieces;
	const struct report_step *step;
	enum io_op op;
	uint64_t length_ns;
	uint32_t first;			/* piece of this step */
};

static int cut_interval(void *context, const struct interval_row *row, const struct histogram *latency)
{
	struct cut *cut = context;
	uint32_t at = (uint32_t)((row->start_ns + row->duration_ns / 2) / cut->length_ns);

	if (row->op != cut->op || !latency || !latency->moments.n ||
	    !report_step_has_load(cut->step, row->load) || !counted_interval(cut->step, row))
		return 0;
	while (cut->pieces->count <= cut->first + at)
		if (!piece_new(cut->pieces))
			return -ENOMEM;
	histogram_add(cut->pieces->blocks[cut->first + at], latency);
	return 0;
}

static uint64_t piece_length(const struct report_step *step)
{
	uint64_t length = step->record->duration_ns / PIECES_OF_STEP;
	uint64_t shortest = step->record->interval_ns;

	if (length < PIECE_NS)
		length = step->record->duration_ns > 20ull * PIECE_NS ? PIECE_NS
								      : step->record->duration_ns / 20;
	return length > shortest ? length : shortest ? shortest : 1;
}

static enum latency_kind kind_of(const struct report_step *step, enum io_op op)
{
	for (uint32_t i = 0; i < step->load_count; i++)
		if (step->loads[i].op[op].response.n)
			return LATENCY_RESPONSE;
	return LATENCY_SERVICE;
}

int pieces_add(struct pieces *pieces, struct store *store, const struct report_step *step, enum io_op op)
{
	struct cut cut = { .pieces = pieces, .step = step, .op = op,
			   .length_ns = piece_length(step), .first = pieces->count };
	int error = store_each_interval_of(store, step->record->id, -1, kind_of(step, op), true, cut_interval,
					   &cut);

	if (!error)
		error = bootstrap_sample_run(pieces->sample);
	for (uint32_t i = cut.first; i < pieces->count && !error; i++) {
		histogram_add(pieces->total, pieces->blocks[i]);
		error = bootstrap_sample_add(pieces->sample, pieces->blocks[i]);
	}
	return error;
}

double pieces_effective(const struct pieces *pieces, double p)
{
	if (!pieces->total->moments.n)
		return 0;
	return effective_samples((const struct histogram *const *)pieces->blocks, pieces->count,
				 histogram_percentile(pieces->total, p));
}

/* -- figures -- */

struct rates {
	const struct report_step *step;
	enum io_op op;
	uint64_t count;			/* intervals that `ios` and `seconds` have room for */
	double *ios, *seconds;		/* by interval; 0 s: none */
};

static int rates_interval(void *context, const struct interval_row *row, const struct histogram *latency)
{
	struct rates *rates = context;
	if (row->index >= rates->count || !report_step_has_load(rates->step, row->load) ||
	    !counted_interval(rates->step, row))
		return 0;
	rates->seconds[row->index] = fmax(rates->seconds[row->index], (double)interval_sent_ns(row) / 1e9);
	if (row->op == rates->op)
		rates->ios[row->index] += (double)row->ios;
	return 0;
}

/* How sure the mean of I/Os per second is: intervals are correlated. The columns become rates. */
static void rates_interval_of_mean(struct rates *rates, struct measured *measured)
{
	double squares = 0;
	uint32_t count = 0;

	for (uint64_t i = 0; i < rates->count; i++)
		if (rates->seconds[i] > 0)
			rates->ios[count++] = rates->ios[i] / rates->seconds[i];
	measured->iops_low = measured->iops_high = NAN;
	for (uint32_t i = 0; i < count; i++)
		squares += (rates->ios[i] - measured->iops) * (rates->ios[i] - measured->iops);
	if (count >= INTERVALS_LEAST) {
		double half = TWO_SIDED * sqrt(squares / (count - 1) / effective_count(rates->ios, count));

		measured->iops_low = measured->iops - half;
		measured->iops_high = measured->iops + half;
	}
}

static int rates_read(struct measured *measured, struct store *store, const struct report_step *step,
		      enum io_op op)
{
	uint64_t interval = step->record->interval_ns ? step->record->interval_ns : 1;
	struct rates rates = { .step = step, .op = op,
			       .count = step->record->duration_ns / interval + 2 };
	int error;

	if (rates.count > INTERVALS_MAX)
		rates.count = INTERVALS_MAX;
	rates.ios = calloc(rates.count, sizeof(*rates.ios));
	rates.seconds = calloc(rates.count, sizeof(*rates.seconds));
	error = rates.ios && rates.seconds ? 0 : -ENOMEM;
	if (!error)
		error = store_each_interval(store, step->record->id, -1, false, rates_interval, &rates);
	if (!error)
		rates_interval_of_mean(&rates, measured);
	free(rates.ios);
	free(rates.seconds);
	return error;
}

static double told(const struct report_latency *latency, double percent)
{
	const struct report_percentile *percentile = report_latency_at(latency, percent);

	return percentile->grade == REPORT_REFUSED ? NAN : (double)percentile->value_ns;
}

static int latency_read(struct measured *measured, struct store *store, const struct report_step *step,
			enum io_op op)
{
	struct counted_load *loads = calloc(step->load_count + 1, sizeof(*loads));
	struct histogram *histogram = malloc(sizeof(*histogram));
	struct report_latency latency = { 0 };
	int error = loads && histogram ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < step->load_count && !error; i++)
		loads[i] = (struct counted_load){ step, &step->loads[i] };
	if (!error)
		error = counted_merge(store, loads, step->load_count, (int)op, histogram, &latency);
	if (!error) {
		measured->mean_ns = latency.mean_ns;
		measured->p99_ns = told(&latency, 99);
		measured->p999_ns = told(&latency, 99.9);
	}
	free(loads);
	free(histogram);
	return error ? error : latency.n > 0;
}

int measured_read(struct measured *ret_measured, struct store *store, const struct report_step *step,
		  enum io_op op)
{
	struct measured measured = { 0 };
	int error = latency_read(&measured, store, step, op);

	if (error <= 0)
		return error;
	for (uint32_t i = 0; i < step->load_count; i++)
		measured.iops += isnan(step->loads[i].op[op].iops) ? 0 : step->loads[i].op[op].iops;
	error = rates_read(&measured, store, step, op);
	if (error)
		return error;
	*ret_measured = measured;
	return 1;
}
