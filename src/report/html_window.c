#include "report/html_window.h"

#include <math.h>
#include <stdio.h>

static void window_finding(struct html *html, const struct round_view *view,
			   const struct snia_verdict *window)
{
	struct page *page = html->page;
	char mean[PAGE_NUMBER];

	page_raw(page, "<figcaption>");
	page_format(page,
		    say(page, "%s: average %s; range %.1f %% of it (20 %% allowed), slope over the window "
			      "%.1f %% "
			      "(10 %% allowed)."),
		    say(page, window->met ? "Steady by the SNIA rule" : "NOT REACHED"),
		    round_text(view, window->average, mean), 100 * window->range / window->average,
		    100 * window->slope_excursion / window->average);
	page_raw(page, "</figcaption>\n");
}

static void window_table(struct html *html, const struct round_view *view, const struct snia_verdict *window)
{
	static const char *const figures[] = {
		[ROUND_IOPS] = "IOPS",
		[ROUND_RATE] = "throughput",
		[ROUND_MEAN] = "mean",
		[ROUND_MAX] = "max",
	};
	const char *names[] = { "round", figures[view->figure] };
	struct page *page = html->page;
	char number[PAGE_NUMBER], slope[PAGE_NUMBER], intercept[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, names, 2, 0);
	for (uint32_t i = 0; i < SNIA_WINDOW; i++) {
		page_row_begin(page);
		page_number_format(page, "%u", window->last_round - SNIA_WINDOW + 1 + i);
		page_number(page, round_text(view, window->y[i], number));
		page_row_end(page);
	}
	page_table_end(page);
	page_raw(page, "<p class=\"note\">");
	page_format(page, "y = %s%s \xc2\xb7 R + %s, R = 1 \xe2\x80\xa6 5",
		    window->slope < 0 ? "\xe2\x88\x92" : "", round_text(view, fabs(window->slope), slope),
		    round_text(view, window->intercept, intercept));
	page_raw(page, "</p>\n");
	chart_table_end(page);
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
