#include "report/html_stretch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/explore.h"

#define TABLE_ROWS 24u
#define DOTS_MAX 20000u
#define BAND_COLUMNS 600u
#define DENSE_INTERVALS 240u	/* more are dots, with a line of means */
#define MEANS_NS 60e9		/* of that line; less in short stretches */
#define BLOBS_MAX 64u		/* steps of one chart that can be explored */

struct stretch stretch_of(struct html *html, uint32_t first, uint32_t count)
{
	const struct report_step *steps = html->model->steps + first;
	const struct step_record *last = steps[count - 1].record;
	double origin = (double)steps[0].record->started_ns;

	return (struct stretch){ .html = html,
				 .first = first,
				 .count = count,
				 .steps = steps,
				 .series = html->series + first,
				 .origin_ns = origin,
				 .to_ns = (double)(last->started_ns + last->duration_ns) - origin };
}

bool stretch_is_long(const struct stretch *stretch)
{
	return stretch->count == 1 && stretch->series[0].count >= LONG_INTERVALS;
}

bool stretch_one_size(const struct stretch *stretch)
{
	const struct report_value *size = NULL;

	for (uint32_t i = 0; i < stretch->count; i++) {
		const struct report_values *values = &stretch->steps[i].values;
		const struct report_value *bs = report_values_find(values, "bs");

		if (!stretch->steps[i].load_count)
			continue;
		if (!bs || !bs->numeric || stretch->steps[i].load_count > 1 ||
		    report_values_find(values, "bssplit") || (size && report_value_compare(size, bs)))
			return false;
		size = bs;
	}
	return size != NULL;
}

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

static bool is_inside(const struct stretch *stretch, const struct series *series, uint32_t interval)
{
	double at = series->t_ns[interval] - stretch->origin_ns;

	return series->duration_ns[interval] > 0 && at >= stretch->from_ns && at < stretch->to_ns;
}

static uint32_t interval_count(const struct stretch *stretch)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < stretch->count; i++)
		for (uint32_t j = 0; j < stretch->series[i].count; j++)
			count += is_inside(stretch, &stretch->series[i], j);
	return count;
}

struct stretch_figures stretch_figures_of(const struct stretch *stretch, int op)
{
	struct stretch_figures figures = { .lowest = NAN, .highest = NAN };
	double sum = 0, squares = 0, weight = 0;

	for (uint32_t i = 0; i < stretch->count; i++) {
		const struct series *series = &stretch->series[i];
		const double *column = column_of(stretch, series, op);

		for (uint32_t j = 0; column && j < series->count; j++) {
			if (isnan(column[j]) || !is_inside(stretch, series, j))
				continue;
			figures.lowest = fmin(figures.lowest, column[j]);
			figures.highest = fmax(figures.highest, column[j]);
			sum += column[j] * series->duration_ns[j];
			squares += column[j] * column[j] * series->duration_ns[j];
			weight += series->duration_ns[j];
		}
	}
	figures.mean = weight > 0 ? sum / weight : NAN;
	figures.deviation = sqrt(fmax(squares / weight - figures.mean * figures.mean, 0));
	return figures;
}

const char *stretch_figure_text(const struct stretch *stretch, double value, char buffer[PAGE_NUMBER])
{
	if (stretch->rate)
		return page_rate_text(value, buffer);
	page_count_text(value, buffer);
	return isfinite(value) ? strcat(buffer, "\xe2\x80\xaf" "IOPS") : buffer;
}

struct chart_axis stretch_time_axis(const struct stretch *stretch)
{
	return (struct chart_axis){
		.scale = { SCALE_LINEAR, stretch->from_ns, fmax(stretch->to_ns, stretch->from_ns + 1) },
		.unit = UNIT_TIME,
		.title = say(stretch->html->page, "time"),
	};
}

struct chart_axis stretch_figure_axis(const struct stretch *stretch, double low, double high)
{
	return (struct chart_axis){
		.scale = { SCALE_LINEAR, low, high },
		.unit = stretch->rate ? UNIT_RATE : UNIT_COUNT,
		.title = say(stretch->html->page, stretch->rate ? "throughput" : "I/Os per second"),
	};
}

/* -- drawing -- */

/* The part of a series inside the stretch, its times counted from the origin; 0 when out of memory or nothing
 * is. */
