#include "report/html_latency_time.h"

#include <math.h>
#include <stdio.h>
#include "report/explore.h"

#define TABLE_ROWS 20u

enum latency_figure { LATENCY_MEAN, LATENCY_LONGEST, LATENCY_DEVIATION, LATENCY_FIGURES };

static const char *const titles[LATENCY_FIGURES] = { "Mean latency against time",
						     "Longest latency against time",
						     "Standard deviation of latency against time" };

static const double *column_of(const struct series *series, int op, enum latency_figure figure)
{
	const struct series_op *what = &series->op[op];
	const double *const columns[LATENCY_FIGURES] = { what->mean_ns, what->max_ns, what->deviation_ns };

	return what->used ? columns[figure] : NULL;
}

static bool range_of(const struct series *series, enum latency_figure figure, double *ret_low,
		     double *ret_high)
{
	double low = INFINITY, high = 0;

	for (int op = 0; op < IO_OPS; op++) {
		const double *column = column_of(series, op, figure);

		for (uint32_t i = 0; column && i < series->count; i++) {
			low = column[i] > 0 ? fmin(low, column[i]) : low;
			high = fmax(high, column[i]);
		}
	}
	*ret_low = pow(10, floor(log10(low)));
	*ret_high = fmax(pow(10, ceil(log10(high * 1.0001))), 10 * *ret_low);
	return high > 0 && isfinite(low);
}

static void lines(struct chart *chart, const struct stretch *stretch, enum latency_figure figure)
{
	const struct series *series = &stretch->series[0];
	double *times = arena_alloc(&stretch->html->arena, series->count * sizeof(*times) + 1);

	for (uint32_t i = 0; times && i < series->count; i++)
		times[i] = series->t_ns[i] - stretch->origin_ns;
	for (int op = 0; times && op < IO_OPS; op++) {
		const double *column = column_of(series, op, figure);

		if (column)
			chart_line(chart, (uint32_t)op, times, column, series->count,
				   html_direction(chart->page, op));
	}
}

/* Of the busiest direction. */
static void finding(struct page *page, const struct series *series, enum latency_figure figure)
{
	double lowest = INFINITY, highest = 0;
	char low[PAGE_NUMBER], high[PAGE_NUMBER], last[PAGE_NUMBER];
	double latest = NAN;

	for (int op = 0; op < IO_OPS; op++) {
		const double *column = column_of(series, op, figure);

		for (uint32_t i = 0; column && i < series->count; i++) {
			if (isnan(column[i]))
				continue;
			lowest = fmin(lowest, column[i]);
			highest = fmax(highest, column[i]);
			latest = column[i];
		}
	}
	page_raw(page, "<figcaption>");
	page_format(page, say(page, "From %s to %s over the intervals; %s in the last one."),
		    page_latency_text(lowest, low), page_latency_text(highest, high),
		    page_latency_text(latest, last));
	page_raw(page, "</figcaption>\n");
}

static double part_of(const struct stretch *stretch, const double *column, enum latency_figure figure,
		      double from_ns, double to_ns)
{
	const struct series *series = &stretch->series[0];
	double sum = 0, highest = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < series->count; i++) {
		double at = series->t_ns[i] - stretch->origin_ns;

		if (isnan(column[i]) || at < from_ns || at >= to_ns)
			continue;
		sum += column[i];
		highest = fmax(highest, column[i]);
		count++;
	}
	if (!count)
		return NAN;
	return figure == LATENCY_LONGEST ? highest : sum / count;
}

static void table(const struct stretch *stretch, enum latency_figure figure)
{
	const struct series *series = &stretch->series[0];
	struct page *page = stretch->html->page;
	const char *names[1 + IO_OPS] = { "from" };
	uint32_t columns = 1;
	char number[PAGE_NUMBER];

	for (int op = 0; op < IO_OPS; op++)
		if (column_of(series, op, figure))
			names[columns++] = io_op_name((enum io_op)op);
	chart_table_begin(page);
	page_table_begin(page, names, columns, 0);
	for (uint32_t row = 0; row < TABLE_ROWS; row++) {
		double from = stretch->to_ns * row / TABLE_ROWS, to = stretch->to_ns * (row + 1) / TABLE_ROWS;

		page_row_begin(page);
		page_number(page, page_time_text(from, number));
		for (int op = 0; op < IO_OPS; op++)
			if (column_of(series, op, figure))
				html_latency(page, part_of(stretch, column_of(series, op, figure), figure,
							   from, to));
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

static void latency_chart(const struct stretch *stretch, enum latency_figure figure)
{
	struct page *page = stretch->html->page;
	struct chart chart = { .x = stretch_time_axis(stretch),
			       .y = { .unit = UNIT_LATENCY, .title = say(page, "latency (log)") } };
	double low, high;
	char title[256];

	if (!range_of(&stretch->series[0], figure, &low, &high))
		return;
	chart.y.scale = (struct scale){ SCALE_LOG10, low, high };
	snprintf(title, sizeof(title), "%s \xc2\xb7 %s", say(page, titles[figure]), stretch->steps[0].label);
	chart_begin(&chart, page, CHART_HALF, title,
		    say(page, "A line per direction, interval by interval."));
	lines(&chart, stretch, figure);
	chart_draw_end(&chart);
	finding(page, &stretch->series[0], figure);
	table(stretch, figure);
	chart_close(page);
}

void html_latency_time(const struct stretch *stretch)
{
	if (!stretch_is_long(stretch) || stretch->steps[0].load_count != 1)
		return;
	page_raw(stretch->html->page, "<div class=\"grid\">\n");
	for (int figure = 0; figure < LATENCY_FIGURES; figure++)
		latency_chart(stretch, (enum latency_figure)figure);
	page_raw(stretch->html->page, "</div>\n");
}
