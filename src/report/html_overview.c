/* html_overview: several runs side by side: a table of what they share, and their long steps in one chart. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/ratio.h"
#include "report/chart.h"
#include "report/differences.h"
#include "report/explore.h"
#include "report/html.h"
#include "report/html_compare.h"

#define ROWS_MAX 200u
#define LONG_INTERVALS 120u
#define OVERLAYS_MAX 4u
#define TABLE_PARTS 12u

/* What a row compares: one point of one section in one direction. */
struct row {
	const char *plan, *family, *point;
	enum io_op op;
	bool bytes;
};

static const struct report_cell *cell_in(const struct html *html, const struct row *row)
{
	for (uint32_t i = 0; i < html->family_count; i++) {
		const struct html_family *family = &html->families[i];

		if (strcmp(family->family->name, row->family) != 0 ||
		    strcmp(family->family->plan, row->plan) != 0)
			continue;
		for (uint32_t j = 0; j < family->cell_count; j++)
			if (family->cells[j].op[row->op].used &&
			    strcmp(family->cells[j].last->point, row->point) == 0)
				return &family->cells[j];
	}
	return NULL;
}

static bool row_known(const struct row *rows, uint32_t count, const struct row *row)
{
	for (uint32_t i = 0; i < count; i++)
		if (rows[i].op == row->op && strcmp(rows[i].family, row->family) == 0 &&
		    strcmp(rows[i].plan, row->plan) == 0 &&
		    strcmp(rows[i].point, row->point) == 0)
			return true;
	return false;
}

static uint32_t rows_of(const struct html *html, struct row *rows, uint32_t count)
{
	for (uint32_t i = 0; i < html->family_count; i++)
		for (uint32_t j = 0; j < html->families[i].cell_count; j++)
			for (int op = 0; op < IO_OPS && count < ROWS_MAX; op++) {
				const struct report_family *family = html->families[i].family;
				const struct report_cell *cell = &html->families[i].cells[j];
				struct row row = { family->plan, family->name, cell->last->point, op,
						   html_in_bytes(&cell->last->values) && op <= IO_TRIM };

				if (cell->op[op].used && !row_known(rows, count, &row))
					rows[count++] = row;
			}
	return count;
}

/* Keeps the rows that two runs have; returns how many. */
static uint32_t shared_rows(const struct html *runs, uint32_t count, struct row *rows, uint32_t row_count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < row_count; i++) {
		uint32_t with = 0;

		for (uint32_t j = 0; j < count; j++)
			with += cell_in(&runs[j], &rows[i]) != NULL;
		if (with >= 2)
			rows[kept++] = rows[i];
	}
	return kept;
}

static void row_cell(struct page *page, const struct html *html, const struct row *row)
{
	const struct report_cell *cell = cell_in(html, row);
	char number[PAGE_NUMBER], tail[PAGE_NUMBER];
	const struct cell_op *op;

	if (!cell) {
		page_element(page, "td", "n na", "n/a");
		return;
	}
	op = &cell->op[row->op];
	page_raw(page, "<td class=\"n\"><b>");
	page_text(page, page_count_text(row->bytes ? op->rate / 1e6 : op->iops, number));
	page_format(page, "\xe2\x80\xaf%s", row->bytes ? "MB/s" : "IOPS");
	page_raw(page, "</b><br><small>");
	page_format(page, say(page, "mean %s, max %s"), page_latency_text(op->latency.mean_ns, number),
		    op->latency.n ? page_latency_text((double)op->latency.max_ns, tail) : "n/a");
	page_raw(page, "</small></td>");
}

static void rows_table(struct page *page, struct html *runs, const char *const *names, uint32_t count,
		       const struct row *rows, uint32_t row_count)
{
	page_raw(page, "<div class=\"scroll\"><table><thead><tr>");
	page_element(page, "th", NULL, say(page, "load"));
	for (uint32_t i = 0; i < count; i++)
		page_element(page, "th", "n", names[i]);
	page_raw(page, "</tr></thead><tbody>\n");
	for (uint32_t i = 0; i < row_count; i++) {
		page_raw(page, "<tr><th scope=\"row\">");
		page_format(page, "%s%s%s \xc2\xb7 %s", rows[i].family, rows[i].point[0] ? " " : "",
			    rows[i].point, html_direction(page, rows[i].op));
		page_raw(page, "</th>");
		for (uint32_t j = 0; j < count; j++)
			row_cell(page, &runs[j], &rows[i]);
		page_row_end(page);
	}
	page_table_end(page);
}

