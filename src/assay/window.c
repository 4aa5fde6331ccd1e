#include "assay/window.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/spread.h"
#include "store/json_reader.h"

#define UNIT_MIN_S 0.01

static const char *verdict_name(const json_t *verdict)
{
	const char *name = json_string_value(json_object_get(verdict, "verdict"));

	return name ? name : "";
}

bool window_verified(const struct evidence *evidence, const struct step_record *step,
		     struct window *ret_window)
{
	const json_t *window = json_object_get(step_verdict(evidence, step), "window");

	if (!step_steady(evidence, step) || !json_is_object(window))
		return false;
	*ret_window = (struct window){
		.start_ns = json_count_in(window, "start_ns"),
		.end_ns = json_count_in(window, "end_ns"),
	};
	return ret_window->end_ns > ret_window->start_ns;
}

bool window_of(const struct evidence *evidence, const struct step_record *step, struct window *ret_window)
{
	const json_t *verdict = step_verdict(evidence, step);
	bool settled;

	if (window_verified(evidence, step, ret_window))
		return true;
	settled = json_is_true(json_object_get(json_object_get(verdict, "gate"), "settled_before"));
	if (settled && strcmp(verdict_name(verdict), "drifting")) {
		*ret_window = (struct window){ step->measured_start_ns, step->duration_ns, true };
		return step->duration_ns > step->measured_start_ns;
	}
	return false;
}

double window_seconds(const struct window *window)
{
	return (double)(window->end_ns - window->start_ns) / 1e9;
}

static double unit_of(const struct evidence *evidence)
{
	double scale = evidence->run->scale;

	return scale > 0 && scale < 1 ? fmax(scale, UNIT_MIN_S) : 1;
}

/* Shares an interval's I/Os out to the units it covers. */
static void unit_add(double *iops, uint32_t count, double unit, double start, double duration, double ios)
{
	double end = start + duration;

	for (double at = fmax(start, 0); at < end;) {
		uint32_t index = (uint32_t)(at / unit + 1e-9);
		double next = fmin(end, (index + 1) * unit);

		if (index >= count || next <= at)
			return;
		iops[index] = (isnan(iops[index]) ? 0 : iops[index]) + ios * (next - at) / duration / unit;
		at = next;
	}
}

int window_iops(const struct evidence *evidence, const struct step_record *step, const struct window *window,
		double **ret_iops, uint32_t *ret_count, double *ret_unit_s)
{
	double unit = unit_of(evidence), start = (double)window->start_ns / 1e9;
	uint32_t count = (uint32_t)(window_seconds(window) / unit + 1e-6);
	struct store_series series;
	double *iops;
	int error;

	if ((double)step->interval_ns > 1.01e9 * unit)
		return -ERANGE;
	error = store_step_series(evidence->store, step->id, STORE_ALL, STORE_ALL, LATENCY_SERVICE, &series);
	if (error)
		return error;
	iops = malloc((count + 1) * sizeof(*iops));
	for (uint32_t i = 0; iops && i < count; i++)
		iops[i] = NAN;
	for (uint32_t i = 0; iops && i < series.count; i++)
		if (series.duration_s[i] > 0)
			unit_add(iops, count, unit, series.start_s[i] - start, series.duration_s[i],
				 series.ios[i]);
	store_series_release(&series);
	if (!iops)
		return -ENOMEM;
	*ret_iops = iops;
	*ret_count = count;
	*ret_unit_s = unit;
	return 0;
}

const double window_percentiles[WINDOW_PERCENTILES] = { 50, 99, 99.9, 99.99, 99.999 };

/* Which part of the step an interval belongs to: 0 before the window, 1 in it, -1 neither. */
static int part_of(const struct window *window, const struct interval_row *row)
{
	uint64_t end_ns = row->start_ns + row->duration_ns;

	if (row->ramp)
		return -1;
	return end_ns <= window->start_ns                                      ? 0
	       : row->start_ns >= window->start_ns && end_ns <= window->end_ns ? 1
									       : -1;
}

struct gather {
	const struct window *window;
	struct window_part *parts[2];
	struct spread spreads[2][IO_OPS];
};

