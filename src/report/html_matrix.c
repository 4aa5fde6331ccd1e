/* html_matrix: sections of two keys: a chart of lines or bars, and tables shaded by value. Which figures are
 * told is the report's business: each procedure has its own list. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/html_demand.h"
#include "report/html_matrix.h"

#define BESIDE 3u	/* tables beside the chart; more are below it */

static const struct report_cell *cell_at(const struct matrix *matrix, uint32_t row, uint32_t column)
{
	const struct key_values *rows = &matrix->rows, *columns = &matrix->columns;

	for (uint32_t i = 0; i < matrix->family->cell_count; i++) {
		const struct report_cell *cell = &matrix->family->cells[i];

		if (report_value_compare(report_cell_value(cell, rows->key), rows->values[row]) == 0 &&
		    report_value_compare(report_cell_value(cell, columns->key), columns->values[column]) == 0)
			return cell;
	}
	return NULL;
}

double matrix_figure_at(const struct matrix *matrix, uint32_t row, uint32_t column, enum sweep_figure figure)
{
	const struct report_cell *cell = cell_at(matrix, row, column);

	return cell ? sweep_figure_of(cell, matrix->op, figure) : NAN;
}

void matrix_range_of(const struct matrix *matrix, enum sweep_figure figure, double *ret_low, double *ret_high)
{
	double low = INFINITY, high = 0;

	for (uint32_t i = 0; i < matrix->family->cell_count; i++) {
		double value = sweep_figure_of(&matrix->family->cells[i], matrix->op, figure);

		low = value > 0 ? fmin(low, value) : low;
		high = fmax(high, value);
	}
	*ret_low = low;
	*ret_high = high;
}

/* -- tables shaded by value -- */

static void heat_head(const struct matrix *matrix, enum sweep_figure figure)
{
	struct page *page = matrix->html->page;

	page_raw(page, "<div class=\"scroll\"><table class=\"heat\"><caption>");
	page_format(page, "%s \xc2\xb7 %s \xc2\xb7 %s", matrix->family->family->name,
		    sweep_direction(page, matrix->op), sweep_figure_name(page, figure));
	page_raw(page, "</caption><thead><tr><th scope=\"col\">");
	page_format(page, "%s \\ %s", matrix->rows.key, matrix->columns.key);
	page_raw(page, "</th>");
	for (uint32_t i = 0; i < matrix->columns.count; i++) {
		page_raw(page, "<th scope=\"col\">");
		page_text(page, matrix->columns.values[i]->text);
		page_raw(page, "</th>");
	}
	page_raw(page, "</tr></thead><tbody>\n");
}

/* Of a percentile that is not told: how many I/Os more it takes. */
static void needs_title(const struct matrix *matrix, uint32_t row, uint32_t column, enum sweep_figure figure)
{
	const struct report_cell *cell = cell_at(matrix, row, column);
	double needs = cell ? sweep_figure_needs(cell, matrix->op, figure) : 0;
	struct page *page = matrix->html->page;
	char number[PAGE_NUMBER];

	if (!(needs > 0))
		return;
	page_raw(page, " title=\"");
	page_format(page, say(page, "needs %s more I/Os"), page_count_text(needs, number));
	page_raw(page, "\"");
}

static void heat_row(const struct matrix *matrix, uint32_t row, enum sweep_figure figure, double highest)
{
	struct page *page = matrix->html->page;
	char number[PAGE_NUMBER];

	page_raw(page, "<tr><th scope=\"row\">");
	page_text(page, matrix->rows.values[row]->text);
	page_raw(page, "</th>");
	for (uint32_t column = 0; column < matrix->columns.count; column++) {
		double value = matrix_figure_at(matrix, row, column, figure);
		double share = isnan(value) || !(highest > 0) ? 0 : value / highest;

		text_printf(page->out, "<td class=\"h\" style=\"--v:%.0f\"", 4 + 46 * share);
		if (isnan(value))
			needs_title(matrix, row, column, figure);
		page_raw(page, ">");
		page_text(page, cell_at(matrix, row, column) ? sweep_figure_text(figure, value, number) : "");
		page_raw(page, "</td>");
	}
	page_raw(page, "</tr>\n");
}

