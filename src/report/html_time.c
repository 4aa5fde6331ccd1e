/* html_time: what happened when: IOPS and throughput against time, for the whole run and for each long step.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/chart.h"
#include "report/html.h"
#include "report/html_fill.h"
#include "report/html_heat.h"
#include "report/html_scatter.h"
#include "report/html_strip.h"

#define LONG_INTERVALS 120u	/* a step with so many gets charts of its own */
#define LONG_STEPS_MAX 6u
#define TABLE_ROWS 24u
#define DOTS_MAX 20000u
#define RULED_STEPS_MAX 200u

/* Steps drawn in one chart, and where its time begins. */
struct stretch {
	const struct report_step *steps;
	const struct series *series;
	uint32_t count;
	double origin_ns, length_ns;
	bool rate;			/* bytes per second, else I/Os */
};

static const double *column_of(const struct stretch *stretch, const struct series *series, int op)
{
	if (op == IO_OPS)
		return stretch->rate ? series->rate : series->iops;
	return stretch->rate ? series->op[op].rate : series->op[op].iops;
}

static bool op_used(const struct stretch *stretch, int op)
{
	for (uint32_t i = 0; i < stretch->count; i++)
		if (stretch->series[i].op[op].used)
			return true;
	return false;
}

static uint32_t interval_count(const struct stretch *stretch)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < stretch->count; i++)
		count += stretch->series[i].count;
	return count;
}

struct figures {
	double lowest, highest, sum, weight;
};

static struct figures figures_of(const struct stretch *stretch, int op)
{
	struct figures figures = { .lowest = NAN, .highest = NAN };

	for (uint32_t i = 0; i < stretch->count; i++) {
		const struct series *series = &stretch->series[i];
		const double *column = column_of(stretch, series, op);

		for (uint32_t j = 0; column && j < series->count; j++) {
			if (isnan(column[j]) || !series->duration_ns[j])
				continue;
			figures.lowest = fmin(figures.lowest, column[j]);
			figures.highest = fmax(figures.highest, column[j]);
			figures.sum += column[j] * series->duration_ns[j];
			figures.weight += series->duration_ns[j];
		}
	}
	return figures;
}

static double *times_of(const struct series *series, const double *t_ns, uint32_t count, double origin_ns)
{
	double *times = malloc((count + 1) * sizeof(*times));

	for (uint32_t i = 0; times && i < count; i++)
		times[i] = t_ns[i] - origin_ns;
	return times;
}

static void draw_op(struct chart *chart, const struct stretch *stretch, const struct series *series, int op,
		    const char *label)
{
	const double *column = column_of(stretch, series, op);
	double *times = times_of(series, series->t_ns, series->count, stretch->origin_ns);
	bool dense = series->count > 2 * LONG_INTERVALS;

	if (!times || !column) {
		free(times);
		return;
	}
	if (dense && series->count <= DOTS_MAX)
		chart_dots(chart, (uint32_t)op, times, column, series->count);
	else
		chart_line(chart, (uint32_t)op, times, column, series->count, dense ? NULL : label);
	free(times);
	if (dense) {
		double *smooth_t, *smooth;
		double width = fmax(stretch->length_ns / 120, 2 * series->duration_ns[0]);
		uint32_t count = series_smooth((struct series *)series, column, width, &smooth_t, &smooth);

		times = times_of(series, smooth_t, count, stretch->origin_ns);
		if (times)
			chart_line(chart, (uint32_t)op, times, smooth, count, label);
		free(times);
	}
}

static const struct report_step *last_measured(const struct stretch *stretch, int op, uint32_t *ret_index)
{
	for (uint32_t i = stretch->count; i--;) {
		if (stretch->series[i].op[op].used) {
			*ret_index = i;
			return &stretch->steps[i];
		}
	}
	return NULL;
}

static void draw_ops(struct html *html, struct chart *chart, const struct stretch *stretch)
{
	for (int op = 0; op < IO_OPS; op++) {
		uint32_t last = 0;

		if (!last_measured(stretch, op, &last))
			continue;
		for (uint32_t i = 0; i < stretch->count; i++)
			if (stretch->series[i].op[op].used)
				draw_op(chart, stretch, &stretch->series[i], op,
					i == last ? html_direction(html->page, op) : NULL);
	}
}

