/* html_host: was it the host? Its CPUs by kind of work and one by one, and whether as many I/Os were in
 * flight as the load asked for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/chart.h"
#include "report/html_telemetry.h"

#define POINTS_MIN 10u
#define TABLE_ROWS 24u

static bool is_named(const struct reading *reading, const char *prefix)
{
	return reading->target < 0 && strncmp(reading->name, prefix, strlen(prefix)) == 0;
}

/* -- CPUs, a line each -- */

static int busier(const void *a, const void *b)
{
	const struct reading *first = *(const struct reading *const *)a,
			     *second = *(const struct reading *const *)b;

	return (first->high < second->high) - (first->high > second->high);
}

/* By name prefix, those that were highest first; at most CHART_SERIES_MAX. */
static uint32_t lines_of(const struct readings *readings, const char *prefix, uint32_t least,
			 const struct reading **lines)
{
	const struct reading *all[READINGS_MAX];
	uint32_t count = 0;

	for (uint32_t i = 0; i < readings->count; i++)
		if (is_named(&readings->reading[i], prefix) && readings->reading[i].count >= least)
			all[count++] = &readings->reading[i];
	qsort(all, count, sizeof(*all), busier);
	count = count < CHART_SERIES_MAX ? count : CHART_SERIES_MAX;
	memcpy(lines, all, count * sizeof(*all));
	return count;
}

/* Means over time: a core tells only when it changes. */
static double mean_of(const struct readings *readings, const struct reading *reading)
{
	double sum = 0, from = reading->t_ns[0];

	if (!(readings->length_ns > from))
		return reading->value[0];
	for (uint32_t i = 0; i < reading->count; i++) {
		double to = i + 1 < reading->count ? reading->t_ns[i + 1] : readings->length_ns;

		sum += reading->value[i] * (to - reading->t_ns[i]);
	}
	return sum / (readings->length_ns - from);
}

static void cpu_table(struct page *page, const struct readings *readings, const struct reading *const *lines,
		      uint32_t count)
{
	static const char *const names[] = { "what", "mean", "max" };

	chart_table_begin(page);
	page_table_begin(page, names, 3, 1);
	for (uint32_t i = 0; i < count; i++) {
		page_row_begin(page);
		page_cell(page, lines[i]->name);
		page_number_format(page, "%.1f %%", 100 * mean_of(readings, lines[i]));
		page_number_format(page, "%.1f %%", 100 * lines[i]->high);
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

static void cpu_finding(struct page *page, const struct readings *readings,
			const struct reading *const *lines, uint32_t count)
{
	const struct reading *most = lines[0];

	for (uint32_t i = 1; i < count; i++)
		if (mean_of(readings, lines[i]) > mean_of(readings, most))
			most = lines[i];
	page_raw(page, "<figcaption>");
	page_format(page, say(page, "%s: mean %.3g %%, at most %.3g %%. "), most->name,
		    100 * mean_of(readings, most), 100 * most->high);
	page_raw(page, "</figcaption>\n");
}

static void cpu_chart(struct html *html, const struct readings *readings, const char *prefix,
		      const char *title, const char *axis, const char *description)
{
	const struct reading *lines[CHART_SERIES_MAX];
	bool cores = strcmp(prefix, "core_") == 0;
	uint32_t count = lines_of(readings, prefix, cores ? 1 : POINTS_MIN, lines);
	struct page *page = html->page;
	struct chart chart = {
		.x = { .scale = { SCALE_LINEAR, 0, readings->length_ns },
		       .unit = UNIT_TIME,
		       .title = say(page, "time") },
		.y = { .scale = { SCALE_LINEAR, 0, 1 }, .unit = UNIT_SHARE, .title = axis },
	};

	if (!count)
		return;
	chart_begin(&chart, page, CHART_LOW, title, description);
	for (uint32_t i = 0; i < count; i++)
		if (cores)
			telemetry_steps(&chart, readings, lines[i], i, lines[i]->name);
		else
			chart_line(&chart, i, lines[i]->t_ns, lines[i]->value, lines[i]->count,
				   lines[i]->name + 4);
	chart_draw_end(&chart);
	cpu_finding(page, readings, lines, count);
	cpu_table(page, readings, lines, count);
	chart_close(page);
}

/* -- I/Os in flight -- */

static double asked_of(const struct report_step *step)
{
	double asked = 0;

	for (uint32_t i = 0; i < step->load_count; i++)
		asked += step->loads[i].depth_asked;	/* NaN in open loops */
	return step->load_count ? asked : NAN;
}

static uint32_t intervals_of(const struct html *html)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < html->model->step_count; i++)
		if (isfinite(asked_of(&html->model->steps[i])))
			count += html->series[i].count;
	return count;
}

