#include "report/html_overlay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/chart.h"

#define INTERVALS_MIN 30u
#define TABLE_PARTS 12u

/* The last measurement of each point; NULL: it has too few intervals. */
static const struct series *series_of(const struct html *html, const struct report_cell *cell)
{
	const struct series *series = &html->series[cell->last - html->model->steps];

	return series->count >= INTERVALS_MIN ? series : NULL;
}

static bool worth_it(const struct html *html, const struct html_family *family)
{
	uint32_t count = 0;

	if (family->family->key_count != 1 || family->cell_count < 2 || family->cell_count > CHART_SERIES_MAX)
		return false;
	for (uint32_t i = 0; i < family->cell_count; i++)
		count += series_of(html, &family->cells[i]) != NULL;
	return count == family->cell_count;
}

static double start_of(const struct report_cell *cell)
{
	return (double)cell->last->record->started_ns;
}

static double length_of(const struct report_cell *cell)
{
	return (double)cell->last->record->duration_ns;
}

static double mean_between(const struct html *html, const struct report_cell *cell, double from_ns,
			   double to_ns)
{
	const struct series *series = series_of(html, cell);
	double sum = 0, weight = 0;

	for (uint32_t i = 0; i < series->count; i++) {
		double at = series->t_ns[i] - start_of(cell);

		if (isnan(series->iops[i]) || at < from_ns || at >= to_ns)
			continue;
		sum += series->iops[i] * series->duration_ns[i];
		weight += series->duration_ns[i];
	}
	return weight > 0 ? sum / weight : NAN;
}

static void line(struct html *html, struct chart *chart, const struct report_cell *cell, uint32_t index)
{
	struct series *series = (struct series *)series_of(html, cell);
	double *times, *means;
	uint32_t count = series_smooth(series, series->iops, length_of(cell) / 150,
				       &times, &means);

	for (uint32_t i = 0; i < count; i++)
		times[i] -= start_of(cell);
	chart_line(chart, index, times, means, count, cell->last->point);
}

/* How the step began against how it went on: each by its own length. */
struct course {
	double first, rest;	/* I/Os per second over its first twentieth, and over its last half */
};

static struct course course_of(const struct html *html, const struct report_cell *cell)
{
	double length = length_of(cell);

	return (struct course){ mean_between(html, cell, 0, length / 20),
				mean_between(html, cell, length / 2, INFINITY) };
}

static void courses(struct html *html, const struct html_family *family)
{
	static const char *const names[] = { "point", "first twentieth (IOPS)", "last half (IOPS)", "ratio" };
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	page_table_begin(page, names, 4, 1);
	for (uint32_t i = 0; i < family->cell_count; i++) {
		struct course course = course_of(html, &family->cells[i]);

		page_row_begin(page);
		page_cell(page, family->cells[i].last->point);
		page_number(page, page_count_text(course.first, number));
		page_number(page, page_count_text(course.rest, number));
		if (course.rest > 0 && isfinite(course.first))
			page_number_format(page, "%.3f", course.first / course.rest);
		else
			page_number(page, "n/a");
		page_row_end(page);
	}
	page_table_end(page);
}

static void table(struct html *html, const struct html_family *family, double length_ns)
{
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	courses(html, family);
	page_raw(page, "<div class=\"scroll\"><table><thead><tr>");
	page_element(page, "th", "n", say(page, "from"));
	for (uint32_t i = 0; i < family->cell_count; i++)
		page_element(page, "th", "n", family->cells[i].last->point);
	page_raw(page, "</tr></thead><tbody>\n");
	for (uint32_t part = 0; part < TABLE_PARTS; part++) {
		double from = length_ns * part / TABLE_PARTS, to = length_ns * (part + 1) / TABLE_PARTS;

		page_row_begin(page);
		page_number(page, page_time_text(from, number));
		for (uint32_t i = 0; i < family->cell_count; i++)
			page_number(page,
				    page_count_text(mean_between(html, &family->cells[i], from, to), number));
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

/* What the time before gave back, if any of it. */
static void finding(struct html *html, const struct html_family *family)
{
	const struct report_cell *best = &family->cells[0];
	struct page *page = html->page;
	char first[PAGE_NUMBER], rest[PAGE_NUMBER];
	struct course most = course_of(html, best);

	for (uint32_t i = 1; i < family->cell_count; i++) {
		struct course course = course_of(html, &family->cells[i]);

		if (course.first > most.first || isnan(most.first)) {
			most = course;
			best = &family->cells[i];
		}
	}
	page_raw(page, "<figcaption>");
	page_format(page,
		    say(page, "Fastest at the beginning: %s with %s IOPS over its first twentieth, over "
			      "its last half %s IOPS."),
		    best->last->point, page_count_text(most.first, first),
		    page_count_text(most.rest, rest));
	page_raw(page, "</figcaption>\n");
}

static void overlay(struct html *html, const struct html_family *family)
{
	struct page *page = html->page;
	struct chart chart = { .x = { .unit = UNIT_TIME, .title = say(page, "time") },
			       .y = { .unit = UNIT_COUNT, .title = say(page, "I/Os per second") } };
	double length = 1, highest = 0;
	char title[256];

	for (uint32_t i = 0; i < family->cell_count; i++) {
		const struct series *series = series_of(html, &family->cells[i]);

		length = fmax(length, length_of(&family->cells[i]));
		for (uint32_t j = 0; j < series->count; j++)
			highest = fmax(highest, series->iops[j]);
	}
	chart.x.scale = (struct scale){ SCALE_LINEAR, 0, length };
	chart.y.scale = (struct scale){ SCALE_LINEAR, 0, scale_round_up(highest, 6) };
	snprintf(title, sizeof(title), "%s \xc2\xb7 %s", say(page, "IOPS against time"),
		 family->family->name);
	chart_begin(&chart, page, CHART_WIDE, title,
		    say(page, "A line of means per point, each from its own beginning."));
	for (uint32_t i = 0; i < family->cell_count; i++)
		line(html, &chart, &family->cells[i], i);
	chart_draw_end(&chart);
	finding(html, family);
	table(html, family, length);
	chart_close(page);
}

void html_overlays(struct html *html)
{
	for (uint32_t i = 0; i < html->family_count; i++)
		if (worth_it(html, &html->families[i]))
			overlay(html, &html->families[i]);
}