/* Where steps begin, named when there is room. */
static void step_rules(struct chart *chart, const struct stretch *stretch)
{
	const char *before = "";
	double last_ns = -1e300;

	if (stretch->count < 2 || stretch->count > RULED_STEPS_MAX)
		return;
	for (uint32_t i = 0; i < stretch->count; i++) {
		double at = (double)stretch->steps[i].record->started_ns - stretch->origin_ns;
		const char *name = word(stretch->steps[i].record->name);
		bool room = at - last_ns > stretch->length_ns / 9;

		if (strcmp(name, before) == 0)
			continue;
		chart_rule_x(chart, at, CHART_DOTTED, room ? name : NULL);
		before = name;
		if (room)
			last_ns = at;
	}
}

static const char *figure_text(const struct stretch *stretch, double value, char buffer[PAGE_NUMBER])
{
	if (stretch->rate)
		return page_rate_text(value, buffer);
	page_count_text(value, buffer);
	return strcat(buffer, "\xe2\x80\xaf" "IOPS");
}

static void time_finding(struct html *html, const struct stretch *stretch)
{
	struct page *page = html->page;
	struct figures all = figures_of(stretch, IO_OPS);
	char mean[PAGE_NUMBER], low[PAGE_NUMBER], high[PAGE_NUMBER];

	page_raw(page, "<figcaption>");
	if (stretch->count == 1)
		page_format(page, say(page, "Mean %s; slowest interval %s, fastest %s."),
			    figure_text(stretch, all.sum / all.weight, mean),
			    figure_text(stretch, all.lowest, low), figure_text(stretch, all.highest, high));
	else
		page_format(page,
			    say(page, "%u steps in the order they ran; the fastest interval reached %s."),
			    stretch->count, figure_text(stretch, all.highest, high));
	page_raw(page, "</figcaption>\n");
}

/* -- the table behind a chart: at most TABLE_ROWS rows, means over equal parts of the time -- */

static void table_row(struct html *html, const struct stretch *stretch, double from_ns, double to_ns)
{
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	page_row_begin(page);
	page_number(page, page_latency_text(from_ns, number));
	for (int op = 0; op < IO_OPS; op++) {
		double sum = 0, weight = 0;

		if (!op_used(stretch, op))
			continue;
		for (uint32_t i = 0; i < stretch->count; i++) {
			const struct series *series = &stretch->series[i];
			const double *column = column_of(stretch, series, op);

			for (uint32_t j = 0; column && j < series->count; j++) {
				double at = series->t_ns[j] - stretch->origin_ns;

				if (at < from_ns || at >= to_ns || !series->duration_ns[j])
					continue;
				sum += column[j] * series->duration_ns[j];
				weight += series->duration_ns[j];
			}
		}
		page_number(page, weight > 0
					  ? page_count_text(stretch->rate ? sum / weight / 1e6 : sum / weight,
							    number)
					  : "n/a");
	}
	page_row_end(page);
}

static void time_table(struct html *html, const struct stretch *stretch)
{
	const char *names[1 + IO_OPS] = { "from" };
	uint32_t columns = 1,
		 rows = interval_count(stretch) < TABLE_ROWS ? interval_count(stretch) : TABLE_ROWS;

	for (int op = 0; op < IO_OPS; op++)
		if (op_used(stretch, op))
			names[columns++] = io_op_name(op);
	chart_table_begin(html->page);
	page_table_begin(html->page, names, columns, 0);
	for (uint32_t i = 0; i < rows; i++)
		table_row(html, stretch, stretch->length_ns * i / rows, stretch->length_ns * (i + 1) / rows);
	page_table_end(html->page);
	page_paragraph(html->page, "note",
		       say(html->page, stretch->rate ? "Means in MB/s; every interval is in series.csv."
						     : "Means in IOPS; every interval is in series.csv."));
	chart_table_end(html->page);
}