static int gather_row(void *context, const struct interval_row *row, const struct histogram *service)
{
	struct gather *gather = context;
	int part = part_of(gather->window, row);

	if (part >= 0 && service)
		histogram_add(&gather->parts[part]->times[row->op], service);
	return 0;
}

static int spread_row(void *context, const struct interval_row *row, const struct histogram *service)
{
	struct gather *gather = context;
	int part = part_of(gather->window, row);

	if (part >= 0 && service)
		spread_add(&gather->spreads[part][row->op], row->start_ns, service);
	return 0;
}

static int spreads_begin(struct gather *gather)
{
	const uint64_t start_ns[2] = { 0, gather->window->start_ns };
	const uint64_t length_ns[2] = { gather->window->start_ns,
					gather->window->end_ns - gather->window->start_ns };
	uint64_t values[WINDOW_PERCENTILES];
	int error = 0;

	for (int part = 0; part < 2; part++)
		for (int op = 0; op < IO_OPS && !error; op++) {
			for (uint32_t i = 0; i < WINDOW_PERCENTILES; i++)
				values[i] = histogram_percentile(&gather->parts[part]->times[op],
								 window_percentiles[i] / 100);
			error = spread_init(&gather->spreads[part][op], values, WINDOW_PERCENTILES);
			if (!error)
				error = spread_run(&gather->spreads[part][op], start_ns[part],
						   length_ns[part]);
		}
	return error;
}

static void spreads_end(struct gather *gather)
{
	for (int part = 0; part < 2; part++)
		for (int op = 0; op < IO_OPS; op++) {
			for (uint32_t i = 0; i < WINDOW_PERCENTILES && gather->spreads[part][op].runs; i++)
				gather->parts[part]->effective[op][i] =
					spread_effective(&gather->spreads[part][op], i,
							 gather->parts[part]->times[op].moments.n);
			spread_release(&gather->spreads[part][op]);
		}
}

int window_times(const struct evidence *evidence, const struct step_record *step, const struct window *window,
		 struct window_times *times)
{
	struct gather gather = { .window = window, .parts = { &times->before, &times->inside } };
	int error;

	for (int op = 0; op < IO_OPS; op++) {
		histogram_clear(&times->inside.times[op]);
		histogram_clear(&times->before.times[op]);
	}
	error = store_each_interval(evidence->store, step->id, STORE_ALL, true, gather_row, &gather);
	if (!error)
		error = spreads_begin(&gather);
	if (!error)
		error = store_each_interval(evidence->store, step->id, STORE_ALL, true, spread_row, &gather);
	spreads_end(&gather);
	return error;
}

struct tallying {
	const struct window *window;
	struct tally *tally;
	enum latency_kind kind;
	uint64_t last_index; /* + 1 */
};

static int tally_row(void *context, const struct interval_row *row, const struct histogram *times)
{
	struct tallying *tallying = context;
	struct op_tally *op = &tallying->tally->op[row->op];

	if (part_of(tallying->window, row) != 1)
		return 0;
	if (times)
		histogram_add(tallying->kind == LATENCY_RESPONSE ? &op->response : &op->service, times);
	if (tallying->kind == LATENCY_RESPONSE)
		return 0;
	op->ios += row->ios;
	op->bytes += row->bytes;
	op->errors += row->errors;
	if (tallying->last_index != row->index + 1)
		tallying->tally->end_ns += interval_sent_ns(row);
	tallying->last_index = row->index + 1;
	return 0;
}

int window_tally(const struct evidence *evidence, const struct load_record *load, const struct window *window,
		 struct tally *ret_tally)
{
	struct tallying tallying = { .window = window, .tally = ret_tally, .kind = LATENCY_SERVICE };
	enum latency_kind kinds = load->open_loop ? LATENCY_RESPONSE + 1 : LATENCY_SERVICE + 1;
	int error = 0;

	tally_clear(ret_tally);
	for (; tallying.kind < kinds && !error; tallying.kind++)
		error = store_each_interval_of(evidence->store, load->step, (int32_t)load->load,
					       tallying.kind, true, tally_row, &tallying);
	return error;
}