void matrix_heat_table(const struct matrix *matrix, enum sweep_figure figure)
{
	double lowest, highest;

	matrix_range_of(matrix, figure, &lowest, &highest);
	/* "n/a" everywhere; one procedure wants to know how many I/Os it takes */
	if (!(highest >= lowest) && !(figure == FIGURE_P99999 && matrix_reports(matrix->html, "pts-latency")))
		return;
	heat_head(matrix, figure);
	for (uint32_t row = 0; row < matrix->rows.count; row++)
		heat_row(matrix, row, figure, highest);
	page_raw(matrix->html->page, "</tbody></table></div>\n");
}

/* -- the chart -- */

/* What a procedure is about: bytes per second, or latency; else I/Os per second. */
static enum sweep_figure main_figure(const struct matrix *matrix)
{
	if (matrix_reports(matrix->html, "pts-throughput"))
		return FIGURE_RATE;
	return matrix_reports(matrix->html, "pts-latency") ? FIGURE_MEAN : FIGURE_IOPS;
}

const char *matrix_row_name(const struct matrix *matrix, uint32_t row)
{
	return arena_printf(&matrix->html->arena, "%s=%s", matrix->rows.key, matrix->rows.values[row]->text);
}

static void draw_bars(struct chart *chart, const struct matrix *matrix, uint32_t row)
{
	uint32_t slots = matrix->rows.count < CHART_SERIES_MAX ? matrix->rows.count : CHART_SERIES_MAX;
	enum sweep_figure figure = main_figure(matrix);
	double last = NAN;

	for (uint32_t i = 0; i < matrix->columns.count; i++) {
		const struct report_cell *cell = cell_at(matrix, row, i);
		const struct cell_op *op = cell ? &cell->op[matrix->op] : NULL;

		if (!op || !op->used)
			continue;
		last = matrix_figure_at(matrix, row, i, figure);
		sweep_bar(chart, row, figure, last, figure == FIGURE_IOPS ? op->iops_low : NAN,
			  figure == FIGURE_IOPS ? op->iops_high : NAN, i, row, slots);
	}
	chart_label(chart, row, last, matrix_row_name(matrix, row));
}

static void draw_line(struct chart *chart, const struct matrix *matrix, uint32_t row)
{
	double x[SWEEP_VALUES_MAX], y[SWEEP_VALUES_MAX];
	uint32_t count = 0;

	for (uint32_t i = 0; i < matrix->columns.count; i++) {
		x[count] = key_place(&matrix->columns, &chart->x, i);
		y[count] = matrix_figure_at(matrix, row, i, main_figure(matrix));
		count += !isnan(y[count]);
	}
	chart_line(chart, row, x, y, count, matrix_row_name(matrix, row));
	chart_marks(chart, row, x, y, count);
}

static void latency_finding(const struct matrix *matrix)
{
	const struct html_family *family = matrix->family;
	struct page *page = matrix->html->page;
	const struct report_cell *low = NULL, *high = NULL;
	char least[PAGE_NUMBER], most[PAGE_NUMBER];

	for (uint32_t i = 0; i < family->cell_count; i++) {
		const struct report_cell *cell = &family->cells[i];

		if (!cell->op[matrix->op].latency.n)
			continue;
		if (!low || cell->op[matrix->op].latency.mean_ns < low->op[matrix->op].latency.mean_ns)
			low = cell;
		if (!high || cell->op[matrix->op].latency.mean_ns > high->op[matrix->op].latency.mean_ns)
			high = cell;
	}
	page_raw(page, "<figcaption>");
	if (low)
		page_format(page, say(page, "Mean latency from %s at %s to %s at %s."),
			    page_latency_text(low->op[matrix->op].latency.mean_ns, least), low->last->point,
			    page_latency_text(high->op[matrix->op].latency.mean_ns, most), high->last->point);
	page_raw(page, "</figcaption>\n");
}

