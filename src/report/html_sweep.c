/* html_sweep: sections that were repeated over one or two keys: lines against a key of numbers, bars for a
 * key of words (a line between "read" and "write" would suggest a trend), and tables of both keys. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/ratio.h"
#include "report/sweep.h"

#define ALL_SERIES 2u	/* colour of all directions together */

/* -- one key -- */

struct sweep_line {
	int op;			/* or CELL_ALL */
	enum sweep_figure figure;
	double x[SWEEP_VALUES_MAX], y[SWEEP_VALUES_MAX], low[SWEEP_VALUES_MAX], high[SWEEP_VALUES_MAX];
};

static uint32_t series_of(int op)
{
	return op == CELL_ALL ? ALL_SERIES : (uint32_t)op;
}

static void line_fill(struct sweep_line *line, const struct html_family *family,
		      const struct key_values *list, const struct chart_axis *axis)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const struct report_cell *cell = sweep_cell(family, list->key, list->values[i]);
		const struct cell_op *op = &cell->op[line->op];

		line->x[i] = key_place(list, axis, i);
		line->y[i] = sweep_figure_of(cell, line->op, line->figure);
		line->low[i] = line->figure == FIGURE_RATE ? op->rate_low : op->iops_low;
		line->high[i] = line->figure == FIGURE_RATE ? op->rate_high : op->iops_high;
	}
}

static void lines_range(const struct sweep_line *lines, uint32_t count, uint32_t points, bool latency,
			bool log, struct chart_axis *axis)
{
	double low = INFINITY, high = 0;

	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < points; j++) {
			low = fmin(low, lines[i].y[j] > 0 ? lines[i].y[j] : INFINITY);
			high = fmax(high, latency ? lines[i].y[j] : fmax(lines[i].y[j], lines[i].high[j]));
		}
	if (log && high > 0)
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
		uint32_t series = latency ? i : series_of(line->op);

		for (uint32_t j = 0; !latency && j < points; j++)
			if (line->high[j] > line->low[j])
				chart_whisker(chart, series, line->x[j], line->low[j], line->high[j]);
		chart_line(chart, series, line->x, line->y, points,
			   latency ? sweep_figure_name(html->page, line->figure)
				   : sweep_direction(html->page, line->op));
		chart_marks(chart, series, line->x, line->y, points);
	}
}

/* -- a key of words: bars from zero, dots on a logarithmic axis -- */

static double last_of(const struct sweep_line *line, uint32_t points)
{
	while (points > 1 && isnan(line->y[points - 1]))
		points--;
	return line->y[points - 1];
}

static uint32_t bars_at(const struct sweep_line *lines, uint32_t count, uint32_t point)
{
	uint32_t bars = 0;

	for (uint32_t i = 0; i < count; i++)
		bars += !isnan(lines[i].y[point]);
	return bars;
}

/* Where a point has one direction, all of them together are the same bar again: left out. */
static void sums_drop(struct sweep_line *lines, uint32_t count, uint32_t points)
{
	for (uint32_t j = 0; j < points; j++)
		if (bars_at(lines, count, j) <= 2)
			for (uint32_t i = 0; i < count; i++)
				if (lines[i].op == CELL_ALL)
					lines[i].y[j] = NAN;
}

static void draw_point(struct chart *chart, const struct sweep_line *lines, uint32_t count, uint32_t point,
		       uint32_t slots)
{
	double slot = (slots - bars_at(lines, count, point)) / 2.0;

	for (uint32_t i = 0; i < count; i++) {
		const struct sweep_line *line = &lines[i];

		if (isnan(line->y[point]))
			continue;
		sweep_bar(chart, series_of(line->op), line->figure, line->y[point], line->low[point],
			  line->high[point], point, slot, slots);
		slot++;
	}
}

static void draw_bars(struct html *html, struct chart *chart, struct sweep_line *lines, uint32_t count,
		      uint32_t points)
{
	uint32_t slots = 1;

	sums_drop(lines, count, points);
	for (uint32_t j = 0; j < points; j++)
		slots = bars_at(lines, count, j) > slots ? bars_at(lines, count, j) : slots;
	for (uint32_t j = 0; j < points; j++)
		draw_point(chart, lines, count, j, slots);
	for (uint32_t i = 0; i < count; i++) {
		chart_label(chart, series_of(lines[i].op), last_of(&lines[i], points),
			    sweep_direction(html->page, lines[i].op));
	}
}

static void draw_dots(struct html *html, struct chart *chart, const struct sweep_line *lines, uint32_t count,
		      uint32_t points)
{
	for (uint32_t i = 0; i < count; i++) {
		chart_marks(chart, i, lines[i].x, lines[i].y, points);
		chart_label(chart, i, last_of(&lines[i], points),
			    sweep_figure_name(html->page, lines[i].figure));
	}
}

