#include "report/html_latency_time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/explore.h"

#define TABLE_ROWS 20u
#define LINE_POINTS 1000u	/* of one step; more intervals are taken together */
#define SAMPLE_NS 60e9		/* then at least so long, as SNIA's tests sample */

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

/* What is drawn: single intervals, or parts of the time with their mean, or their longest. */
struct line {
	double *x, *y;
	uint32_t count;
};

/* Intervals taken together: each counts for its I/Os. */
struct taken {
	double sum, highest, ios;
};

static void take(struct taken *taken, const struct series *series, int op, const double *column,
		 uint32_t interval)
{
	double ios = series->op[op].iops[interval] * series->duration_ns[interval];

	if (isnan(column[interval]) || !(ios > 0))
		return;
	taken->sum += ios * column[interval];
	taken->ios += ios;
	taken->highest = fmax(taken->highest, column[interval]);
}

static double taken_value(const struct taken *taken, enum latency_figure figure)
{
	if (!(taken->ios > 0))
		return NAN;
	return figure == LATENCY_LONGEST ? taken->highest : taken->sum / taken->ios;
}

/* Zeroed when there is no memory, or nothing. */
static struct line line_of(const struct stretch *stretch, const struct series *series, int op,
			   enum latency_figure figure)
{
	const double *column = column_of(series, op, figure);
	double length = series->count ? series->t_ns[series->count - 1] - series->t_ns[0] : 0;
	double width = series->count <= LINE_POINTS ? 0 : fmax(SAMPLE_NS, length / LINE_POINTS);
	struct line line = { malloc((series->count + 1) * sizeof(*line.x)),
			     malloc((series->count + 1) * sizeof(*line.y)), 0 };

	for (uint32_t i = 0, end; line.x && line.y && column && i < series->count; i = end) {
		struct taken part = { 0 };

		for (end = i;
		     end < series->count && (end == i || series->t_ns[end] < series->t_ns[i] + width);
		     end++)
			take(&part, series, op, column, end);
		line.x[line.count] = (series->t_ns[i] + series->t_ns[end - 1]) / 2 - stretch->origin_ns;
		line.y[line.count++] = taken_value(&part, figure);
	}
	return line;
}

static void line_release(struct line *line)
{
	free(line->x);
	free(line->y);
}

static bool op_used(const struct stretch *stretch, int op)
{
	for (uint32_t i = 0; i < stretch->count; i++)
		if (stretch->series[i].op[op].used)
			return true;
	return false;
}

/* Of what is drawn. False: nothing. */
static bool range_of(const struct stretch *stretch, enum latency_figure figure, double *ret_low,
		     double *ret_high)
{
	double low = INFINITY, high = 0;

	for (uint32_t i = 0; i < stretch->count; i++)
		for (int op = 0; op < IO_OPS; op++) {
			struct line line = line_of(stretch, &stretch->series[i], op, figure);

			for (uint32_t j = 0; j < line.count; j++) {
				low = line.y[j] > 0 ? fmin(low, line.y[j]) : low;
				high = fmax(high, line.y[j]);
			}
			line_release(&line);
		}
	*ret_low = pow(10, floor(log10(low)));
	*ret_high = fmax(pow(10, ceil(log10(high * 1.0001))), 10 * *ret_low);
	return high > 0 && isfinite(low);
}

static void lines(struct chart *chart, const struct stretch *stretch, enum latency_figure figure)
{
	bool named[IO_OPS] = { false };

	for (uint32_t i = stretch->count; i--;)		/* the last one has the name, at its end */
		for (int op = 0; op < IO_OPS; op++) {
			struct line line = line_of(stretch, &stretch->series[i], op, figure);

			if (line.count)
				chart_line(chart, (uint32_t)op, line.x, line.y, line.count,
					   named[op] ? NULL : html_direction(chart->page, op));
			named[op] |= line.count > 0;
			line_release(&line);
		}
}

