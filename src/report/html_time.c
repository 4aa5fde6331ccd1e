/* html_time: what happened when: IOPS and throughput against time, for the whole run and for each long step.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/html_fill.h"
#include "report/html_heat.h"
#include "report/html_latency_time.h"
#include "report/html_overlay.h"
#include "report/html_scatter.h"
#include "report/html_steady.h"
#include "report/html_stretch.h"
#include "report/html_strip.h"

#define LONG_STEPS_MAX 6u
#define RULED_STEPS_MAX 200u

/* Where steps begin, named when there is room. */
static void step_rules(struct chart *chart, const struct stretch *stretch)
{
	const char *before = "";
	double last_ns = -1e300;

	if (stretch->count < 2 || stretch->count > RULED_STEPS_MAX)
		return;
	for (uint32_t i = 0; i < stretch->count; i++) {
		double at = (double)stretch->steps[i].record->started_ns - stretch->origin_ns;
		const char *name = word(stretch->steps[i].record->name);
		bool room = at - last_ns > stretch->to_ns / 9;

		if (strcmp(name, before) == 0)
			continue;
		chart_rule_x(chart, at, CHART_DOTTED, room ? name : NULL);
		before = name;
		if (room)
			last_ns = at;
	}
}

static void time_finding(const struct stretch *stretch)
{
	struct page *page = stretch->html->page;
	struct stretch_figures all = stretch_figures_of(stretch, IO_OPS);
	char mean[PAGE_NUMBER], low[PAGE_NUMBER], high[PAGE_NUMBER];

	page_raw(page, "<figcaption>");
	if (stretch->count == 1)
		page_format(page, say(page, "Mean %s; slowest interval %s, fastest %s."),
			    stretch_figure_text(stretch, all.mean, mean),
			    stretch_figure_text(stretch, all.lowest, low),
			    stretch_figure_text(stretch, all.highest, high));
	else
		page_format(page,
			    say(page, "%u steps in the order they ran; the fastest interval reached %s."),
			    stretch->count, stretch_figure_text(stretch, all.highest, high));
	page_raw(page, "</figcaption>\n");
}

static double axis_top(const struct stretch *stretch)
{
	return scale_round_up(stretch_figures_of(stretch, IO_OPS).highest, 6);
}

static void time_chart(const struct stretch *stretch, const char *title)
{
	struct page *page = stretch->html->page;
	struct chart chart = { .x = stretch_time_axis(stretch),
			       .y = stretch_figure_axis(stretch, 0, axis_top(stretch)),
			       .solid = stretch->count > 1 };

	chart_begin(&chart, page, CHART_WIDE, title,
		    say(page, "One line per direction, from zero; dots are single "
			      "intervals, or of very many a band their range, the line their mean."));
	step_rules(&chart, stretch);
	steady_marks(&chart, stretch);
	stretch_draw(&chart, stretch);
	chart_draw_end(&chart);
	time_finding(stretch);
	stretch_explore(stretch);
	stretch_table(stretch);
	chart_close(page);
}

static void title_of(struct html *html, const char *what, const char *where, char title[256])
{
	snprintf(title, 256, "%s \xc2\xb7 %s", say(html->page, what), where);
}

/* A long step's chart has the distribution of its intervals beside it, on the same axis. */
static void figure_charts(struct html *html, const struct stretch *stretch, const char *where)
{
	bool beside = stretch_is_long(stretch);
	char title[256];

	title_of(html, stretch->rate ? "Throughput against time" : "IOPS against time", where, title);
	if (beside)
		page_raw(html->page, "<div class=\"beside\">\n");
	time_chart(stretch, title);
	if (beside) {
		html_strip(stretch, axis_top(stretch), say(html->page, "Distribution"));
		page_raw(html->page, "</div>\n");
	}
}

/* Procedures that list mean and longest latency against time. */
static bool wants_latencies(const struct html *html)
{
	static const char *const reports[] = { "enterprise", "pts-xsr" };

	for (uint32_t i = 0; i < sizeof(reports) / sizeof(*reports); i++)
		if (strcmp(word(html->model->run->plan_report), reports[i]) == 0)
			return true;
	return false;
}

