/* html_sweep: sections that were repeated over one or two keys: lines against a key of numbers, bars for a key of
 * words (a line between "read" and "write" would suggest a trend), and tables of both keys. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/chart.h"
#include "report/html.h"

#define VALUES_MAX 64u		/* of one key that are drawn */

/* The distinct values of one key, sorted. */
struct key_values {
	const char *key;
	uint32_t count;
	const struct report_value *values[VALUES_MAX];
};

static int value_order(const void *a, const void *b)
{
	return report_value_compare(*(const struct report_value *const *)a,
				    *(const struct report_value *const *)b);
}

static bool values_hold(const struct key_values *list, const struct report_value *value)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (report_value_compare(list->values[i], value) == 0)
			return true;
	return false;
}

static struct key_values key_values_of(const struct html_family *family, const char *key)
{
	struct key_values list = { .key = key };

	for (uint32_t i = 0; i < family->cell_count && list.count < VALUES_MAX; i++) {
		const struct report_value *value = report_cell_value(&family->cells[i], key);

		if (value && !values_hold(&list, value))
			list.values[list.count++] = value;
	}
	qsort(list.values, list.count, sizeof(*list.values), value_order);
	return list;
}

/* -- the axis of a key -- */

static bool all_numeric(const struct key_values *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (!list->values[i]->numeric)
			return false;
	return true;
}

static struct chart_axis key_axis(const struct key_values *list)
{
	double low = list->values[0]->number, high = list->values[list->count - 1]->number;
	struct chart_axis axis = { .title = list->key,
				   .unit = strcmp(list->key, "bs") == 0 ? UNIT_BYTES : UNIT_NUMBER };

	if (!all_numeric(list)) {
		axis.categories = true;
		axis.scale = (struct scale){ SCALE_LINEAR, -0.5, list->count - 0.5 };
	} else if (low > 0 && high / low >= 8) {
		axis.scale = (struct scale){ SCALE_LOG2, low, high };
	} else {
		axis.scale = (struct scale){ SCALE_LINEAR, fmin(low, 0), high };
	}
	return axis;
}

static double key_place(const struct key_values *list, const struct chart_axis *axis, uint32_t index)
{
	return axis->categories ? index : list->values[index]->number;
}

static void key_categories(struct chart *chart, const struct key_values *list)
{
	for (uint32_t i = 0; chart->x.categories && i < list->count; i++)
		chart_category(chart, i, list->values[i]->text);
}

/* -- figures -- */

enum figure { FIGURE_IOPS, FIGURE_RATE, FIGURE_MEAN, FIGURE_P99, FIGURE_P999, FIGURE_MAX, FIGURES };

static double figure_of(const struct report_cell *cell, enum io_op op, enum figure figure)
{
	const struct cell_op *what = &cell->op[op];
	const struct report_percentile *percentile;

	if (!what->used)
		return NAN;
	switch (figure) {
	case FIGURE_IOPS: return what->iops;
	case FIGURE_RATE: return what->rate;
	case FIGURE_MEAN: return what->latency.mean_ns;
	case FIGURE_MAX: return what->latency.n ? (double)what->latency.max_ns : NAN;
	default: break;
	}
	percentile = report_latency_at(&what->latency, figure == FIGURE_P99 ? 99 : 99.9);
	return percentile->grade == REPORT_REFUSED ? NAN : (double)percentile->value_ns;
}

static const char *figure_name(struct page *page, enum figure figure)
{
	static const char *const names[FIGURES] = { "IOPS", "MB/s", "mean", "p99", "p99.9", "max" };

	return say(page, names[figure]);
}

static const char *figure_text(enum figure figure, double value, char buffer[PAGE_NUMBER])
{
	if (figure == FIGURE_IOPS)
		return page_count_text(value, buffer);
	if (figure == FIGURE_RATE)
		return page_count_text(value / 1e6, buffer);
	return page_latency_text(value, buffer);
}

/* The same with its unit, for sentences. */
static const char *figure_words(enum figure figure, double value, char buffer[PAGE_NUMBER])
{
	if (figure == FIGURE_RATE)
		return page_rate_text(value, buffer);
	figure_text(figure, value, buffer);
	return figure == FIGURE_IOPS ? strcat(buffer, "\xe2\x80\xaf" "IOPS") : buffer;
}

