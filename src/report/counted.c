#include "report/counted.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

bool counted_interval(const struct report_step *step, const struct interval_row *row)
{
	return !row->ramp && row->start_ns >= step->part.from_ns &&
	       row->start_ns + row->duration_ns <= step->part.to_ns;
}

static struct report_load *load_find(struct report_step *step, uint32_t number)
{
	for (uint32_t i = 0; i < step->load_count; i++)
		if (step->loads[i].record->load == number)
			return &step->loads[i];
	return NULL;
}

static struct report_latency *latency_of(struct report_op *op, enum latency_kind kind)
{
	return kind == LATENCY_SERVICE    ? &op->service
	       : kind == LATENCY_RESPONSE ? &op->response
					  : &op->lateness;
}

/* Kinds that some load of the step has. */
static enum latency_kind kinds_of(const struct report_step *step)
{
	for (uint32_t i = 0; i < step->load_count; i++)
		if (step->loads[i].record->open_loop)
			return LATENCY_KINDS;
	return LATENCY_SERVICE + 1;
}

/* -- the window -- */

struct window {
	struct report_model *model;
	struct report_step *step;
	enum latency_kind kind;
	struct {
		uint64_t last_index, seen_ns;		/* index + 1; time covered */
		double in_flight_ns, ios[IO_OPS], bytes[IO_OPS];
	} *loads;
};

static void window_counts(struct window *window, uint32_t load, const struct interval_row *row)
{
	/* not another op of the same interval */
	if (window->loads[load].last_index != row->index + 1) {
		window->loads[load].last_index = row->index + 1;
		window->loads[load].seen_ns += interval_sent_ns(row);
		window->loads[load].in_flight_ns += row->in_flight_ns;
	}
	window->loads[load].ios[row->op] += (double)row->ios;
	window->loads[load].bytes[row->op] += (double)row->bytes;
}

static int window_row(void *context, const struct interval_row *row, const struct histogram *times)
{
	struct window *window = context;
	struct report_load *load = load_find(window->step, row->load);
	struct report_latency *latency = load ? latency_of(&load->op[row->op], window->kind) : NULL;
	struct histogram *sum;

	if (!load || !counted_interval(window->step, row))
		return 0;
	if (window->kind == LATENCY_SERVICE)
		window_counts(window, (uint32_t)(load - window->step->loads), row);
	if (!times || !times->moments.n)
		return 0;
	sum = latency->histogram ? (struct histogram *)(uintptr_t)latency->histogram :
		arena_alloc(&window->model->arena, sizeof(*sum));
	if (!sum)
		return -ENOMEM;
	if (!latency->histogram)
		histogram_clear(sum);
	histogram_add(sum, times);
	latency->histogram = sum;
	return 0;
}

static void window_rates(const struct window *window)
{
	for (uint32_t i = 0; i < window->step->load_count; i++) {
		struct report_load *load = &window->step->loads[i];
		double seconds = (double)window->loads[i].seen_ns / 1e9;

		for (int op = 0; op < IO_OPS && seconds > 0; op++)
			if (load->record->total) {
				load->op[op].iops = window->loads[i].ios[op] / seconds;
				load->op[op].bytes_per_second = window->loads[i].bytes[op] / seconds;
			}
		load->depth_reached = seconds > 0 ? window->loads[i].in_flight_ns / 1e9 / seconds : NAN;
	}
}

/* In place of the totals' histograms and rates. */
static int window_fill(struct report_model *model, struct report_step *step)
{
	struct window window = { .model = model,
				 .step = step,
				 .loads = calloc(step->load_count, sizeof(*window.loads)) };
	int error = window.loads ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < step->load_count; i++)
		for (int op = 0; op < IO_OPS; op++)
			for (int kind = 0; kind < LATENCY_KINDS; kind++)
				latency_of(&step->loads[i].op[op], (enum latency_kind)kind)->histogram = NULL;
	for (; window.kind < kinds_of(step) && !error; window.kind++)
		error = store_each_interval_of(model->store, step->record->id, -1, window.kind, true,
					       window_row, &window);
	if (!error)
		window_rates(&window);
	free(window.loads);
	return error;
}

/* -- spreads -- */

static int run_of(struct spread *spread, const struct report_step *step)
{
	uint64_t from = step->part.from_ns, to = step->part.to_ns;

	if (to > step->record->duration_ns)
		to = step->record->duration_ns;
	return spread_run(spread, from, to > from ? to - from : 0);
}

/* One of each direction of each load. */
struct spreads {
	struct report_step *step;
	struct spread (*of)[IO_OPS];
};

static int spreads_row(void *context, const struct interval_row *row, const struct histogram *times)
{
	struct spreads *spreads = context;
	struct report_load *load = load_find(spreads->step, row->load);
	struct spread *spread = load ? &spreads->of[load - spreads->step->loads][row->op] : NULL;

	if (spread && spread->runs && times && counted_interval(spreads->step, row))
		spread_add(spread, row->start_ns, times);
	return 0;
}

