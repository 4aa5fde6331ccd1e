#include "report/html_steady.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "analyze/snia.h"
#include "store/json_reader.h"

#define ZOOM_NS 400e9		/* what AnandTech scored at the end of an hour */
#define ZOOM_INTERVALS 60u
#define ROUND_NS 60e9
#define ROUND_SERIES 7u
#define WRITES_LEAST 0.3	/* of the capacity: less needs no second axis */

/* -- the second axis: how often the drive has been written over -- */

static double capacity_of(const struct stretch *stretch)
{
	const struct report_step *step = &stretch->steps[0];
	const struct drive_record *drive = step->load_count ? step->loads[0].drive : NULL;

	return drive ? (double)drive->capacity_bytes : 0;
}

static double written_in(const struct series *series)
{
	double bytes = 0;

	for (uint32_t i = 0; i < series->count && series->op[IO_WRITE].used; i++)
		if (!isnan(series->op[IO_WRITE].rate[i]))
			bytes += series->op[IO_WRITE].rate[i] * series->duration_ns[i] / 1e9;
	return bytes;
}

static void drive_writes(struct chart *chart, const struct stretch *stretch)
{
	const struct series *series = &stretch->series[0];
	double capacity = capacity_of(stretch), total = written_in(series), written = 0, next, step;
	char label[32];

	if (!(capacity > 0) || total < WRITES_LEAST * capacity)
		return;
	next = step = scale_step(total / capacity / 6);
	for (uint32_t i = 0; i < series->count; i++) {
		double rate = series->op[IO_WRITE].rate[i];

		written += isnan(rate) ? 0 : rate * series->duration_ns[i] / 1e9 / capacity;
		if (written < next)
			continue;
		snprintf(label, sizeof(label), "%.4g\xc3\x97", next);
		chart_tick_top(chart, series->t_ns[i] - stretch->origin_ns, label);
		while (next <= written)
			next += step;
	}
	chart_top_title(chart, say(chart->page, "drive writes"));
}

/* -- what was judged -- */

static bool window_of(const struct report_step *step, double *ret_start_ns, double *ret_end_ns)
{
	const json_t *window = json_object_get(step->steady, "window");

	*ret_start_ns = json_real_in(window, "start_ns");
	*ret_end_ns = json_real_in(window, "end_ns");
	return *ret_end_ns > *ret_start_ns;
}

static void gate_mark(struct chart *chart, const struct report_step *step)
{
	const json_t *gate = json_object_get(step->steady, "gate");
	double opened = json_real_in(gate, "opened_ns");

	if (opened > 0 && !json_is_true(json_object_get(gate, "settled_before")))
		chart_rule_x(chart, opened, CHART_DASHED, say(chart->page, "work gate"));
}

static void window_mark(struct chart *chart, const struct report_step *step)
{
	bool steady = step->verdict && strncmp(step->verdict, "steady", 6) == 0;
	double start, end;

	if (window_of(step, &start, &end))
		chart_shade(chart, start, end, say(chart->page, steady ? "steady window" : "judged window"));
}

/* Rounds of a minute, counted from the step's start; a step with rounds of its own doesn't say when they
 * were. */
static void round_marks(struct chart *chart, const struct stretch *stretch)
{
	const json_t *snia = json_object_get(stretch->steps[0].steady, "snia");
	const json_t *values = json_object_get(snia, "values");
	double scale = stretch->html->model->run->scale, last = json_real_in(snia, "last_round");
	double length = ROUND_NS * fmin(scale, 1), x[SNIA_WINDOW], y[SNIA_WINDOW];
	double left = stretch->to_ns - last * length;

	if (json_array_size(values) != SNIA_WINDOW || !(last >= SNIA_WINDOW) || left < -0.01 * length ||
	    left > length)
		return;
	for (uint32_t i = 0; i < SNIA_WINDOW; i++) {
		x[i] = (last - SNIA_WINDOW + i + 0.5) * length;
		y[i] = json_number_value(json_array_get(values, i));
	}
	chart_marks(chart, ROUND_SERIES, x, y, SNIA_WINDOW);
	chart_label(chart, ROUND_SERIES, y[SNIA_WINDOW - 1], say(chart->page, "SNIA rounds"));
}

