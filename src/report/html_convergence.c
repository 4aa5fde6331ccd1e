#include "report/html_convergence.h"

#include <stdio.h>
#include "analyze/snia.h"
#include "report/sweep.h"

#define ROUNDS_TOLD SNIA_WINDOW		/* in tables: those that are judged */

/* The rounds of the table: all, or the last ones where there are many. */
static uint32_t first_round_told(const struct html_family *family)
{
	uint32_t rounds = family->family->rounds < ROUNDS_MAX ? family->family->rounds : ROUNDS_MAX;

	return rounds > ROUNDS_TOLD ? rounds - ROUNDS_TOLD : 0;
}

static void convergence_row(struct html *html, const struct html_family *family, uint32_t at,
			    const struct round_view *view)
{
	const struct report_step *last = family->cells[at].last;
	double x[ROUNDS_MAX], y[ROUNDS_MAX];
	uint32_t count = round_values(family->family, last->record->point, view, x, y);
	char number[PAGE_NUMBER];

	if (!rounds_have(family->family, last->record->point, view))
		return;
	page_raw(html->page, "<tr><th scope=\"row\">");
	page_text(html->page, last->point);
	page_raw(html->page, "</th>");
	for (uint32_t j = first_round_told(family); j < count; j++)
		page_number(html->page, round_text(view, y[j], number));
	page_row_end(html->page);
}

static void convergence_table(struct html *html, const struct html_family *family,
			      const struct round_view *view)
{
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
		convergence_row(html, family, i, view);
	page_table_end(page);
	chart_table_end(page);
}

/* The points that are drawn: the first that have the figure. */
struct drawn {
	uint32_t count, all;
	const struct report_cell *cells[CHART_SERIES_MAX];
};

static struct drawn drawn_of(const struct html_family *family, const struct round_view *view)
{
	struct drawn drawn = { 0 };

	for (uint32_t i = 0; i < family->cell_count; i++) {
		if (!rounds_have(family->family, family->cells[i].last->record->point, view))
			continue;
		if (drawn.count < CHART_SERIES_MAX)
			drawn.cells[drawn.count++] = &family->cells[i];
		drawn.all++;
	}
	return drawn;
}

static bool key_varies(const struct drawn *drawn, const char *key)
{
	for (uint32_t i = 1; i < drawn->count; i++)
		if (report_value_compare(report_cell_value(drawn->cells[0], key),
					 report_cell_value(drawn->cells[i], key)))
			return true;
	return false;
}

/* "rwmixread=100": what all that are drawn have in common. */
static const char *common_words(struct html *html, const struct html_family *family,
				const struct drawn *drawn)
{
	const char *words = "";

	for (uint32_t i = 0; i < family->family->key_count && drawn->count; i++) {
		const char *key = family->family->keys[i];
		const struct report_value *value = report_cell_value(drawn->cells[0], key);

		if (value && !key_varies(drawn, key))
			words = word(arena_printf(&html->arena, "%s %s=%s", words, key, value->text));
	}
	return words;
}

static uint32_t varying_count(const struct html_family *family, const struct drawn *drawn)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < family->family->key_count; i++)
		count += key_varies(drawn, family->family->keys[i]);
	return count;
}

/* What differs: "bs=4k", or of several keys the values alone, "16, 32"; the title has their names. */
static const char *varying_words(struct html *html, const struct html_family *family,
				 const struct drawn *drawn, const struct report_cell *cell)
{
	bool one = varying_count(family, drawn) == 1;
	const char *words = "";

	for (uint32_t i = 0; i < family->family->key_count; i++) {
		const char *key = family->family->keys[i];
		const struct report_value *value = report_cell_value(cell, key);

		if (value && key_varies(drawn, key))
			words = word(arena_printf(&html->arena, "%s%s%s%s%s", words, words[0] ? ", " : "",
						  one ? key : "", one ? "=" : "", value->text));
	}
	return words;
}

static const char *varying_names(struct html *html, const struct html_family *family,
				 const struct drawn *drawn)
{
	const char *words = "";

	if (varying_count(family, drawn) < 2)
		return "";
	for (uint32_t i = 0; i < family->family->key_count; i++)
		if (key_varies(drawn, family->family->keys[i]))
			words = word(arena_printf(&html->arena, "%s%s%s", words, words[0] ? ", " : "",
						  family->family->keys[i]));
	return word(arena_printf(&html->arena, " (%s)", words));
}

static void convergence_lines(struct html *html, struct chart *chart, const struct html_family *family,
			      const struct round_view *view)
{
	struct drawn drawn = drawn_of(family, view);
	double x[ROUNDS_MAX], y[ROUNDS_MAX];

	for (uint32_t i = 0; i < drawn.count; i++) {
		const char *label = varying_words(html, family, &drawn, drawn.cells[i]);
		uint32_t count =
			round_values(family->family, drawn.cells[i]->last->record->point, view, x, y);

		chart_line(chart, i, x, y, count, label[0] ? label : sweep_direction(html->page, view->op));
		chart_marks(chart, i, x, y, count);
	}
}

/* How far the points moved in the last five rounds. */
static void convergence_finding(struct page *page, const struct html_family *family,
				const struct round_view *view)
{
	struct drawn drawn = drawn_of(family, view);
	uint32_t points = 0, calm = 0;

	for (uint32_t i = 0; i < family->cell_count; i++) {
		struct snia_verdict window;
		double x[ROUNDS_MAX], y[ROUNDS_MAX];
		uint32_t count =
			round_values(family->family, family->cells[i].last->record->point, view, x, y);

		if (!rounds_have(family->family, family->cells[i].last->record->point, view))
			continue;
		points++;
		snia_evaluate(y, count, &window);
		calm += window.complete && window.met;
	}
	page_raw(page, "<figcaption>");
	page_format(page,
		    say(page, "%u rounds of %u points; %u of them meet SNIA's rule over the last five."),
		    family->family->rounds, points, calm);
	if (drawn.all > drawn.count) {
		page_raw(page, " ");
		page_format(page, say(page, "The first %u of %u points are drawn."), drawn.count, drawn.all);
	}
	page_raw(page, "</figcaption>\n");
}

void html_convergence(struct html *html, const struct html_family *family, const struct round_view *view)
{
	struct page *page = html->page;
	struct chart chart = {
		.x = { .scale = { SCALE_LINEAR, 1, family->family->rounds },
		       .unit = UNIT_NUMBER,
		       .title = say(page, "round") },
		.y = round_axis(page, view, rounds_highest(family->family, view)),
	};
	struct drawn drawn = drawn_of(family, view);
	char title[256];

	snprintf(title, sizeof(title), "%s%s%s \xc2\xb7 %s \xc2\xb7 %s", family->family->name,
		 common_words(html, family, &drawn), varying_names(html, family, &drawn),
		 sweep_direction(page, view->op), say(page, "convergence"));
	chart_begin(&chart, page, CHART_HALF, title, say(page, "A line per point, round by round."));
	convergence_lines(html, &chart, family, view);
	chart_draw_end(&chart);
	convergence_finding(page, family, view);
	convergence_table(html, family, view);
	chart_close(page);
}