static void matrix_finding(const struct matrix *matrix)
{
	const struct html_family *family = matrix->family;
	struct page *page = matrix->html->page;
	const struct report_cell *best = &family->cells[0], *fast = &family->cells[0];
	char iops[PAGE_NUMBER], rate[PAGE_NUMBER];
	int op = matrix->op;

	for (uint32_t i = 1; i < family->cell_count; i++) {
		if (family->cells[i].op[op].iops > best->op[op].iops)
			best = &family->cells[i];
		if (family->cells[i].op[op].rate > fast->op[op].rate)
			fast = &family->cells[i];
	}
	page_raw(page, "<figcaption>");
	page_format(page, say(page, "Most I/Os per second at %s: %s; most bytes at %s: %s."),
		    best->last->point, page_count_text(best->op[op].iops, iops), fast->last->point,
		    page_rate_text(fast->op[op].rate, rate));
	page_raw(page, "</figcaption>\n");
}

bool matrix_reports(const struct html *html, const char *name)
{
	return strcmp(word(html->model->run->plan_report), name) == 0;
}

/* SNIA's IOPS test wants both axes logarithmic; latencies lie far apart. */
static struct scale main_scale(const struct matrix *matrix)
{
	enum sweep_figure figure = main_figure(matrix);
	double low, high;

	matrix_range_of(matrix, figure, &low, &high);
	if ((figure == FIGURE_MEAN || matrix_reports(matrix->html, "pts-iops")) && low > 0 && high > low)
		return (struct scale){ SCALE_LOG10, pow(10, floor(log10(low))),
				       pow(10, ceil(log10(high * 1.0001))) };
	return (struct scale){ SCALE_LINEAR, 0, scale_round_up(high, 6) };
}

static struct chart_axis main_axis(const struct matrix *matrix)
{
	struct page *page = matrix->html->page;
	enum sweep_figure figure = main_figure(matrix);

	return (struct chart_axis){
		.scale = main_scale(matrix),
		.unit = figure == FIGURE_RATE ? UNIT_RATE : figure == FIGURE_MEAN ? UNIT_LATENCY : UNIT_COUNT,
		.title = figure == FIGURE_RATE ? say(page, "throughput") : figure == FIGURE_MEAN ?
			 say(page, "mean latency (log)") : say(page, "I/Os per second"),
	};
}

static void matrix_chart(const struct matrix *matrix)
{
	struct page *page = matrix->html->page;
	struct chart chart = { .x = key_axis(&matrix->columns), .y = main_axis(matrix) };
	char title[256];

	snprintf(title, sizeof(title), "%s \xc2\xb7 %s", matrix->family->family->name,
		 sweep_direction(page, matrix->op));
	chart_begin(&chart, page, CHART_HALF, title,
		    say(page, chart.x.categories ? "A bar per value of the first key."
						 : "A line per value of the first key."));
	key_categories(&chart, &matrix->columns);
	if (demand_is(matrix))
		demand_picks(&chart, matrix, false);
	for (uint32_t row = 0; row < matrix->rows.count && row < CHART_SERIES_MAX; row++)
		if (chart.x.categories)
			draw_bars(&chart, matrix, row);
		else
			draw_line(&chart, matrix, row);
	chart_draw_end(&chart);
	if (main_figure(matrix) == FIGURE_MEAN)
		latency_finding(matrix);
	else
		matrix_finding(matrix);
	matrix_heat_table(matrix, main_figure(matrix));
	chart_close(page);
}

/* -- which figures, which directions -- */

struct figure_list {
	const char *report;
	enum sweep_figure figures[8];	/* behind that of the chart; ends with FIGURE_IOPS */
};

static const struct figure_list lists[] = {
	{ "enterprise", { FIGURE_RATE, FIGURE_MEAN, FIGURE_MAX, FIGURE_DEVIATION } },
	{ "card", { FIGURE_RATE, FIGURE_MEAN, FIGURE_P999 } },
	{ "qos",
	  { FIGURE_P50, FIGURE_P90, FIGURE_P99, FIGURE_P999, FIGURE_P9999, FIGURE_P99999, FIGURE_MAX } },
	{ "pts-iops", { FIGURE_RATE } },
	{ "pts-dv", { FIGURE_RATE, FIGURE_MEAN, FIGURE_P999, FIGURE_CPU } },
	{ "pts-cbw", { FIGURE_RATE, FIGURE_MEAN, FIGURE_P999, FIGURE_CPU } },
	{ "pts-throughput", { FIGURE_MEAN, FIGURE_P999 } },
	{ "pts-latency", { FIGURE_P99999, FIGURE_MAX } },
	{ NULL, { FIGURE_RATE, FIGURE_MEAN, FIGURE_P999 } },
};