/* The rows that two runs or more have, `row_count` of them. NULL: no memory. */
static struct row *rows_new(const struct html *runs, uint32_t count, uint32_t *ret_count)
{
	struct row *rows = malloc(ROWS_MAX * sizeof(*rows));
	uint32_t all = 0;

	for (uint32_t i = 0; rows && i < count; i++)
		all = rows_of(&runs[i], rows, all);
	*ret_count = rows ? shared_rows(runs, count, rows, all) : 0;
	return rows;
}

/* -- overlays -- */

/* Of a step of that name and plan. */
static const struct series *long_series(const struct html *html, const struct report_family *like,
					const struct report_step **ret_step)
{
	for (uint32_t i = 0; i < html->model->step_count; i++)
		if (html->series[i].count >= LONG_INTERVALS &&
		    strcmp(html->model->steps[i].family->name, like->name) == 0 &&
		    strcmp(html->model->steps[i].family->plan, like->plan) == 0) {
			*ret_step = &html->model->steps[i];
			return &html->series[i];
		}
	return NULL;
}

static void overlay_line(struct chart *chart, uint32_t run, const struct series *series,
			 const struct report_step *step, const char *name)
{
	double *times, *means, width = (double)step->record->duration_ns / 150;
	uint32_t count = series_smooth((struct series *)series, series->iops, width, &times, &means);

	for (uint32_t i = 0; i < count; i++)
		times[i] -= (double)step->record->started_ns;
	if (run < CHART_SERIES_MAX)
		chart_line(chart, run, times, means, count, name);
	else
		chart_ghost(chart, times, means, count);
}

static double overlay_range(struct html *runs, uint32_t count, const struct report_family *like,
			    double *ret_length_ns)
{
	double highest = 0;

	*ret_length_ns = 1;
	for (uint32_t i = 0; i < count; i++) {
		const struct report_step *step;
		const struct series *series = long_series(&runs[i], like, &step);

		for (uint32_t j = 0; series && j < series->count; j++)
			highest = fmax(highest, series->iops[j]);
		if (series)
			*ret_length_ns = fmax(*ret_length_ns, (double)step->record->duration_ns);
	}
	return highest;
}

static void overlay_finding(struct page *page, struct html *runs, const char *const *names, uint32_t count,
			    const struct report_family *like)
{
	double best = -1, worst = INFINITY;
	const char *best_name = "", *worst_name = "";
	char high[PAGE_NUMBER], low[PAGE_NUMBER];

	for (uint32_t i = 0; i < count; i++) {
		const struct report_step *step;
		double iops = 0;

		if (!long_series(&runs[i], like, &step))
			continue;
		for (uint32_t j = 0; j < step->load_count; j++)
			iops += step->loads[j].iops;
		if (iops > best)
			best_name = names[i];
		if (iops < worst)
			worst_name = names[i];
		best = fmax(best, iops);
		worst = fmin(worst, iops);
	}
	page_raw(page, "<figcaption>");
	if (best < worst * (1 + RATIO_MARGIN))
		page_format(page,
			    say(page,
				"On average over the step all are alike: %s to %s IOPS, 3 %% apart at most."),
			    page_count_text(worst, low), page_count_text(best, high));
	else
		page_format(page,
			    say(page,
				"On average over the step: highest %s with %s IOPS, lowest %s with %s IOPS. "
				"One run each says nothing about which drive is faster: use compare."),
			    best_name, page_count_text(best, high), worst_name, page_count_text(worst, low));
	page_raw(page, "</figcaption>\n");
}

