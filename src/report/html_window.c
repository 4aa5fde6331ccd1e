#include "report/html_window.h"

#include <math.h>
#include <stdio.h>

static void window_finding(struct html *html, const struct round_view *view,
			   const struct snia_verdict *window)
{
	struct page *page = html->page;
	char mean[PAGE_NUMBER], range[PAGE_NUMBER], slope[PAGE_NUMBER];

	page_raw(page, "<figcaption>");
	page_format(page,
		    say(page, "%s: average %s; range %s of it (20 %% allowed), slope over the window %s "
			      "(10 %% allowed)."),
		    say(page, window->met ? "Steady by the SNIA rule" : "NOT REACHED"),
		    round_text(view, window->average, mean),
		    round_share_text(window->range / window->average, range),
		    round_share_text(window->slope_excursion / window->average, slope));
	page_raw(page, "</figcaption>\n");
}

static void values_table(struct html *html, const struct round_view *view, const struct snia_verdict *window)
{
	static const char *const figures[] = {
		[ROUND_IOPS] = "IOPS",
		[ROUND_RATE] = "throughput",
		[ROUND_MEAN] = "mean",
		[ROUND_MAX] = "max",
	};
	const char *names[] = { "round", figures[view->figure] };
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	page_table_begin(page, names, 2, 1);
	for (uint32_t i = 0; i < SNIA_WINDOW; i++) {
		page_row_begin(page);
		page_raw(page, "<td>");
		page_format(page, "%u", window->last_round - SNIA_WINDOW + 1 + i);
		page_raw(page, "</td>");
		page_number(page, round_exact_text(view, window->y[i], number));
		page_row_end(page);
	}
	page_row_begin(page);
	page_cell(page, say(page, "average"));
	page_number(page, round_exact_text(view, window->average, number));
	page_row_end(page);
	page_table_end(page);
}

static void excursion_row(struct page *page, const struct round_view *view, const char *name, double measured,
			  double allowed, double average)
{
	char number[PAGE_NUMBER], share[PAGE_NUMBER];

	page_row_begin(page);
	page_cell(page, say(page, name));
	page_number_format(page, "%s (%.0f\xe2\x80\xaf%%)", round_exact_text(view, allowed, number),
			   100 * allowed / average);
	page_number_format(page, "%s (%s)", round_exact_text(view, measured, number),
			   round_share_text(measured / average, share));
	page_row_end(page);
}

/* What is allowed follows from the rule; a verdict that was read from a file may lack it. */
static void excursions(struct html *html, const struct round_view *view, const struct snia_verdict *window)
{
	static const char *const names[] = { "excursion", "allowed", "measured" };

	page_table_begin(html->page, names, 3, 1);
	excursion_row(html->page, view, "data", window->range, 0.20 * window->average, window->average);
	excursion_row(html->page, view, "slope", window->slope_excursion, 0.10 * window->average,
		      window->average);
	page_table_end(html->page);
}

/* The line through the rounds by their numbers, not by their places in the window. */
static void equation(struct html *html, const struct round_view *view, const struct snia_verdict *window)
{
	double intercept = window->intercept - window->slope * (window->last_round - SNIA_WINDOW);
	char slope[PAGE_NUMBER], constant[PAGE_NUMBER];

	page_raw(html->page, "<p class=\"note\">");
	page_format(html->page,
		    say(html->page, "y = kR + b, R the number of the round: y = %s \xc2\xb7 R + %s"),
		    round_exact_text(view, window->slope, slope),
		    round_exact_text(view, intercept, constant));
	page_raw(html->page, "</p>\n");
}

/* Open: SNIA's reports show these figures, not only the picture. */
static void window_table(struct html *html, const struct round_view *view, const struct snia_verdict *window)
{
	page_raw(html->page, "<details open><summary>");
	page_text(html->page, say(html->page, "Table"));
	page_raw(html->page, "</summary>\n");
	values_table(html, view, window);
	excursions(html, view, window);
	equation(html, view, window);
	chart_table_end(html->page);
}

void html_window(struct html *html, const char *what, uint32_t series, const struct round_view *view,
		 const struct snia_verdict *window)
{
	struct page *page = html->page;
	double from = window->last_round - SNIA_WINDOW + 1, to = window->last_round, x[SNIA_WINDOW];
	double low = fmin(0.85 * window->average, window->average - window->range),
	       high = fmax(1.15 * window->average, window->average + window->range);
	struct chart chart = {
		.x = { .scale = { SCALE_LINEAR, from - 0.5, to + 0.5 },
		       .unit = UNIT_NUMBER,
		       .title = say(page, "round") },
		.y = round_axis(page, view, high),
		.solid = true,
	};
	char title[256];

	chart.y.scale = (struct scale){ SCALE_LINEAR, low, high };
	for (uint32_t i = 0; i < SNIA_WINDOW; i++)
		x[i] = from + i;
	snprintf(title, sizeof(title), "%s \xc2\xb7 %s", what, say(page, "steady-state window"));
	chart_begin(&chart, page, CHART_HALF, title,
		    say(page, "Five rounds, their average, 110 % and 90 % of it, and the line "
			      "fitted to them."));
	chart_rule_y(&chart, window->average, CHART_PLAIN, say(page, "average"));
	chart_rule_y(&chart, 1.1 * window->average, CHART_DOTTED, "110 %");
	chart_rule_y(&chart, 0.9 * window->average, CHART_DOTTED, "90 %");
	chart_rule_y(&chart, window->average + 0.05 * window->average, CHART_DASHED, NULL);
	chart_rule_y(&chart, window->average - 0.05 * window->average, CHART_DASHED,
		     say(page, "slope +/- 5 %"));
	chart_segment(&chart, from, window->intercept + window->slope, to,
		      window->intercept + 5 * window->slope, CHART_PLAIN);
	chart_line(&chart, series, x, window->y, SNIA_WINDOW, NULL);
	chart_marks(&chart, series, x, window->y, SNIA_WINDOW);
	chart_draw_end(&chart);
	window_finding(html, view, window);
	window_table(html, view, window);
	chart_close(page);
}