/* Of single intervals, the busiest direction. */
static void finding(struct page *page, const struct stretch *stretch, enum latency_figure figure)
{
	double lowest = INFINITY, highest = 0;
	char low[PAGE_NUMBER], high[PAGE_NUMBER], last[PAGE_NUMBER];
	double latest = NAN;

	for (uint32_t i = 0; i < stretch->count; i++)
		for (int op = 0; op < IO_OPS; op++) {
			const struct series *series = &stretch->series[i];
			const double *column = column_of(series, op, figure);

			for (uint32_t j = 0; column && j < series->count; j++) {
				if (isnan(column[j]))
					continue;
				lowest = fmin(lowest, column[j]);
				highest = fmax(highest, column[j]);
				latest = column[j];
			}
		}
	page_raw(page, "<figcaption>");
	page_format(page, say(page, "From %s to %s over the intervals; %s in the last one."),
		    page_latency_text(lowest, low), page_latency_text(highest, high),
		    page_latency_text(latest, last));
	page_raw(page, "</figcaption>\n");
}

static double part_of(const struct stretch *stretch, int op, enum latency_figure figure, double from_ns,
		      double to_ns)
{
	struct taken part = { 0 };

	for (uint32_t i = 0; i < stretch->count; i++) {
		const struct series *series = &stretch->series[i];
		const double *column = column_of(series, op, figure);

		for (uint32_t j = 0; column && j < series->count; j++) {
			double at = series->t_ns[j] - stretch->origin_ns;

			if (at >= from_ns && at < to_ns)
				take(&part, series, op, column, j);
		}
	}
	return taken_value(&part, figure);
}

static void table(const struct stretch *stretch, enum latency_figure figure)
{
	struct page *page = stretch->html->page;
	const char *names[1 + IO_OPS] = { "from" };
	uint32_t columns = 1;
	char number[PAGE_NUMBER];

	for (int op = 0; op < IO_OPS; op++)
		if (op_used(stretch, op))
			names[columns++] = io_op_name((enum io_op)op);
	chart_table_begin(page);
	page_table_begin(page, names, columns, 0);
	for (uint32_t row = 0; row < TABLE_ROWS; row++) {
		double from = stretch->to_ns * row / TABLE_ROWS, to = stretch->to_ns * (row + 1) / TABLE_ROWS;

		page_row_begin(page);
		page_number(page, page_time_text(from, number));
		for (int op = 0; op < IO_OPS; op++)
			if (op_used(stretch, op))
				html_latency(page, part_of(stretch, op, figure, from, to));
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

static void latency_chart(const struct stretch *stretch, enum latency_figure figure, const char *where)
{
	struct page *page = stretch->html->page;
	struct chart chart = { .x = stretch_time_axis(stretch),
			       .y = { .unit = UNIT_LATENCY, .title = say(page, "latency (log)") },
			       .solid = stretch->count > 1 };
	double low, high;
	char title[256];

	if (!range_of(stretch, figure, &low, &high))
		return;
	chart.y.scale = (struct scale){ SCALE_LOG10, low, high };
	snprintf(title, sizeof(title), "%s \xc2\xb7 %s", say(page, titles[figure]), where);
	chart_begin(&chart, page, stretch->count > 1 ? CHART_WIDE : CHART_HALF, title,
		    say(page, "A line per direction, interval by interval; of many, minutes."));
	lines(&chart, stretch, figure);
	chart_draw_end(&chart);
	finding(page, stretch, figure);
	table(stretch, figure);
	chart_close(page);
}

static bool one_load_each(const struct stretch *stretch)
{
	for (uint32_t i = 0; i < stretch->count; i++)
		if (stretch->steps[i].load_count > 1)
			return false;
	return true;
}

void html_latency_time(const struct stretch *stretch, const char *where)
{
	bool whole = stretch->count > 1;

	if ((!whole && !stretch_is_long(stretch)) || !one_load_each(stretch))
		return;
	page_raw(stretch->html->page, whole ? "<div>\n" : "<div class=\"grid\">\n");
	for (int figure = 0; figure < (whole ? LATENCY_DEVIATION : LATENCY_FIGURES); figure++)
		latency_chart(stretch, (enum latency_figure)figure, where);
	page_raw(stretch->html->page, "</div>\n");
}