/* Imported logs may tell I/Os without bytes, or the other way round. */
static bool is_told(struct stretch stretch, bool rate)
{
	stretch.rate = rate;
	return isfinite(stretch_figures_of(&stretch, IO_OPS).highest);
}

static int stretch_charts(struct html *html, struct stretch stretch, const char *where)
{
	bool one_size = stretch_one_size(&stretch),
	     bytes = html_in_bytes(&stretch.steps[stretch.count - 1].values);
	bool counted = is_told(stretch, false), sized = is_told(stretch, true);
	char title[256];

	if (counted && (!one_size || !bytes || !sized))
		figure_charts(html, &stretch, where);
	stretch.rate = true;
	if (sized && (!one_size || bytes || !counted))
		figure_charts(html, &stretch, where);
	stretch.rate = sized && ((one_size && bytes) || !counted);
	steady_zoom(&stretch);
	if (wants_latencies(html) &&
	    (stretch.count == 1 || strcmp(html->model->run->plan_report, "pts-xsr") == 0))
		html_latency_time(&stretch, where);
	title_of(html, "Latency of single I/Os against time", where, title);
	return html_scatter(html, stretch.steps, stretch.count, stretch.origin_ns, stretch.to_ns, title);
}

static bool is_long(struct html *html, uint32_t step)
{
	return html->series[step].count >= LONG_INTERVALS;
}

static uint32_t steps_with_series(struct html *html, uint32_t *ret_first, uint32_t *ret_last)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < html->model->step_count; i++) {
		if (!html->series[i].count)
			continue;
		if (!count++)
			*ret_first = i;
		*ret_last = i;
	}
	return count;
}

static int step_charts(struct html *html, uint32_t index)
{
	const struct report_step *step = &html->model->steps[index];
	char title[256];
	int error = stretch_charts(html, stretch_of(html, index, 1), step->label);

	html_fill(html, step, &html->series[index]);
	title_of(html, "Latency distribution against time", step->label, title);
	if (!error && html->rich && is_long(html, index))
		error = html_heat(html, step, &html->series[index], title);
	return error;
}

/* One step that takes nearly all of the time tells the run by itself. */
static bool one_dominates(struct html *html, uint32_t first, uint32_t last)
{
	struct stretch whole = stretch_of(html, first, last - first + 1);

	for (uint32_t i = first; i <= last; i++)
		if (is_long(html, i) &&
		    (double)html->model->steps[i].record->duration_ns > 0.8 * whole.to_ns)
			return true;
	return false;
}

/* Of rounds the last one is drawn: the others are in the chart of the whole run, and leave room for other
 * steps. */
static bool is_earlier_round(const struct html *html, uint32_t step)
{
	const struct report_step *steps = html->model->steps;

	for (uint32_t i = step + 1; i < html->model->step_count; i++)
		if (steps[i].family == steps[step].family &&
		    steps[i].record->point == steps[step].record->point &&
		    steps[i].record->repeat == steps[step].record->repeat)
			return true;
	return false;
}

int html_time(struct html *html)
{
	uint32_t first = 0, last = 0, count = steps_with_series(html, &first, &last), drawn = 0;
	int error = 0;

	if (!count)
		return 0;
	html_section(html, "Against time");
	if (count > 1 && !one_dominates(html, first, last))
		error = stretch_charts(html, stretch_of(html, first, last - first + 1),
				       say(html->page, "whole run"));
	html_overlays(html);
	for (uint32_t i = first; i <= last && drawn < LONG_STEPS_MAX && !error; i++) {
		if (count > 1 && !is_long(html, i)) {
			html_fill(html, &html->model->steps[i], &html->series[i]);
			continue;
		}
		if (is_earlier_round(html, i))
			continue;
		error = step_charts(html, i);
		drawn++;
	}
	return error;
}