static void time_chart(struct html *html, const struct stretch *stretch, const char *title)
{
	struct figures all = figures_of(stretch, IO_OPS);
	struct chart chart = {
		.x = { .scale = { SCALE_LINEAR, 0, fmax(stretch->length_ns, 1) }, .unit = UNIT_TIME,
		       .title = say(html->page, "time") },
		.y = { .scale = { SCALE_LINEAR, 0, scale_round_up(all.highest, 6) },
		       .unit = stretch->rate ? UNIT_RATE : UNIT_COUNT,
		       .title = say(html->page, stretch->rate ? "throughput" : "I/Os per second") },
	};

	chart_begin(&chart, html->page, CHART_WIDE, title,
		    say(html->page, "One line per direction, from zero; dots are single "
				    "intervals, the line their mean."));
	step_rules(&chart, stretch);
	draw_ops(html, &chart, stretch);
	chart_draw_end(&chart);
	time_finding(html, stretch);
	time_table(html, stretch);
	chart_close(html->page);
}

static void title_of(struct html *html, const char *what, const char *where, char title[256])
{
	snprintf(title, 256, "%s \xc2\xb7 %s", say(html->page, what), where);
}

static int stretch_charts(struct html *html, struct stretch stretch, const char *where)
{
	char title[256];

	title_of(html, "IOPS against time", where, title);
	stretch.rate = false;
	time_chart(html, &stretch, title);
	title_of(html, "Throughput against time", where, title);
	stretch.rate = true;
	time_chart(html, &stretch, title);
	title_of(html, "Latency of single I/Os against time", where, title);
	return html_scatter(html, stretch.steps, stretch.count, stretch.origin_ns, stretch.length_ns, title);
}

static struct stretch stretch_of(struct html *html, uint32_t first, uint32_t count)
{
	const struct report_step *steps = html->model->steps + first;
	const struct step_record *last = steps[count - 1].record;
	double origin = (double)steps[0].record->started_ns;

	return (struct stretch){ .steps = steps,
				 .series = html->series + first,
				 .count = count,
				 .origin_ns = origin,
				 .length_ns = (double)(last->started_ns + last->duration_ns) - origin };
}

static bool is_long(struct html *html, uint32_t step)
{
	return html->series[step].count >= LONG_INTERVALS;
}

static uint32_t steps_with_series(struct html *html, uint32_t *ret_first, uint32_t *ret_last)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < html->model->step_count; i++) {
		if (!html->series[i].count)
			continue;
		if (!count++)
			*ret_first = i;
		*ret_last = i;
	}
	return count;
}

static int step_charts(struct html *html, uint32_t index)
{
	const struct report_step *step = &html->model->steps[index];
	char title[256];
	int error = stretch_charts(html, stretch_of(html, index, 1), step->label);

	if (is_long(html, index)) {
		title_of(html, "Distribution of IOPS over the intervals", step->label, title);
		html_strip(html, &html->series[index], title);
	}
	html_fill(html, step, &html->series[index]);
	title_of(html, "Latency distribution against time", step->label, title);
	if (!error && html->rich && is_long(html, index))
		error = html_heat(html, step, &html->series[index], title);
	return error;
}

/* One step that takes nearly all of the time tells the run by itself. */
static bool one_dominates(struct html *html, uint32_t first, uint32_t last)
{
	struct stretch whole = stretch_of(html, first, last - first + 1);

	for (uint32_t i = first; i <= last; i++)
		if (is_long(html, i) &&
		    (double)html->model->steps[i].record->duration_ns > 0.8 * whole.length_ns)
			return true;
	return false;
}

int html_time(struct html *html)
{
	uint32_t first = 0, last = 0, count = steps_with_series(html, &first, &last), drawn = 0;
	int error = 0;

	if (!count)
		return 0;
	html_section(html, "Against time");
	if (count > 1 && !one_dominates(html, first, last))
		error = stretch_charts(html, stretch_of(html, first, last - first + 1),
				       say(html->page, "whole run"));
	for (uint32_t i = first; i <= last && drawn < LONG_STEPS_MAX && !error; i++) {
		if (count > 1 && !is_long(html, i))
			continue;
		error = step_charts(html, i);
		drawn++;
	}
	return error;
}
