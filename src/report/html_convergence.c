#include "report/html_convergence.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "analyze/snia.h"
#include "report/sweep.h"

#define ROUNDS_TOLD SNIA_WINDOW		/* in tables: those that are judged */

/* One chart: all points of the section, or those that have one value of a key where they are too many for
 * one. */
struct part {
	const struct html_family *family;
	const struct round_view *view;
	const char *key;			/* NULL: all points */
	const struct report_value *value;	/* of key */
	uint32_t count, drawn; /* points with the figure; how many of them are drawn, the first ones */
	const struct report_cell *cells[CHART_SERIES_MAX];	/* those */
};

static bool part_has(const struct part *part, const struct report_cell *cell)
{
	return (!part->key || report_value_compare(report_cell_value(cell, part->key), part->value) == 0) &&
	       rounds_have(part->family->family, cell->last->record->point, part->view);
}

static struct part part_of(const struct html_family *family, const struct round_view *view, const char *key,
			   const struct report_value *value)
{
	struct part part = { .family = family, .view = view, .key = key, .value = value };

	for (uint32_t i = 0; i < family->cell_count; i++) {
		if (!part_has(&part, &family->cells[i]))
			continue;
		if (part.drawn < CHART_SERIES_MAX)
			part.cells[part.drawn++] = &family->cells[i];
		part.count++;
	}
	return part;
}

static uint32_t part_values(const struct part *part, const struct report_cell *cell, double *x, double *y)
{
	return round_values(part->family->family, cell->last->record->point, part->view, x, y);
}

/* The rounds of the table: all, or the last ones where there are many. */
static uint32_t first_round_told(const struct html_family *family)
{
	uint32_t rounds = family->family->rounds < ROUNDS_MAX ? family->family->rounds : ROUNDS_MAX;

	return rounds > ROUNDS_TOLD ? rounds - ROUNDS_TOLD : 0;
}

static void convergence_row(struct html *html, const struct part *part, const struct report_cell *cell)
{
	double x[ROUNDS_MAX], y[ROUNDS_MAX];
	uint32_t count = part_values(part, cell, x, y);
	char number[PAGE_NUMBER];

	page_raw(html->page, "<tr><th scope=\"row\">");
	page_text(html->page, cell->last->point);
	page_raw(html->page, "</th>");
	for (uint32_t j = first_round_told(part->family);
	     j < part->family->family->rounds && j < ROUNDS_MAX; j++)
		page_number(html->page, j < count ? round_text(part->view, y[j], number) : "");
	page_row_end(html->page);
}

static void convergence_table(struct html *html, const struct part *part)
{
	const struct html_family *family = part->family;
	struct page *page = html->page;

	chart_table_begin(page);
	page_raw(page, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">");
	page_text(page, say(page, "point"));
	page_raw(page, "</th>");
	for (uint32_t i = first_round_told(family); i < family->family->rounds && i < ROUNDS_MAX; i++) {
		page_raw(page, "<th scope=\"col\" class=\"n\">");
		page_format(page, say(page, "round %u"), i + 1);
		page_raw(page, "</th>");
	}
	page_raw(page, "</tr></thead><tbody>\n");
	for (uint32_t i = 0; i < family->cell_count; i++)
		if (part_has(part, &family->cells[i]))
			convergence_row(html, part, &family->cells[i]);
	page_table_end(page);
	chart_table_end(page);
}

static bool key_varies(const struct part *part, const char *key)
{
	for (uint32_t i = 1; i < part->drawn; i++)
		if (report_value_compare(report_cell_value(part->cells[0], key),
					 report_cell_value(part->cells[i], key)))
			return true;
	return false;
}

/* "rwmixread=100": what all that are drawn have in common. */
static const char *common_words(struct html *html, const struct part *part)
{
	const struct html_family *family = part->family;
	const char *words = "";

	for (uint32_t i = 0; i < family->family->key_count && part->drawn; i++) {
		const char *key = family->family->keys[i];
		const struct report_value *value = report_cell_value(part->cells[0], key);

		if (value && !key_varies(part, key))
			words = word(arena_printf(&html->arena, "%s %s=%s", words, key, value->text));
	}
	return words;
}

static uint32_t varying_count(const struct part *part)
{
	const struct html_family *family = part->family;
	uint32_t count = 0;

	for (uint32_t i = 0; i < family->family->key_count; i++)
		count += key_varies(part, family->family->keys[i]);
	return count;
}

/* What differs: "bs=4k", or of several keys the values alone, "16, 32"; the title has their names. */
static const char *varying_words(struct html *html, const struct part *part, const struct report_cell *cell)
{
	const struct html_family *family = part->family;
	bool one = varying_count(part) == 1;
	const char *words = "";

	for (uint32_t i = 0; i < family->family->key_count; i++) {
		const char *key = family->family->keys[i];
		const struct report_value *value = report_cell_value(cell, key);

		if (value && key_varies(part, key))
			words = word(arena_printf(&html->arena, "%s%s%s%s%s", words, words[0] ? ", " : "",
						  one ? key : "", one ? "=" : "", value->text));
	}
	return words;
}