static uint32_t part_of(const struct stretch *stretch, const struct series *series, const double *column,
			double *x, double *y)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < series->count; i++) {
		double at = series->t_ns[i] - stretch->origin_ns;

		if (at < stretch->from_ns || at > stretch->to_ns)
			continue;
		x[count] = at;
		y[count++] = column[i];
	}
	return count;
}

static void draw_means(struct chart *chart, const struct stretch *stretch, const struct series *series,
		       int op, const double *column, const char *label)
{
	double length = stretch->to_ns - stretch->from_ns;
	double width = fmax(fmin(MEANS_NS, length / 20), 2 * series->duration_ns[0]), *t, *means;
	uint32_t count =
		series_smooth((struct series *)series, column, fmax(width, length / 1000), &t, &means);

	for (uint32_t i = 0; i < count; i++) {
		t[i] -= stretch->origin_ns;
		if (t[i] < stretch->from_ns || t[i] > stretch->to_ns)
			means[i] = NAN;
	}
	chart_line(chart, (uint32_t)op, t, means, count, label);
}

/* More than dots can show: the range of each of BAND_COLUMNS parts of the time. x is rising; they are
 * overwritten. */
static void draw_band(struct chart *chart, const struct stretch *stretch, int op, double *x, double *y,
		      uint32_t count)
{
	double width = (stretch->to_ns - stretch->from_ns) / BAND_COLUMNS;
	double *low = malloc((BAND_COLUMNS + 2) * sizeof(*low));
	uint32_t columns = 0;

	for (uint32_t i = 0, end; low && i < count; i = end) {
		double column = floor(x[i] / width), least = INFINITY, most = -INFINITY;

		for (end = i; end < count && floor(x[end] / width) == column; end++) {
			least = fmin(least, y[end]);
			most = fmax(most, y[end]);
		}
		if (!(most >= least) || columns == BAND_COLUMNS + 2)
			continue;
		x[columns] = (column + 0.5) * width;
		low[columns] = least;
		y[columns++] = most;
	}
	if (low)
		chart_band(chart, (uint32_t)op, x, low, y, columns);
	free(low);
}

/* A step of one interval: a line as long as it took. */
static uint32_t span_of(const struct series *series, double *x, double *y)
{
	double half = series->duration_ns[0] / 2;

	x[1] = x[0] + half;
	x[0] -= half;
	y[1] = y[0];
	return 2;
}

static void draw_op(struct chart *chart, const struct stretch *stretch, const struct series *series, int op,
		    const char *label)
{
	const double *column = column_of(stretch, series, op);
	double *x = malloc((series->count + 1) * sizeof(*x)), *y = malloc((series->count + 1) * sizeof(*y));
	uint32_t count = x && y && column ? part_of(stretch, series, column, x, y) : 0;
	bool dense = count > DENSE_INTERVALS;

	if (count == 1 && series->count == 1)
		count = span_of(series, x, y);
	if (count && dense && count <= DOTS_MAX)
		chart_dots(chart, (uint32_t)op, x, y, count);
	else if (count && dense)
		draw_band(chart, stretch, op, x, y, count);
	else if (count)
		chart_line(chart, (uint32_t)op, x, y, count, label);
	if (count && dense)
		draw_means(chart, stretch, series, op, column, label);
	free(x);
	free(y);
}