void steady_marks(struct chart *chart, const struct stretch *stretch)
{
	if (stretch->count != 1)
		return;
	drive_writes(chart, stretch);
	window_mark(chart, &stretch->steps[0]);
	gate_mark(chart, &stretch->steps[0]);
	if (!stretch->rate)
		round_marks(chart, stretch);
}

/* -- its end from near -- */

static bool writes_randomly(const struct report_step *step)
{
	const struct report_value *rw = report_values_find(&step->values, "rw");

	return rw && (strcmp(rw->text, "randwrite") == 0 || strcmp(rw->text, "randrw") == 0);
}

static bool zoom_part(const struct stretch *stretch, struct stretch *part)
{
	double start, end;
	bool judged = window_of(&stretch->steps[0], &start, &end);

	*part = *stretch;
	if (!judged) {
		start = 0;
		end = stretch->to_ns;
	}
	end = fmin(end, stretch->to_ns);
	part->from_ns = fmax(start, end - ZOOM_NS);
	part->to_ns = end;
	return (judged || writes_randomly(&stretch->steps[0])) &&
	       part->to_ns - part->from_ns < 0.7 * (stretch->to_ns - stretch->from_ns);
}

static uint32_t intervals_in(const struct stretch *part)
{
	const struct series *series = &part->series[0];
	uint32_t count = 0;

	for (uint32_t i = 0; i < series->count; i++)
		count += series->t_ns[i] - part->origin_ns >= part->from_ns &&
			 series->t_ns[i] - part->origin_ns < part->to_ns;
	return count;
}

static void zoom_finding(const struct stretch *part, const struct stretch_figures *figures)
{
	struct page *page = part->html->page;
	char mean[PAGE_NUMBER], deviation[PAGE_NUMBER], low[PAGE_NUMBER];

	page_raw(page, "<figcaption>");
	page_format(page, say(page, "Mean %s, standard deviation %s (%.3g %% of it); slowest interval %s."),
		    stretch_figure_text(part, figures->mean, mean),
		    stretch_figure_text(part, figures->deviation, deviation),
		    100 * figures->deviation / figures->mean,
		    stretch_figure_text(part, figures->lowest, low));
	page_raw(page, "</figcaption>\n");
}

void steady_zoom(const struct stretch *stretch)
{
	struct page *page = stretch->html->page;
	struct stretch part;
	struct stretch_figures figures;
	struct chart chart = { 0 };
	char title[256], length[PAGE_NUMBER], last[128];
	double margin;

	if (!stretch_is_long(stretch) || !zoom_part(stretch, &part) || intervals_in(&part) < ZOOM_INTERVALS)
		return;
	figures = stretch_figures_of(&part, IO_OPS);
	margin = fmax(0.1 * (figures.highest - figures.lowest), 0.01 * figures.mean);
	chart.x = stretch_time_axis(&part);
	chart.y = stretch_figure_axis(&part, fmax(figures.lowest - margin, 0), figures.highest + margin);
	snprintf(last, sizeof(last), say(page, "Last %s from near"),
		 page_latency_text(part.to_ns - part.from_ns, length));
	snprintf(title, sizeof(title), "%s \xc2\xb7 %s", last, stretch->steps[0].label);
	chart_begin(&chart, page, CHART_WIDE, title,
		    say(page,
			"Single intervals as dots and a line of means; the axis does not begin at zero."));
	if (stretch_is_mixed(&part))	/* the axis is that of the sum */
		stretch_draw_sum(&chart, &part);
	else
		stretch_draw(&chart, &part);
	chart_draw_end(&chart);
	zoom_finding(&part, &figures);
	stretch_table(&part);
	chart_close(page);
}
