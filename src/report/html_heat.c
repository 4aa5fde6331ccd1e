#include "report/html_heat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "report/chart.h"

#define COLUMNS_MAX 500u
#define ROWS 120u
#define SHADES 48u
#define TABLE_ROWS 20u

struct heat {
	const struct report_step *step;
	double low_log, per_log;	/* row = (log(value) - low_log) * per_log */
	double columns_per_ns;
	uint32_t columns;
	double *counts;			/* columns * ROWS */
};

static void add_slots(struct heat *heat, double *column, const struct histogram *histogram)
{
	uint32_t first = histogram_index(histogram->moments.min_ns, HISTOGRAM_BITS);
	uint32_t last = histogram_index(histogram->moments.max_ns, HISTOGRAM_BITS);

	first -= first > 0;
	for (uint32_t i = first; i <= last && i < HISTOGRAM_SLOTS; i++) {
		double row;

		if (!histogram->slot[i])
			continue;
		row = (log(fmax((double)histogram_slot_low(i, HISTOGRAM_BITS), 1)) - heat->low_log) *
		      heat->per_log;
		column[(uint32_t)fmin(fmax(row, 0), ROWS - 1)] += (double)histogram->slot[i];
	}
}

static int add_interval(void *context, const struct interval_row *row, const struct histogram *service)
{
	struct heat *heat = context;
	double at = ((double)row->start_ns + (double)row->duration_ns / 2) * heat->columns_per_ns;

	if (!service || !service->moments.n || !report_step_has_load(heat->step, row->load))
		return 0;
	add_slots(heat, heat->counts + ROWS * (uint32_t)fmin(at, heat->columns - 1), service);
	return 0;
}

/* Cividis (Nunez, Anderton & Renslow 2018), at ten places. */
static struct raster_color shade(double share)
{
	static const uint8_t anchors[10][3] = {
		{ 0x00, 0x20, 0x4d }, { 0x00, 0x33, 0x6f }, { 0x39, 0x48, 0x6b }, { 0x57, 0x5c, 0x6d },
		{ 0x70, 0x71, 0x73 }, { 0x8a, 0x87, 0x79 }, { 0xa6, 0x9d, 0x75 }, { 0xc4, 0xb5, 0x6c },
		{ 0xe4, 0xcf, 0x5b }, { 0xff, 0xea, 0x46 },
	};
	double place = share * 9;
	uint32_t from = place >= 9 ? 8 : (uint32_t)place;
	double part = place - from;
	uint8_t mixed[3];

	for (int i = 0; i < 3; i++)
		mixed[i] =
			(uint8_t)(anchors[from][i] + part * (anchors[from + 1][i] - anchors[from][i]) + 0.5);
	return (struct raster_color){ mixed[0], mixed[1], mixed[2], 255 };
}

static void paint(const struct heat *heat, struct raster *raster)
{
	double highest = 1;

	for (uint32_t i = 0; i < heat->columns * ROWS; i++)
		highest = fmax(highest, heat->counts[i]);
	for (uint32_t i = 0; i < SHADES; i++)
		raster->colors[1 + i] = shade(i / (SHADES - 1.0));
	raster->color_count = SHADES + 1;
	for (uint32_t x = 0; x < heat->columns; x++)
		for (uint32_t y = 0; y < ROWS; y++) {
			double count = heat->counts[x * ROWS + y];

			if (count > 0)
				raster->pixels[(ROWS - 1 - y) * heat->columns + x] =
					(uint8_t)(1 + (SHADES - 1) * log(1 + count) / log(1 + highest));
		}
}

/* Percentile lines of the busiest direction. */
static void lines(struct html *html, struct chart *chart, const struct report_step *step,
		  const struct series *series)
{
	const struct series_op *busiest = NULL;
	uint64_t most = 0;
	double *times = arena_alloc(&html->arena, series->count * sizeof(*times) + 1);

	for (int op = 0; op < IO_OPS; op++)
		if (series->op[op].used && step->loads[0].op[op].ios > most) {
			busiest = &series->op[op];
			most = step->loads[0].op[op].ios;
		}
	if (!busiest || !times || step->load_count > 1)
		return;
	for (uint32_t i = 0; i < series->count; i++)
		times[i] = series->t_ns[i] - (double)step->record->started_ns;
	chart_line(chart, 1, times, busiest->p999_ns, series->count, "p99.9");
	chart_line(chart, 3, times, busiest->p99_ns, series->count, "p99");
	chart_line(chart, 0, times, busiest->p50_ns, series->count, "p50");
}