static bool family_uses(const struct html_family *family, enum io_op op)
{
	for (uint32_t i = 0; i < family->cell_count; i++)
		if (family->cells[i].op[op].used)
			return true;
	return false;
}

/* -- one key -- */

static const struct report_cell *cell_at(const struct html_family *family, const char *key,
					 const struct report_value *value)
{
	for (uint32_t i = 0; i < family->cell_count; i++)
		if (report_value_compare(report_cell_value(&family->cells[i], key), value) == 0)
			return &family->cells[i];
	return NULL;
}

struct sweep_line {
	enum io_op op;
	enum figure figure;
	double x[VALUES_MAX], y[VALUES_MAX], low[VALUES_MAX], high[VALUES_MAX];
};

static void line_fill(struct sweep_line *line, const struct html_family *family,
		      const struct key_values *list, const struct chart_axis *axis)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const struct report_cell *cell = cell_at(family, list->key, list->values[i]);
		const struct cell_op *op = &cell->op[line->op];

		line->x[i] = key_place(list, axis, i);
		line->y[i] = figure_of(cell, line->op, line->figure);
		line->low[i] = line->figure == FIGURE_RATE ? op->rate_low : op->iops_low;
		line->high[i] = line->figure == FIGURE_RATE ? op->rate_high : op->iops_high;
	}
}

static void lines_range(const struct sweep_line *lines, uint32_t count, uint32_t points, bool latency,
			struct chart_axis *axis)
{
	double low = INFINITY, high = 0;

	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < points; j++) {
			low = fmin(low, lines[i].y[j] > 0 ? lines[i].y[j] : INFINITY);
			high = fmax(high, latency ? lines[i].y[j] : fmax(lines[i].y[j], lines[i].high[j]));
		}
	if (latency)
		axis->scale = (struct scale){ SCALE_LOG10, pow(10, floor(log10(fmin(low, high)))),
					      pow(10, ceil(log10(high * 1.0001))) };
	else
		axis->scale = (struct scale){ SCALE_LINEAR, 0, scale_round_up(high, 6) };
}

static void draw_lines(struct html *html, struct chart *chart, const struct sweep_line *lines, uint32_t count,
		       uint32_t points, bool latency)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct sweep_line *line = &lines[i];
		uint32_t series = latency ? i : line->op;

		for (uint32_t j = 0; !latency && j < points; j++)
			if (line->high[j] > line->low[j])
				chart_whisker(chart, series, line->x[j], line->low[j], line->high[j]);
		chart_line(chart, series, line->x, line->y, points,
			   latency ? figure_name(html->page, line->figure)
				   : html_direction(html->page, line->op));
		chart_marks(chart, series, line->x, line->y, points);
	}
}

/* -- a key of words: bars from zero, dots on a logarithmic axis -- */

/* The part of a category's width that bar `slot` of `slots` takes. */
static void bar_place(uint32_t category, uint32_t slot, uint32_t slots, double *ret_from, double *ret_to)
{
	double width = 0.76 / slots;

	*ret_from = category - 0.38 + width * slot;
	*ret_to = *ret_from + width * 0.9;
}

static void draw_bar(struct chart *chart, uint32_t series, const struct sweep_line *line, uint32_t category,
		     uint32_t slot, uint32_t slots)
{
	double from, to, high = fmax(line->high[category], line->y[category]);
	char number[PAGE_NUMBER];

	if (isnan(line->y[category]))
		return;
	bar_place(category, slot, slots, &from, &to);
	chart_bar(chart, series, from, to, line->y[category], NULL);
	if (line->high[category] > line->low[category])
		chart_error(chart, (from + to) / 2, line->low[category], line->high[category]);
	chart_number(chart, (from + to) / 2, high, figure_text(line->figure, line->y[category], number));
}

static double last_of(const struct sweep_line *line, uint32_t points)
{
	while (points > 1 && isnan(line->y[points - 1]))
		points--;
	return line->y[points - 1];
}