static void category_sentence(struct html *html, const struct key_values *list,
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
	if (isnan(line->y[best]))
		return;
	if (best == worst)
		page_format(page, say(page, latency ? "%s: mean latency %s at %s=%s." : "%s: %s at %s=%s."),
			    sweep_direction(page, line->op),
			    sweep_figure_words(line->figure, line->y[best], high),
			    list->key, list->values[best]->text);
	else if (!strcmp(sweep_figure_words(line->figure, line->y[best], high),
			 sweep_figure_words(line->figure, line->y[worst], low)))
		page_format(page, say(page, latency ? "%s: mean latency %s at every %s." : "%s: %s at every %s."),
			    sweep_direction(page, line->op), high, list->key);
	else if (line->y[best] < line->y[worst] * (1 + RATIO_MARGIN))
		page_format(page,
			    say(page, latency ? "%s: mean latency is alike at every %s: %s to %s."
					      : "%s: alike at every %s: %s to %s."),
			    sweep_direction(page, line->op), list->key,
			    sweep_figure_words(line->figure, line->y[worst], low),
			    sweep_figure_words(line->figure, line->y[best], high));
	else
		page_format(page,
			    say(page,
				latency ? "%s: mean latency is highest at %s=%s with %s, lowest at %s=%s with %s."
					: "%s: highest at %s=%s with %s, lowest at %s=%s with %s."),
			    sweep_direction(page, line->op), list->key, list->values[best]->text,
			    sweep_figure_words(line->figure, line->y[best], high), list->key,
			    list->values[worst]->text, sweep_figure_words(line->figure, line->y[worst], low));
	page_sentence_gap(page);
}

/* One for each direction. */
static void categories_finding(struct html *html, const struct key_values *list, const struct sweep_line *lines,
			       uint32_t count, bool latency)
{
	page_raw(html->page, "<figcaption>");
	for (uint32_t i = 0; i < count; i++)
		category_sentence(html, list, &lines[i], latency);
	page_raw(html->page, "</figcaption>\n");
}

/* The highest, and the first that reaches 95 % of it: what more of the key no longer improves. */
static void knee_of(const struct sweep_line *line, uint32_t points, uint32_t *ret_best, uint32_t *ret_knee)
{
	uint32_t best = 0, knee = 0;

	for (uint32_t i = 1; i < points; i++)
		if (line->y[i] > line->y[best] || isnan(line->y[best]))
			best = i;
	while (knee < best && !(line->y[knee] >= 0.95 * line->y[best]))
		knee++;
	*ret_best = best;
	*ret_knee = knee;
}

static void knee_mark(struct html *html, struct chart *chart, const struct sweep_line *line, uint32_t points)
{
	uint32_t best, knee;

	knee_of(line, points, &best, &knee);
	if (knee && knee + 1 < points)
		chart_rule_x(chart, line->x[knee], CHART_DASHED,
			     arena_printf(&html->arena, "95 %% \xc2\xb7 %s",
					  sweep_direction(html->page, line->op)));
}

static void knee_finding(struct html *html, const struct key_values *list, const struct sweep_line *line)
{
	struct page *page = html->page;
	uint32_t best, knee;
	char number[PAGE_NUMBER];

	knee_of(line, list->count, &best, &knee);
	page_raw(page, "<figcaption>");
	page_format(page, say(page, "%s: highest at %s=%s with %s; 95 %% of that is reached at %s=%s."),
		    sweep_direction(page, line->op), list->key, list->values[best]->text,
		    sweep_figure_words(line->figure, line->y[best], number),
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
		    sweep_direction(page, line->op), page_latency_text(line->y[0], first_text), list->key,
		    list->values[0]->text, page_latency_text(line->y[last], last_text), list->key,
		    list->values[last]->text);
	page_raw(page, "</figcaption>\n");
}

static void sweep_table(struct html *html, const struct html_family *family, const struct key_values *list)
{
	static const enum sweep_figure figures[] = { FIGURE_IOPS, FIGURE_RATE, FIGURE_MEAN,
					       FIGURE_P99,  FIGURE_P999, FIGURE_MAX };
	const char *names[] = { list->key, "direction", "IOPS", "MB/s", "mean", "p99", "p99.9", "max" };
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, names, 8, 2);
	for (uint32_t i = 0; i < list->count; i++)
		for (int op = 0; op <= CELL_ALL; op++) {
			const struct report_cell *cell = sweep_cell(family, list->key, list->values[i]);

			if (!cell->op[op].used || !sweep_tells(family, op))
				continue;
			page_row_begin(page);
			page_cell(page, list->values[i]->text);
			page_cell(page, sweep_direction(page, op));
			for (int j = 0; j < 6; j++)
				page_number(page,
					    sweep_figure_text(figures[j],
							      sweep_figure_of(cell, op, figures[j]), number));
			page_row_end(page);
		}
	page_table_end(page);
	chart_table_end(page);
}