/* Percentiles of the busiest direction over equal parts of the time: medians and highest of its intervals'.
 */
static void table(struct html *html, const struct heat *heat, const struct series *series)
{
	static const char *const names[] = { "from", "I/Os", "slowest p99", "slowest p99.9", "max" };
	struct page *page = html->page;
	double length = (double)heat->step->record->duration_ns;
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, names, 5, 0);
	for (uint32_t row = 0; row < TABLE_ROWS; row++) {
		double from = length * row / TABLE_ROWS, to = length * (row + 1) / TABLE_ROWS;
		double ios = 0, p99 = NAN, p999 = NAN, max = NAN;

		for (uint32_t i = 0; i < series->count; i++) {
			double at = series->t_ns[i] - (double)heat->step->record->started_ns;

			for (int op = 0; op < IO_OPS && at >= from && at < to; op++) {
				const struct series_op *what = &series->op[op];

				if (!what->used || isnan(what->iops[i]))
					continue;
				ios += what->iops[i] * series->duration_ns[i] / 1e9;
				p99 = fmax(p99, what->p99_ns[i]);
				p999 = fmax(p999, what->p999_ns[i]);
				max = fmax(max, what->max_ns[i]);
			}
		}
		page_row_begin(page);
		page_number(page, page_time_text(from, number));
		page_number(page, page_count_text(round(ios), number));
		html_latency(page, p99);
		html_latency(page, p999);
		html_latency(page, max);
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

static void draw(struct html *html, const struct heat *heat, const struct series *series, double low,
		 double high, const struct raster *raster, const char *title)
{
	struct page *page = html->page;
	struct chart chart = {
		.x = { .scale = { SCALE_LINEAR, 0, (double)heat->step->record->duration_ns },
		       .unit = UNIT_TIME,
		       .title = say(page, "time") },
		.y = { .scale = { SCALE_LOG10, low, high },
		       .unit = UNIT_LATENCY,
		       .title = say(page, "latency (log)") },
	};

	chart_begin(&chart, page, CHART_WIDE, title,
		    say(page, "Every I/O counted: the brighter, the more of them in that time "
			      "and range of latency (logarithmic)."));
	chart_raster(&chart, raster);
	lines(html, &chart, heat->step, series);
	chart_draw_end(&chart);
	chart_finding(page, say(page, "All I/Os of the step by time and service time; bright is many, dark "
				      "is few, bare is none. "
				      "Lines are percentiles of single intervals."));
	table(html, heat, series);
	chart_close(page);
}

static void range_of(const struct report_step *step, double *ret_low, double *ret_high)
{
	double low = INFINITY, high = 0;

	for (uint32_t i = 0; i < step->load_count; i++)
		for (int op = 0; op < IO_OPS; op++) {
			const struct report_latency *latency = &step->loads[i].op[op].service;

			if (!latency->n)
				continue;
			low = fmin(low, fmax((double)latency->min_ns, 1));
			high = fmax(high, (double)latency->max_ns);
		}
	*ret_low = pow(10, floor(log10(low)));
	*ret_high = fmax(pow(10, ceil(log10(high))), *ret_low * 10);
}

int html_heat(struct html *html, const struct report_step *step, const struct series *series,
	      const char *title)
{
	struct heat heat = { .step = step,
			     .columns = series->count < COLUMNS_MAX ? series->count : COLUMNS_MAX };
	struct raster raster = { 0 };
	double low, high;
	int error;

	range_of(step, &low, &high);
	if (!isfinite(low) || !(high > low) || !step->record->duration_ns)
		return 0;
	heat.low_log = log(low);
	heat.per_log = ROWS / log(high / low);
	heat.columns_per_ns = heat.columns / (double)step->record->duration_ns;
	heat.counts = calloc((size_t)heat.columns * ROWS, sizeof(*heat.counts));
	error = heat.counts ? raster_init(&raster, heat.columns, ROWS) : -ENOMEM;
	if (!error)
		error = store_each_interval(html->model->store, step->record->id, -1, true, add_interval,
					    &heat);
	if (!error) {
		paint(&heat, &raster);
		draw(html, &heat, series, low, high, &raster, title);
	}
	raster_release(&raster);
	free(heat.counts);
	return error;
}