static const enum sweep_figure *figures_of(const struct html *html)
{
	const struct figure_list *list = lists;

	while (list->report && !matrix_reports(html, list->report))
		list++;
	return list->figures;
}

/* Where the mix itself is swept, SNIA's tests tell of reads and writes together. */
static bool told(const struct matrix *matrix, int op)
{
	bool snia = strncmp(word(matrix->html->model->run->plan_report), "pts-", 4) == 0;

	if (op != CELL_ALL && op > IO_TRIM)
		return false;
	if (snia && sweep_mixes(matrix->family))
		return op == CELL_ALL;
	return sweep_tells(matrix->family, op);
}

static bool any_in_row(const struct matrix *matrix, uint32_t row)
{
	for (uint32_t i = 0; i < matrix->columns.count; i++)
		if (!isnan(matrix_figure_at(matrix, row, i, FIGURE_IOPS)))
			return true;
	return false;
}

static bool any_in_column(const struct matrix *matrix, uint32_t column)
{
	for (uint32_t i = 0; i < matrix->rows.count; i++)
		if (!isnan(matrix_figure_at(matrix, i, column, FIGURE_IOPS)))
			return true;
	return false;
}

/* Without the rows and columns that have nothing of the direction: reads of a step that only writes. */
static struct matrix trimmed(const struct matrix *matrix)
{
	struct matrix trim = *matrix;

	trim.rows.count = trim.columns.count = 0;
	for (uint32_t i = 0; i < matrix->rows.count; i++)
		if (any_in_row(matrix, i))
			trim.rows.values[trim.rows.count++] = matrix->rows.values[i];
	for (uint32_t i = 0; i < matrix->columns.count; i++)
		if (any_in_column(matrix, i))
			trim.columns.values[trim.columns.count++] = matrix->columns.values[i];
	return trim;
}

static void matrix_op(const struct matrix *matrix)
{
	const enum sweep_figure *figures = figures_of(matrix->html);

	page_raw(matrix->html->page, "<div class=\"grid\">\n");
	matrix_chart(matrix);
	if (demand_is(matrix))
		demand_chart(matrix);
	page_raw(matrix->html->page, demand_is(matrix) ? "<div class=\"heats\">\n" : "<div>\n");
	for (uint32_t i = 0; i < 8 && figures[i] != FIGURE_IOPS; i++) {
		if (i == BESIDE && !demand_is(matrix))
			page_raw(matrix->html->page, "</div><div class=\"heats\">\n");
		/* of demand intensity it is the table of its own chart */
		if (figures[i] != FIGURE_MEAN || !demand_is(matrix))
			matrix_heat_table(matrix, figures[i]);
	}
	page_raw(matrix->html->page, "</div></div>\n");
}

/* Numbers along the axis and a line per word; of workers and depth, depth along the axis; of sizes and mixes,
 * sizes. */
static bool is_turned(const struct matrix *matrix)
{
	const struct key_values *rows = &matrix->rows, *columns = &matrix->columns;

	if (!key_values_numeric(columns) && key_values_numeric(rows) && rows->count > 1)
		return true;
	return (strcmp(rows->key, "iodepth") == 0 && strcmp(columns->key, "numjobs") == 0) ||
	       (strcmp(rows->key, "bs") == 0 && strcmp(columns->key, "rwmixread") == 0);
}

void html_matrix(struct html *html, const struct html_family *family)
{
	struct matrix matrix = { html, family, key_values_of(family, family->family->keys[0]),
				 key_values_of(family, family->family->keys[1]), 0 };

	if (is_turned(&matrix)) {
		struct key_values turned = matrix.columns;

		matrix.columns = matrix.rows;
		matrix.rows = turned;
	}
	if (matrix.rows.count < 1 || matrix.columns.count < 2)
		return;
	for (int op = 0; op <= CELL_ALL; op++) {
		struct matrix trim;

		matrix.op = op;
		trim = trimmed(&matrix);
		if (told(&matrix, op) && trim.rows.count)
			matrix_op(&trim);
	}
}