static int spreads_read(struct report_model *model, struct spreads *spreads, enum latency_kind kind)
{
	struct report_step *step = spreads->step;
	uint64_t values[REPORT_PERCENTILES];
	int error = 0;

	for (uint32_t i = 0; i < step->load_count; i++)
		for (int op = 0; op < IO_OPS && !error; op++) {
			struct report_latency *latency = latency_of(&step->loads[i].op[op], kind);

			if (!latency->histogram || !latency->histogram->moments.n)
				continue;
			report_percentile_values(latency->histogram, values);
			error = spread_init(&spreads->of[i][op], values, REPORT_PERCENTILES);
			if (!error)
				error = run_of(&spreads->of[i][op], step);
		}
	if (!error)
		error = store_each_interval_of(model->store, step->record->id, -1, kind, true, spreads_row,
					       spreads);
	return error;
}

static int latencies_fill(struct report_model *model, struct report_step *step, enum latency_kind kind)
{
	struct spreads spreads = { step, calloc(step->load_count, sizeof(*spreads.of)) };
	int error = spreads.of ? spreads_read(model, &spreads, kind) : -ENOMEM;

	for (uint32_t i = 0; i < step->load_count && spreads.of; i++)
		for (int op = 0; op < IO_OPS; op++) {
			struct report_latency *latency = latency_of(&step->loads[i].op[op], kind);

			if (!error && spreads.of[i][op].runs)
				report_latency_init(latency, latency->histogram, &spreads.of[i][op]);
			spread_release(&spreads.of[i][op]);
		}
	free(spreads.of);
	return error;
}

int counted_fill(struct report_model *model, struct report_step *step)
{
	int error = step->load_count && step->part.verified ? window_fill(model, step) : 0;

	for (enum latency_kind kind = 0; kind < kinds_of(step) && step->load_count && !error; kind++)
		error = latencies_fill(model, step, kind);
	for (uint32_t i = 0; i < step->load_count; i++)
		for (int op = 0; op < IO_OPS; op++)
			step->loads[i].iops +=
				isnan(step->loads[i].op[op].iops) ? 0 : step->loads[i].op[op].iops;
	return error;
}

/* -- several loads -- */

static bool stands_for(int op, int kind)
{
	return op == kind || op == COUNTED_ALL;
}

struct merging {
	const struct counted_load *of;
	int op;
	enum latency_kind kind;
	struct spread *spread;
};

static int merging_row(void *context, const struct interval_row *row, const struct histogram *times)
{
	struct merging *merging = context;
	bool response = merging->of->load->op[row->op].response.n > 0;

	if (times && stands_for(merging->op, (int)row->op) &&
	    response == (merging->kind == LATENCY_RESPONSE) && counted_interval(merging->of->step, row))
		spread_add(merging->spread, row->start_ns, times);
	return 0;
}

static int merging_load(struct store *store, struct merging *merging)
{
	const struct counted_load *of = merging->of;
	int error = 0;

	for (int clock = 0; clock < 2 && !error; clock++) {
		bool any = false;

		merging->kind = clock ? LATENCY_RESPONSE : LATENCY_SERVICE;
		for (int op = 0; op < IO_OPS; op++)
			any |= stands_for(merging->op, op) && of->load->op[op].used &&
			       (of->load->op[op].response.n > 0) == clock;
		if (any)
			error = store_each_interval_of(store, of->step->record->id,
						       (int32_t)of->load->record->load, merging->kind, true,
						       merging_row, merging);
	}
	return error;
}

int counted_spread(struct store *store, const struct counted_load *loads, uint32_t load_count, int op,
		   const uint64_t *value_ns, uint32_t count, struct spread *spread)
{
	struct merging merging = { .op = op, .spread = spread };
	int error = spread_init(spread, value_ns, count);

	for (uint32_t i = 0; i < load_count && !error; i++) {
		merging.of = &loads[i];
		if (!i || loads[i].step != loads[i - 1].step)
			error = run_of(spread, loads[i].step);
		if (!error)
			error = merging_load(store, &merging);
	}
	return error;
}

/* Adds their histograms; returns how many, and the last of them. */
static uint32_t histograms_add(const struct counted_load *loads, uint32_t count, int op,
			       struct histogram *histogram, const struct report_latency **ret_last)
{
	uint32_t added = 0;

	histogram_clear(histogram);
	for (uint32_t i = 0; i < count; i++)
		for (int kind = 0; kind < IO_OPS; kind++) {
			const struct report_latency *latency =
				report_natural(loads[i].load, (enum io_op)kind);

			if (!stands_for(op, kind) || !latency->histogram || !latency->n)
				continue;
			histogram_add(histogram, latency->histogram);
			*ret_last = latency;
			added++;
		}
	return added;
}

void counted_histogram(const struct counted_load *loads, uint32_t count, int op,
		       struct histogram *ret_histogram)
{
	const struct report_latency *last;

	histograms_add(loads, count, op, ret_histogram, &last);
}

int counted_merge(struct store *store, const struct counted_load *loads, uint32_t count, int op,
		  struct histogram *histogram, struct report_latency *ret_latency)
{
	const struct report_latency *only;
	uint64_t values[REPORT_PERCENTILES];
	struct spread spread = { 0 };
	uint32_t added = histograms_add(loads, count, op, histogram, &only);
	int error = 0;

	if (added == 1) {	/* told already */
		*ret_latency = *only;
		ret_latency->histogram = histogram;
		return 0;
	}
	report_percentile_values(histogram, values);
	if (added)
		error = counted_spread(store, loads, count, op, values, REPORT_PERCENTILES, &spread);
	if (!error)
		report_latency_init(ret_latency, histogram, added ? &spread : NULL);
	spread_release(&spread);
	return error;
}