static bool last_measured(const struct stretch *stretch, int op, uint32_t *ret_index)
{
	for (uint32_t i = stretch->count; i--;) {
		if (stretch->series[i].op[op].used) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

/* Does a step have I/O in several directions at once? */
bool stretch_is_mixed(const struct stretch *stretch)
{
	for (uint32_t i = 0; i < stretch->count; i++) {
		uint32_t used = 0;

		for (int op = 0; op < IO_OPS; op++)
			used += stretch->series[i].op[op].used;
		if (used > 1)
			return true;
	}
	return false;
}

/* What findings, rounds and verdicts are about. */
void stretch_draw_sum(struct chart *chart, const struct stretch *stretch)
{
	for (uint32_t i = 0; i < stretch->count; i++)
		draw_op(chart, stretch, &stretch->series[i], IO_OPS,
			i + 1 == stretch->count ? say(chart->page, "together") : NULL);
}

void stretch_draw(struct chart *chart, const struct stretch *stretch)
{
	for (int op = 0; op < IO_OPS; op++) {
		uint32_t last = 0;

		if (!last_measured(stretch, op, &last))
			continue;
		for (uint32_t i = 0; i < stretch->count; i++)
			if (stretch->series[i].op[op].used)
				draw_op(chart, stretch, &stretch->series[i], op,
					i == last ? html_direction(chart->page, op) : NULL);
	}
	if (stretch->count == 1 && stretch_is_mixed(stretch))
		stretch_draw_sum(chart, stretch);
}

/* -- the table behind it -- */

static double mean_between(const struct stretch *stretch, int op, double from_ns, double to_ns)
{
	struct stretch part = *stretch;

	part.from_ns = from_ns;
	part.to_ns = to_ns;
	return stretch_figures_of(&part, op).mean;
}

static void table_row(const struct stretch *stretch, double from_ns, double to_ns)
{
	struct page *page = stretch->html->page;
	char number[PAGE_NUMBER];

	page_row_begin(page);
	page_number(page, page_time_text(from_ns, number));
	for (int op = 0; op < IO_OPS; op++) {
		double mean = op_used(stretch, op) ? mean_between(stretch, op, from_ns, to_ns) : 0;

		if (op_used(stretch, op))
			page_number(page, page_count_text(stretch->rate ? mean / 1e6 : mean, number));
	}
	page_row_end(page);
}

void stretch_table(const struct stretch *stretch)
{
	struct page *page = stretch->html->page;
	const char *names[1 + IO_OPS] = { "from" };
	uint32_t columns = 1, count = interval_count(stretch), rows = count < TABLE_ROWS ? count : TABLE_ROWS;
	double length = stretch->to_ns - stretch->from_ns;

	for (int op = 0; op < IO_OPS; op++)
		if (op_used(stretch, op))
			names[columns++] = io_op_name(op);
	chart_table_begin(page);
	page_table_begin(page, names, columns, 0);
	for (uint32_t i = 0; i < rows; i++)
		table_row(stretch, stretch->from_ns + length * i / rows,
			  stretch->from_ns + length * (i + 1) / rows);
	page_table_end(page);
	page_paragraph(page, "note",
		       say(page, stretch->rate ? "Means in MB/s; every interval is in series.csv."
					       : "Means in IOPS; every interval is in series.csv."));
	chart_table_end(page);
}

/* -- data to explore -- */

static uint32_t op_columns(struct html *html, const struct series *series, int op,
			   struct explore_column *columns)
{
	const struct series_op *what = &series->op[op];
	struct page *page = html->page;
	const char *name = html_direction(page, op);
	uint32_t count = 0;

	columns[count++] = (struct explore_column){ "iops", name, (uint32_t)op, what->iops };
	columns[count++] = (struct explore_column){ "rate", name, (uint32_t)op, what->rate };
	if (!what->mean_ns)
		return count;
	columns[count++] = (struct explore_column){
		"ns", arena_printf(&html->arena, "%s %s", name, say(page, "mean")), 2, what->mean_ns };
	columns[count++] = (struct explore_column){
		"ns", arena_printf(&html->arena, "%s %s", name, "p99"), 3, what->p99_ns };
	columns[count++] = (struct explore_column){
		"ns", arena_printf(&html->arena, "%s %s", name, "p99.9"), 1, what->p999_ns };
	columns[count++] = (struct explore_column){
		"ns", arena_printf(&html->arena, "%s %s", name, say(page, "max")), 5, what->max_ns };
	return count;
}

uint32_t html_step_blob(struct html *html, uint32_t step)
{
	const struct series *series = &html->series[step];
	struct explore_column columns[EXPLORE_COLUMNS_MAX];
	uint32_t count = 0;

	if (html->blobs[step])
		return html->blobs[step];
	for (int op = 0; op < IO_OPS; op++)
		if (series->op[op].used)
			count += op_columns(html, series, op, columns + count);
	html->blobs[step] = explore_blob(html->page, series->t_ns, series->count, columns, count);
	return html->blobs[step];
}

void stretch_explore(const struct stretch *stretch)
{
	uint32_t blobs[BLOBS_MAX], count = 0;

	for (uint32_t i = 0; i < stretch->count; i++) {
		if (!stretch->series[i].count)
			continue;
		if (count == BLOBS_MAX)
			return;
		blobs[count++] = html_step_blob(stretch->html, stretch->first + i);
	}
	explore_button(stretch->html->page, stretch->rate ? "rate" : "iops", blobs, NULL, count);
}