static double part_mean(const struct html *run, const struct report_family *like, double from_ns,
			double to_ns)
{
	const struct report_step *step;
	const struct series *series = long_series(run, like, &step);
	double sum = 0, weight = 0;

	for (uint32_t i = 0; series && i < series->count; i++) {
		double at = series->t_ns[i] - (double)step->record->started_ns;

		if (isnan(series->iops[i]) || at < from_ns || at >= to_ns)
			continue;
		sum += series->iops[i] * series->duration_ns[i];
		weight += series->duration_ns[i];
	}
	return weight > 0 ? sum / weight : NAN;
}

static void overlay_explore(struct page *page, struct html *runs, const char *const *names, uint32_t count,
			    const struct report_family *like)
{
	uint32_t blobs[CHART_SERIES_MAX], drawn = 0;
	const char *drawn_names[CHART_SERIES_MAX];

	for (uint32_t i = 0; i < count && i < CHART_SERIES_MAX; i++) {
		const struct report_step *step;

		if (!long_series(&runs[i], like, &step))
			continue;
		drawn_names[drawn] = names[i];
		blobs[drawn++] = html_step_blob(&runs[i], (uint32_t)(step - runs[i].model->steps));
	}
	explore_button(page, "iops", blobs, drawn_names, drawn);
}

/* Those without a colour of their own. */
static void overlay_ghosts(struct page *page, struct html *runs, const char *const *names, uint32_t count,
			   const struct report_family *like)
{
	struct text list = { 0 };
	const struct report_step *step;

	for (uint32_t i = CHART_SERIES_MAX; i < count; i++)
		if (long_series(&runs[i], like, &step))
			text_printf(&list, "%s%s", list.bytes ? ", " : "", names[i]);
	if (list.bytes) {
		page_raw(page, "<p class=\"note\">");
		page_format(page, say(page, "In grey: %s."), text_data(&list));
		page_raw(page, "</p>\n");
	}
	text_release(&list);
}

/* Means over twelfths of the longest run. */
static void overlay_table(struct page *page, struct html *runs, const char *const *names, uint32_t count,
			  const struct report_family *like)
{
	double length;
	char number[PAGE_NUMBER];

	overlay_range(runs, count, like, &length);
	chart_table_begin(page);
	page_raw(page, "<div class=\"scroll\"><table><thead><tr><th class=\"n\">");
	page_text(page, say(page, "from"));
	page_raw(page, "</th>");
	for (uint32_t i = 0; i < count; i++)
		page_element(page, "th", "n", names[i]);
	page_raw(page, "</tr></thead><tbody>\n");
	for (uint32_t part = 0; part < TABLE_PARTS; part++) {
		page_row_begin(page);
		page_number(page, page_time_text(length * part / TABLE_PARTS, number));
		for (uint32_t i = 0; i < count; i++)
			page_number(page,
				    page_count_text(part_mean(&runs[i], like, length * part / TABLE_PARTS,
							      length * (part + 1) / TABLE_PARTS),
						    number));
		page_row_end(page);
	}
	page_table_end(page);
	page_paragraph(page, "note", say(page, "Means in IOPS; every interval is in series.csv."));
	chart_table_end(page);
}

static void overlay(struct page *page, struct html *runs, const char *const *names, uint32_t count,
		    const struct report_family *like)
{
	double length, highest = overlay_range(runs, count, like, &length);
	struct chart chart = {
		.x = { .scale = { SCALE_LINEAR, 0, length }, .unit = UNIT_TIME, .title = say(page, "time") },
		.y = { .scale = { SCALE_LINEAR, 0, scale_round_up(highest, 6) }, .unit = UNIT_COUNT,
		       .title = say(page, "I/Os per second") },
	};
	char title[256];

	snprintf(title, sizeof(title), "%s \xc2\xb7 %s", say(page, "IOPS against time"), like->name);
	chart_begin(&chart, page, CHART_WIDE, title, say(page, "A line of means per run."));
	for (uint32_t i = 0; i < count; i++) {
		const struct report_step *step;
		const struct series *series = long_series(&runs[i], like, &step);

		if (series)
			overlay_line(&chart, i, series, step, names[i]);
	}
	chart_draw_end(&chart);
	overlay_finding(page, runs, names, count, like);
	overlay_ghosts(page, runs, names, count, like);
	overlay_explore(page, runs, names, count, like);
	overlay_table(page, runs, names, count, like);
	chart_close(page);
}