struct depths {
	uint32_t count;
	double *t_ns, *reached, *asked;		/* a gap (NaN) between steps */
	double highest;
};

static void depths_fill(struct depths *depths, const struct html *html)
{
	for (uint32_t i = 0; i < html->model->step_count; i++) {
		const struct series *series = &html->series[i];
		double asked = asked_of(&html->model->steps[i]);

		for (uint32_t j = 0; j < series->count && isfinite(asked); j++) {
			depths->t_ns[depths->count] = series->t_ns[j];
			depths->reached[depths->count] = series->in_flight[j];
			depths->asked[depths->count++] = asked;
			depths->highest = fmax(depths->highest, fmax(asked, series->in_flight[j]));
		}
	}
}

static void depth_table(struct html *html)
{
	static const char *const names[] = { "step", "asked", "reached" };
	struct page *page = html->page;
	uint32_t shown = 0;

	chart_table_begin(page);
	page_table_begin(page, names, 3, 1);
	for (uint32_t i = 0; i < html->model->step_count && shown < TABLE_ROWS; i++) {
		const struct report_step *step = &html->model->steps[i];
		double asked = asked_of(step), reached = 0;

		if (!isfinite(asked) || !html->series[i].count)
			continue;
		for (uint32_t j = 0; j < step->load_count; j++)
			reached += step->loads[j].depth_reached;
		page_row_begin(page);
		page_cell(page, step->label);
		page_number_format(page, "%.6g", asked);
		if (isfinite(reached))
			page_number_format(page, "%.4g", reached);
		else
			page_number(page, "n/a");
		page_row_end(page);
		shown++;
	}
	page_table_end(page);
	chart_table_end(page);
}

static void depth_finding(struct page *page, const struct depths *depths)
{
	double reached = 0, asked = 0;

	for (uint32_t i = 0; i < depths->count; i++)
		if (isfinite(depths->reached[i])) {
			reached += depths->reached[i];
			asked += depths->asked[i];
		}
	page_raw(page, "<figcaption>");
	page_format(page, say(page, "Over all intervals %.1f %% of the I/Os asked for were in flight."),
		    asked > 0 ? 100 * reached / asked : 0);
	page_raw(page, "</figcaption>\n");
}

static void depth_draw(struct html *html, const struct depths *depths)
{
	struct page *page = html->page;
	struct chart chart = {
		.x = { .scale = { SCALE_LINEAR, 0, depths->t_ns[depths->count - 1] }, .unit = UNIT_TIME,
		       .title = say(page, "time") },
		.y = { .scale = { SCALE_LINEAR, 0, scale_round_up(depths->highest, 3) }, .unit = UNIT_COUNT,
		       .title = say(page, "I/Os in flight") },
	};

	chart_begin(&chart, page, CHART_LOW, say(page, "I/Os in flight against what was asked"),
		    say(page,
			"What the load asked for and what was in flight, on average over each interval."));
	chart_line(&chart, 7, depths->t_ns, depths->asked, depths->count, say(page, "asked"));
	chart_line(&chart, 0, depths->t_ns, depths->reached, depths->count, say(page, "reached"));
	chart_draw_end(&chart);
	depth_finding(page, depths);
	depth_table(html);
	chart_close(page);
}

static void depth_chart(struct html *html)
{
	uint32_t room = intervals_of(html);
	struct depths depths = { .t_ns = malloc((room + 1) * sizeof(double)),
				 .reached = malloc((room + 1) * sizeof(double)),
				 .asked = malloc((room + 1) * sizeof(double)) };

	if (depths.t_ns && depths.reached && depths.asked)
		depths_fill(&depths, html);
	if (depths.count >= POINTS_MIN)
		depth_draw(html, &depths);
	free(depths.t_ns);
	free(depths.reached);
	free(depths.asked);
}

void html_host(struct html *html, const struct readings *readings)
{
	struct page *page = html->page;

	depth_chart(html);
	cpu_chart(html, readings, "core_", say(page, "CPUs one by one"), say(page, "busy share"),
		  say(page, "A line per CPU, the busiest ones."));
	cpu_chart(html, readings, "cpu_", say(page, "CPUs of the host"), say(page, "share of all CPUs"),
		  say(page, "A line per kind of work, all CPUs together."));
}