static void draw_bars(struct html *html, struct chart *chart, const struct sweep_line *lines, uint32_t count,
		      uint32_t points)
{
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < points; j++)
			draw_bar(chart, lines[i].op, &lines[i], j, i, count);
		chart_label(chart, lines[i].op, last_of(&lines[i], points),
			    html_direction(html->page, lines[i].op));
	}
}

static void draw_dots(struct html *html, struct chart *chart, const struct sweep_line *lines, uint32_t count,
		      uint32_t points)
{
	for (uint32_t i = 0; i < count; i++) {
		chart_marks(chart, i, lines[i].x, lines[i].y, points);
		chart_label(chart, i, last_of(&lines[i], points), figure_name(html->page, lines[i].figure));
	}
}

static void categories_finding(struct html *html, const struct key_values *list,
			       const struct sweep_line *line, bool latency)
{
	struct page *page = html->page;
	uint32_t best = 0, worst = 0;
	char high[PAGE_NUMBER], low[PAGE_NUMBER];

	for (uint32_t i = 1; i < list->count; i++) {
		if (line->y[i] > line->y[best] || isnan(line->y[best]))
			best = i;
		if (line->y[i] < line->y[worst] || isnan(line->y[worst]))
			worst = i;
	}
	page_raw(page, "<figcaption>");
	page_format(page,
		    say(page, latency ? "%s: mean latency is highest at %s=%s with %s, lowest at %s=%s with %s."
				      : "%s: highest at %s=%s with %s, lowest at %s=%s with %s."),
		    html_direction(page, line->op), list->key, list->values[best]->text,
		    figure_words(line->figure, line->y[best], high), list->key, list->values[worst]->text,
		    figure_words(line->figure, line->y[worst], low));
	page_raw(page, "</figcaption>\n");
}

/* Smallest value whose figure reaches 95 % of the highest: what more of the key no longer improves. */
static void knee_finding(struct html *html, const struct key_values *list, const struct sweep_line *line)
{
	struct page *page = html->page;
	uint32_t best = 0, knee = 0;
	char number[PAGE_NUMBER];

	for (uint32_t i = 1; i < list->count; i++)
		if (line->y[i] > line->y[best])
			best = i;
	while (knee < best && !(line->y[knee] >= 0.95 * line->y[best]))
		knee++;
	page_raw(page, "<figcaption>");
	page_format(page, say(page, "%s: highest at %s=%s with %s; 95 %% of that is reached at %s=%s."),
		    html_direction(page, line->op), list->key, list->values[best]->text,
		    figure_words(line->figure, line->y[best], number),
		    list->key, list->values[knee]->text);
	page_raw(page, "</figcaption>\n");
}

static void latency_finding(struct html *html, const struct key_values *list, const struct sweep_line *line)
{
	struct page *page = html->page;
	uint32_t last = list->count - 1;
	char first_text[PAGE_NUMBER], last_text[PAGE_NUMBER];

	page_raw(page, "<figcaption>");
	page_format(page, say(page, "%s: mean latency goes from %s at %s=%s to %s at %s=%s."),
		    html_direction(page, line->op), page_latency_text(line->y[0], first_text), list->key,
		    list->values[0]->text, page_latency_text(line->y[last], last_text), list->key,
		    list->values[last]->text);
	page_raw(page, "</figcaption>\n");
}

static void sweep_table(struct html *html, const struct html_family *family, const struct key_values *list)
{
	static const enum figure figures[] = { FIGURE_IOPS, FIGURE_RATE, FIGURE_MEAN,
					       FIGURE_P99,  FIGURE_P999, FIGURE_MAX };
	const char *names[] = { list->key, "direction", "IOPS", "MB/s", "mean", "p99", "p99.9", "max" };
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, names, 8, 2);
	for (uint32_t i = 0; i < list->count; i++)
		for (int op = 0; op < IO_OPS; op++) {
			const struct report_cell *cell = cell_at(family, list->key, list->values[i]);

			if (!cell->op[op].used)
				continue;
			page_row_begin(page);
			page_cell(page, list->values[i]->text);
			page_cell(page, html_direction(page, op));
			for (int j = 0; j < 6; j++)
				page_number(page,
					    figure_text(figures[j], figure_of(cell, op, figures[j]), number));
			page_row_end(page);
		}
	page_table_end(page);
	chart_table_end(page);
}