/* What one chart of a sweep shows. */
struct sweep_view {
	const enum sweep_figure *figures;
	uint32_t figure_count;
	uint32_t ops;			/* bits of the directions drawn */
	const char *what;
	enum scale_unit unit;
	bool log;			/* latencies are always */
};

static uint32_t view_lines(const struct html_family *family, const struct key_values *list,
			   const struct sweep_view *view, const struct chart_axis *axis,
			   struct sweep_line *lines)
{
	uint32_t count = 0;

	for (int op = 0; op <= CELL_ALL; op++)
		for (uint32_t i = 0; i < view->figure_count && count < CHART_SERIES_MAX; i++) {
			if (!(view->ops >> op & 1) || !sweep_tells(family, op))
				continue;
			lines[count] = (struct sweep_line){ .op = op, .figure = view->figures[i] };
			line_fill(&lines[count++], family, list, axis);
		}
	return count;
}

static void view_title(struct html *html, const struct html_family *family, const struct sweep_view *view,
		       int op, char title[256])
{
	if (view->unit == UNIT_LATENCY)
		snprintf(title, 256, "%s \xc2\xb7 %s \xc2\xb7 %s", family->family->name,
			 sweep_direction(html->page, op), say(html->page, view->what));
	else
		snprintf(title, 256, "%s \xc2\xb7 %s", family->family->name, say(html->page, view->what));
}

static void draw_view(struct html *html, struct chart *chart, struct sweep_line *lines, uint32_t count,
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
		lines_range(lines, count, list->count, latency, latency || view->log, &chart.y);
		view_title(html, family, view, lines[0].op, title);
		chart_begin(&chart, html->page, CHART_HALF, title,
			    say(html->page, chart.x.categories
						    ? "A bar or dot per direction and value of the key."
						    : "A line per figure and direction against "
						      "the key that was swept."));
		key_categories(&chart, list);
		if (!latency && !chart.x.categories)
			knee_mark(html, &chart, &lines[0], list->count);
		draw_view(html, &chart, lines, count, list->count, latency);
		chart_draw_end(&chart);
		if (chart.x.categories)
			categories_finding(html, list, lines, latency ? 1 : count, latency);
		else if (latency)
			latency_finding(html, list, &lines[0]);
		else
			knee_finding(html, list, &lines[0]);
		sweep_table(html, family, list);
		chart_close(html->page);
	}
	free(lines);
}

static uint32_t points_with(const struct html_family *family, const struct key_values *list, int op)
{
	uint32_t points = 0;

	for (uint32_t i = 0; i < list->count; i++)
		points += sweep_cell(family, list->key, list->values[i])->op[op].used;
	return points;
}

static void one_key(struct html *html, const struct html_family *family)
{
	static const enum sweep_figure iops[] = { FIGURE_IOPS }, rate[] = { FIGURE_RATE };
	static const enum sweep_figure latency[] = { FIGURE_MEAN, FIGURE_P99, FIGURE_P999, FIGURE_MAX };
	struct key_values list = key_values_of(family, family->family->keys[0]);
	uint32_t all = (2u << IO_OPS) - 1;
	bool sizes = strcmp(list.key, "bs") == 0;

	if (list.count < 2)
		return;
	page_raw(html->page, "<div class=\"grid\">\n");
	if (sizes)	/* I/Os per second fall as 1 / size: seen on a logarithmic axis only */
		sweep_chart(html, family, &list,
			    &(struct sweep_view){ rate, 1, all, "throughput", UNIT_RATE, false });
	sweep_chart(html, family, &list,
		    &(struct sweep_view){ iops, 1, all, sizes ? "I/Os per second (log)" : "I/Os per second",
					  UNIT_COUNT, sizes && key_axis(&list).scale.kind == SCALE_LOG2 });
	for (int op = 0; op < IO_OPS; op++)
		if (points_with(family, &list, op) >= 2)	/* else the table says it all */
			sweep_chart(html, family, &list,
				    &(struct sweep_view){ latency, 4, 1u << op, "latency (log)", UNIT_LATENCY,
							  true });
	page_raw(html->page, "</div>\n");
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
			html_matrix(html, family);
	}
}