/* How many runs have such a step; none when one before `first` has: it has been drawn. */
static uint32_t runs_with(struct html *runs, uint32_t count, const struct report_family *like, uint32_t first)
{
	const struct report_step *step;
	uint32_t with = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (!long_series(&runs[i], like, &step))
			continue;
		if (i < first)
			return 0;
		with++;
	}
	return with;
}

static bool any_overlay(struct html *runs, uint32_t count)
{
	for (uint32_t run = 0; run < count; run++)
		for (uint32_t i = 0; i < runs[run].family_count; i++)
			if (runs_with(runs, count, runs[run].families[i].family, run) >= 2)
				return true;
	return false;
}

static void overlays(struct page *page, struct html *runs, const char *const *names, uint32_t count)
{
	uint32_t drawn = 0;

	for (uint32_t run = 0; run < count; run++)
		for (uint32_t i = 0; i < runs[run].family_count && drawn < OVERLAYS_MAX; i++) {
			const struct report_family *family = runs[run].families[i].family;

			if (runs_with(runs, count, family, run) < 2)
				continue;
			overlay(page, runs, names, count, family);
			drawn++;
		}
}

/* What they have unlike that the reader must know before he looks at them side by side. */
static int differences(struct page *page, struct html *runs, const char *const *names, uint32_t count)
{
	struct report_model **models = malloc(count * sizeof(*models));
	struct difference found[DIFFERENCES];
	int result = models ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < count && models; i++)
		models[i] = runs[i].model;
	if (!result)
		result = differences_find(models, names, count, &page->arena, found);
	for (int i = 0; i < result; i++) {
		page_raw(page, "<p><b>");
		page_format(page, say(page, difference_format[found[i].kind]), found[i].list);
		page_raw(page, "</b></p>\n");
	}
	free(models);
	return result < 0 ? result : 0;
}

static int side_by_side(struct page *page, struct html *runs, const char *const *names, uint32_t count,
			const struct row *rows, uint32_t row_count)
{
	int error;

	page_raw(page, "<main>\n");
	page_element(page, "h2", "s", say(page, "Side by side"));
	error = differences(page, runs, names, count);
	overlays(page, runs, names, count);
	if (!error)
		error = html_compare(page, runs, names, count);
	if (row_count)
		rows_table(page, runs, names, count, rows, row_count);
	page_raw(page, "</main>\n");
	return error;
}

/* Why there is nothing to put side by side. */
static int apart(struct page *page, struct html *runs, const char *const *names, uint32_t count)
{
	int error;

	page_raw(page, "<main>\n");
	error = differences(page, runs, names, count);
	page_paragraph(page, NULL,
		       say(page, "No two of these runs measured the same point of the same step, so there is nothing to "
				 "put side by side."));
	page_raw(page, "</main>\n");
	return error;
}

int html_overview(struct page *page, struct html *runs, const char *const *names, uint32_t count)
{
	uint32_t row_count;
	struct row *rows = rows_new(runs, count, &row_count);
	bool alike = row_count || any_overlay(runs, count);
	int error = rows ? 0 : -ENOMEM;

	page_raw(page, "<header><p class=\"kicker\">ssdassay</p><h1>");
	page_format(page, alike ? say(page, "%u runs side by side") : say(page, "%u runs"), count);
	page_raw(page, "</h1></header>\n<nav><ul>");
	for (uint32_t i = 0; i < count; i++) {
		text_printf(page->out, "<li><a href=\"#run%u\">", i + 1);
		page_text(page, names[i]);
		page_raw(page, "</a></li>");
	}
	page_raw(page, "</ul></nav>\n");
	if (!error)
		error = alike ? side_by_side(page, runs, names, count, rows, row_count)
			      : apart(page, runs, names, count);
	free(rows);
	return error;
}