/* What one chart of a sweep shows. */
struct sweep_view {
	const enum figure *figures;
	uint32_t figure_count;
	uint32_t ops;			/* bits of the directions drawn */
	const char *what;
	enum scale_unit unit;
};

static uint32_t view_lines(const struct html_family *family, const struct key_values *list,
			   const struct sweep_view *view, const struct chart_axis *axis,
			   struct sweep_line *lines)
{
	uint32_t count = 0;

	for (int op = 0; op < IO_OPS; op++)
		for (uint32_t i = 0; i < view->figure_count && count < CHART_SERIES_MAX; i++) {
			if (!(view->ops >> op & 1) || !family_uses(family, op))
				continue;
			lines[count] = (struct sweep_line){ .op = op, .figure = view->figures[i] };
			line_fill(&lines[count++], family, list, axis);
		}
	return count;
}

static void view_title(struct html *html, const struct html_family *family, const struct sweep_view *view,
		       enum io_op op, char title[256])
{
	if (view->unit == UNIT_LATENCY)
		snprintf(title, 256, "%s \xc2\xb7 %s \xc2\xb7 %s", family->family->name,
			 html_direction(html->page, op), say(html->page, view->what));
	else
		snprintf(title, 256, "%s \xc2\xb7 %s", family->family->name, say(html->page, view->what));
}

static void draw_view(struct html *html, struct chart *chart, const struct sweep_line *lines, uint32_t count,
		      uint32_t points, bool latency)
{
	if (!chart->x.categories)
		draw_lines(html, chart, lines, count, points, latency);
	else if (latency)
		draw_dots(html, chart, lines, count, points);
	else
		draw_bars(html, chart, lines, count, points);
}

static void sweep_chart(struct html *html, const struct html_family *family, const struct key_values *list,
			const struct sweep_view *view)
{
	struct sweep_line *lines = calloc(CHART_SERIES_MAX, sizeof(*lines));
	struct chart chart = { .x = key_axis(list),
			       .y = { .unit = view->unit, .title = say(html->page, view->what) } };
	bool latency = view->unit == UNIT_LATENCY;
	uint32_t count = lines ? view_lines(family, list, view, &chart.x, lines) : 0;
	char title[256];

	if (count) {
		lines_range(lines, count, list->count, latency, &chart.y);
		view_title(html, family, view, lines[0].op, title);
		chart_begin(&chart, html->page, CHART_HALF, title,
			    say(html->page, chart.x.categories
						    ? "A bar or dot per direction and value of the key."
						    : "A line per figure and direction against "
						      "the key that was swept."));
		key_categories(&chart, list);
		draw_view(html, &chart, lines, count, list->count, latency);
		chart_draw_end(&chart);
		if (chart.x.categories)
			categories_finding(html, list, &lines[0], latency);
		else if (latency)
			latency_finding(html, list, &lines[0]);
		else
			knee_finding(html, list, &lines[0]);
		sweep_table(html, family, list);
		chart_close(html->page);
	}
	free(lines);
}

static void one_key(struct html *html, const struct html_family *family)
{
	static const enum figure iops[] = { FIGURE_IOPS }, rate[] = { FIGURE_RATE };
	static const enum figure latency[] = { FIGURE_MEAN, FIGURE_P99, FIGURE_P999, FIGURE_MAX };
	struct key_values list = key_values_of(family, family->family->keys[0]);
	uint32_t all = (1u << IO_OPS) - 1;

	if (list.count < 2)
		return;
	page_raw(html->page, "<div class=\"grid\">\n");
	sweep_chart(html, family, &list, &(struct sweep_view){ iops, 1, all, "I/Os per second", UNIT_COUNT });
	if (strcmp(list.key, "bs") == 0)
		sweep_chart(html, family, &list,
			    &(struct sweep_view){ rate, 1, all, "throughput", UNIT_RATE });
	for (int op = 0; op < IO_OPS; op++)
		sweep_chart(html, family, &list,
			    &(struct sweep_view){ latency, 4, 1u << op, "latency (log)", UNIT_LATENCY });
	page_raw(html->page, "</div>\n");
}