static const char *varying_names(struct html *html, const struct part *part)
{
	const struct html_family *family = part->family;
	const char *words = "";

	if (varying_count(part) < 2)
		return "";
	for (uint32_t i = 0; i < family->family->key_count; i++)
		if (key_varies(part, family->family->keys[i]))
			words = word(arena_printf(&html->arena, "%s%s%s", words, words[0] ? ", " : "",
						  family->family->keys[i]));
	return word(arena_printf(&html->arena, " (%s)", words));
}

static void convergence_lines(struct html *html, struct chart *chart, const struct part *part)
{
	double x[ROUNDS_MAX], y[ROUNDS_MAX];

	for (uint32_t i = 0; i < part->drawn; i++) {
		const char *label = varying_words(html, part, part->cells[i]);
		uint32_t count = part_values(part, part->cells[i], x, y);

		chart_line(chart, i, x, y, count,
			   label[0] ? label : sweep_direction(html->page, part->view->op));
		chart_marks(chart, i, x, y, count);
	}
}

/* How far the points moved in the last five rounds. */
static void convergence_finding(struct page *page, const struct part *part)
{
	const struct html_family *family = part->family;
	uint32_t calm = 0;

	for (uint32_t i = 0; i < family->cell_count; i++) {
		struct snia_verdict window;
		double x[ROUNDS_MAX], y[ROUNDS_MAX];

		if (!part_has(part, &family->cells[i]))
			continue;
		snia_evaluate(y, part_values(part, &family->cells[i], x, y), &window);
		calm += window.complete && window.met;
	}
	page_raw(page, "<figcaption>");
	if (part->count == 1 && part->view->figure != ROUND_MAX)
		page_format(page, say(page, calm ? "%u rounds; the last five meet SNIA's rule."
						  : "%u rounds; the last five do not meet SNIA's rule."),
			    family->family->rounds);
	else if (part->view->figure == ROUND_MAX)	/* the rule is about none of these */
		page_format(page, say(page, "%u rounds of %u points."), family->family->rounds, part->count);
	else
		page_format(page,
			    say(page, "%u rounds of %u points; %u of them meet SNIA's rule over the last "
				      "five."),
			    family->family->rounds, part->count, calm);
	if (part->count > part->drawn) {
		page_sentence_gap(page);
		page_format(page, say(page, "The first %u of %u points are drawn."), part->drawn,
			    part->count);
	}
	page_raw(page, "</figcaption>\n");
}

/* Of the points of this part: those of 512 B and of 1 MiB have no scale in common. */
static double part_highest(const struct part *part)
{
	double x[ROUNDS_MAX], y[ROUNDS_MAX], highest = 0;

	for (uint32_t i = 0; i < part->drawn; i++)
		for (uint32_t j = part_values(part, part->cells[i], x, y); j--;)
			highest = fmax(highest, y[j]);
	return highest;
}

static const char *convergence_words(const struct part *part)
{
	return part->view->figure == ROUND_MEAN	 ? "convergence of the mean latency"
	       : part->view->figure == ROUND_MAX ? "convergence of the longest latency"
						 : "convergence";
}

static void convergence_chart(struct html *html, const struct part *part)
{
	struct page *page = html->page;
	struct chart chart = {
		.x = { .scale = { SCALE_LINEAR, 1, part->family->family->rounds },
		       .unit = UNIT_NUMBER,
		       .title = say(page, "round") },
		.y = round_axis(page, part->view, part_highest(part)),
	};
	char title[256];

	snprintf(title, sizeof(title), "%s%s%s \xc2\xb7 %s \xc2\xb7 %s", part->family->family->name,
		 common_words(html, part), varying_names(html, part), sweep_direction(page, part->view->op),
		 say(page, convergence_words(part)));
	chart_begin(&chart, page, CHART_HALF, title, say(page, "A line per point, round by round."));
	convergence_lines(html, &chart, part);
	chart_draw_end(&chart);
	convergence_finding(page, part);
	convergence_table(html, part);
	chart_close(page);
}

/* Does a chart for each value of the key have room for its points? */
static bool splits(const struct html_family *family, const struct round_view *view, const char *key)
{
	struct key_values list = key_values_of(family, key);

	for (uint32_t i = 0; i < list.count; i++)
		if (part_of(family, view, key, list.values[i]).count > CHART_SERIES_MAX)
			return false;
	return list.count > 1 && list.count < SWEEP_VALUES_MAX;
}

/* SNIA's tests have a chart for each block size; NULL: none of the keys makes room. */
static const char *split_key(const struct html_family *family, const struct round_view *view)
{
	const struct report_family *what = family->family;
	const char *key = NULL;

	for (uint32_t i = what->key_count; i--;)
		if (splits(family, view, what->keys[i]) && (!key || strcmp(key, "bs")))
			key = what->keys[i];
	return key;
}

void html_convergence(struct html *html, const struct html_family *family, const struct round_view *view)
{
	struct part all = part_of(family, view, NULL, NULL);
	const char *key = all.count > all.drawn ? split_key(family, view) : NULL;
	struct key_values list = { 0 };

	if (!key) {
		convergence_chart(html, &all);
		return;
	}
	list = key_values_of(family, key);
	for (uint32_t i = 0; i < list.count; i++) {
		struct part part = part_of(family, view, key, list.values[i]);

		if (part.count)
			convergence_chart(html, &part);
	}
}