/* -- two keys -- */

static const struct report_cell *cell_at_both(const struct html_family *family, const struct key_values *rows,
					      uint32_t row, const struct key_values *columns, uint32_t column)
{
	for (uint32_t i = 0; i < family->cell_count; i++) {
		const struct report_cell *cell = &family->cells[i];

		if (report_value_compare(report_cell_value(cell, rows->key), rows->values[row]) == 0 &&
		    report_value_compare(report_cell_value(cell, columns->key), columns->values[column]) == 0)
			return cell;
	}
	return NULL;
}

static double heat_highest(const struct html_family *family, enum io_op op, enum figure figure)
{
	double highest = 0;

	for (uint32_t i = 0; i < family->cell_count; i++)
		highest = fmax(highest, figure_of(&family->cells[i], op, figure));
	return highest;
}

static void heat_head(struct html *html, const struct html_family *family, const struct key_values *rows,
		      const struct key_values *columns, enum io_op op, enum figure figure)
{
	struct page *page = html->page;

	page_raw(page, "<div class=\"scroll\"><table class=\"heat\"><caption>");
	page_format(page, "%s \xc2\xb7 %s \xc2\xb7 %s", family->family->name, html_direction(page, op),
		    figure_name(page, figure));
	page_raw(page, "</caption><thead><tr><th scope=\"col\">");
	page_format(page, "%s \\ %s", rows->key, columns->key);
	page_raw(page, "</th>");
	for (uint32_t i = 0; i < columns->count; i++) {
		page_raw(page, "<th scope=\"col\">");
		page_text(page, columns->values[i]->text);
		page_raw(page, "</th>");
	}
	page_raw(page, "</tr></thead><tbody>\n");
}

static void heat_table(struct html *html, const struct html_family *family, const struct key_values *rows,
		       const struct key_values *columns, enum io_op op, enum figure figure)
{
	struct page *page = html->page;
	double highest = heat_highest(family, op, figure);
	char number[PAGE_NUMBER];

	heat_head(html, family, rows, columns, op, figure);
	for (uint32_t row = 0; row < rows->count; row++) {
		page_raw(page, "<tr><th scope=\"row\">");
		page_text(page, rows->values[row]->text);
		page_raw(page, "</th>");
		for (uint32_t column = 0; column < columns->count; column++) {
			const struct report_cell *cell = cell_at_both(family, rows, row, columns, column);
			double value = cell ? figure_of(cell, op, figure) : NAN;
			double share = isnan(value) || !(highest > 0) ? 0 : value / highest;

			text_printf(page->out, "<td class=\"h\" style=\"--v:%.0f\">", 4 + 46 * share);
			page_text(page, figure_text(figure, value, number));
			page_raw(page, "</td>");
		}
		page_raw(page, "</tr>\n");
	}
	page_raw(page, "</tbody></table></div>\n");
}

static void matrix_bars(struct html *html, struct chart *chart, const struct html_family *family,
			const struct key_values *rows, uint32_t row, const struct key_values *columns,
			enum io_op op)
{
	uint32_t slots = rows->count < CHART_SERIES_MAX ? rows->count : CHART_SERIES_MAX;
	double last = NAN;

	for (uint32_t i = 0; i < columns->count; i++) {
		const struct report_cell *cell = cell_at_both(family, rows, row, columns, i);
		struct sweep_line line = { .op = op, .figure = FIGURE_IOPS };

		last = cell ? figure_of(cell, op, FIGURE_IOPS) : NAN;
		line.y[i] = last;
		line.low[i] = cell ? cell->op[op].iops_low : NAN;
		line.high[i] = cell ? cell->op[op].iops_high : NAN;
		draw_bar(chart, row, &line, i, row, slots);
	}
	chart_label(chart, row, last,
		    arena_printf(&html->arena, "%s=%s", rows->key, rows->values[row]->text));
}

static void matrix_line(struct html *html, struct chart *chart, const struct html_family *family,
			const struct key_values *rows, uint32_t row, const struct key_values *columns,
			enum io_op op, enum figure figure)
{
	double x[VALUES_MAX], y[VALUES_MAX];

	for (uint32_t i = 0; i < columns->count; i++) {
		const struct report_cell *cell = cell_at_both(family, rows, row, columns, i);

		x[i] = key_place(columns, &chart->x, i);
		y[i] = cell ? figure_of(cell, op, figure) : NAN;
	}
	chart_line(chart, row, x, y, columns->count,
		   arena_printf(&html->arena, "%s=%s", rows->key, rows->values[row]->text));
	chart_marks(chart, row, x, y, columns->count);
}

static void matrix_finding(struct html *html, const struct html_family *family, enum io_op op)
{
	struct page *page = html->page;
	const struct report_cell *best = &family->cells[0], *fast = &family->cells[0];
	char iops[PAGE_NUMBER], rate[PAGE_NUMBER];

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

static void matrix_chart(struct html *html, const struct html_family *family, const struct key_values *rows,
			 const struct key_values *columns, enum io_op op)
{
	struct chart chart = { .x = key_axis(columns),
			       .y = { .unit = UNIT_COUNT, .title = say(html->page, "I/Os per second") } };
	char title[256];

	chart.y.scale =
		(struct scale){ SCALE_LINEAR, 0, scale_round_up(heat_highest(family, op, FIGURE_IOPS), 6) };
	snprintf(title, sizeof(title), "%s \xc2\xb7 %s", family->family->name,
		 html_direction(html->page, op));
	chart_begin(&chart, html->page, CHART_HALF, title,
		    say(html->page, chart.x.categories ? "A bar per value of the first key."
						       : "A line per value of the first key."));
	key_categories(&chart, columns);
	for (uint32_t row = 0; row < rows->count && row < CHART_SERIES_MAX; row++)
		if (chart.x.categories)
			matrix_bars(html, &chart, family, rows, row, columns, op);
		else
			matrix_line(html, &chart, family, rows, row, columns, op, FIGURE_IOPS);
	chart_draw_end(&chart);
	matrix_finding(html, family, op);
	chart_close(html->page);
}

static void two_keys(struct html *html, const struct html_family *family)
{
	static const enum figure figures[] = { FIGURE_IOPS, FIGURE_RATE, FIGURE_MEAN, FIGURE_P999 };
	struct key_values rows = key_values_of(family, family->family->keys[0]);
	struct key_values columns = key_values_of(family, family->family->keys[1]);

	if (!all_numeric(&columns) && all_numeric(&rows) && rows.count > 1) {
		struct key_values words = columns;	/* numbers along the axis, a line per word */

		columns = rows;
		rows = words;
	}
	for (int op = 0; op <= IO_TRIM; op++) {
		if (!family_uses(family, op) || rows.count < 1 || columns.count < 2)
			continue;
		page_raw(html->page, "<div class=\"grid\">\n");
		matrix_chart(html, family, &rows, &columns, op);
		for (uint32_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
			heat_table(html, family, &rows, &columns, op, figures[i]);
		page_raw(html->page, "</div>\n");
	}
}

static bool rate_swept(const struct html_family *family)
{
	for (uint32_t i = 0; i < family->family->key_count; i++)
		if (strcmp(family->family->keys[i], "arrival_rate") == 0)
			return family->cells[0].open_loop;
	return false;
}

static bool is_swept(const struct html_family *family)
{
	const struct report_family *what = family->family;

	return family->cell_count > 1 && (what->key_count == 1 || what->key_count == 2 || rate_swept(family));
}

void html_sweeps(struct html *html)
{
	bool any = false;

	for (uint32_t i = 0; i < html->family_count; i++) {
		const struct html_family *family = &html->families[i];

		if (!is_swept(family))
			continue;
		if (!any)
			html_section(html, "Sweeps");
		any = true;
		page_element(html->page, "h3", NULL, family->family->name);
		page_paragraph(html->page, "note",
			       html_condition(html, &family->cells[0].last->values, family->family));
		if (rate_swept(family) && html_load_curves(html, family))
			continue;
		if (family->family->key_count == 1)
			one_key(html, family);
		else if (family->family->key_count == 2)
			two_keys(html, family);
	}
}
