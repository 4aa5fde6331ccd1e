/* html_rounds: groups that were repeated in rounds: convergence of every point, the window of the last five,
 * verdicts. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "analyze/snia.h"
#include "store/json_reader.h"
#include "report/sweep.h"

#define ROUNDS_MAX 256u

/* What is followed from round to round; of a direction, or of all. */
enum round_figure { ROUND_IOPS, ROUND_RATE, ROUND_MEAN, ROUND_MAX };

struct round_view {
	enum round_figure figure;
	int op;				/* or CELL_ALL */
};

static double latency_figure(const struct report_step *step, const struct round_view *view)
{
	double sum = 0, n = 0, max = 0;

	for (uint32_t i = 0; i < step->load_count; i++)
		for (int op = 0; op < IO_OPS; op++) {
			const struct report_latency *latency = report_natural(&step->loads[i], (enum io_op)op);

			if ((view->op != op && view->op != CELL_ALL) || !latency->n)
				continue;
			sum += latency->mean_ns * (double)latency->n;
			n += (double)latency->n;
			max = fmax(max, (double)latency->max_ns);
		}
	return n > 0 ? view->figure == ROUND_MEAN ? sum / n : max : NAN;
}

/* NaN: nothing of that kind. */
static double figure_of(const struct report_step *step, const struct round_view *view)
{
	double sum = 0;
	bool used = false;

	if (view->figure == ROUND_MEAN || view->figure == ROUND_MAX)
		return latency_figure(step, view);
	for (uint32_t i = 0; i < step->load_count; i++)
		for (int op = 0; op < IO_OPS; op++) {
			const struct report_op *what = &step->loads[i].op[op];

			if ((view->op != op && view->op != CELL_ALL) || !what->used || isnan(what->iops))
				continue;
			sum += view->figure == ROUND_RATE ? what->bytes_per_second : what->iops;
			used = true;
		}
	return used ? sum : NAN;
}

/* One point in each round; NaN where a round doesn't have it. */
static uint32_t round_values(const struct report_family *family, uint32_t point, const struct round_view *view, double *x,
			     double *y)
{
	uint32_t rounds = family->rounds < ROUNDS_MAX ? family->rounds : ROUNDS_MAX;

	for (uint32_t i = 0; i < rounds; i++) {
		x[i] = i + 1;
		y[i] = NAN;
	}
	for (uint32_t i = 0; i < family->step_count; i++) {
		const struct step_record *record = family->steps[i]->record;

		if (record->point == point && record->round < rounds)
			y[record->round] = figure_of(family->steps[i], view);
	}
	return rounds;
}

static double rounds_highest(const struct report_family *family, const struct round_view *view)
{
	double highest = 0;

	for (uint32_t i = 0; i < family->step_count; i++)
		highest = fmax(highest, figure_of(family->steps[i], view));
	return highest;
}

static const char *figure_text(const struct round_view *view, double value, char text[PAGE_NUMBER])
{
	if (view->figure == ROUND_IOPS)
		return page_count_text(value, text);
	return view->figure == ROUND_RATE ? page_rate_text(value, text) : page_latency_text(value, text);
}

static bool point_has(const struct report_family *family, uint32_t point, const struct round_view *view)
{
	double x[ROUNDS_MAX], y[ROUNDS_MAX];
	uint32_t count = round_values(family, point, view, x, y);

	while (count && isnan(y[count - 1]))
		count--;
	return count > 0;
}

static void convergence_table(struct html *html, const struct html_family *family, const struct round_view *view)
{
	struct page *page = html->page;
	double x[ROUNDS_MAX], y[ROUNDS_MAX];
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	page_raw(page, "<div class=\"scroll\"><table><thead><tr><th></th>");
	for (uint32_t i = 0; i < family->family->rounds && i < ROUNDS_MAX; i++)
		text_printf(page->out, "<th scope=\"col\" class=\"n\">%u</th>", i + 1);
	page_raw(page, "</tr></thead><tbody>\n");
	for (uint32_t i = 0; i < family->cell_count; i++) {
		uint32_t count = round_values(family->family, family->cells[i].last->record->point, view, x, y);

		page_raw(page, "<tr><th scope=\"row\">");
		page_text(page, family->cells[i].last->point);
		page_raw(page, "</th>");
		for (uint32_t j = 0; j < count; j++)
			page_number(page, figure_text(view, y[j], number));
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

static void convergence_lines(struct chart *chart, const struct html_family *family, const struct round_view *view)
{
	double x[ROUNDS_MAX], y[ROUNDS_MAX];
	uint32_t drawn = 0;

	for (uint32_t i = 0; i < family->cell_count && drawn < CHART_SERIES_MAX; i++) {
		const struct report_step *last = family->cells[i].last;
		uint32_t count = round_values(family->family, last->record->point, view, x, y);

		if (!point_has(family->family, last->record->point, view))
			continue;
		chart_line(chart, drawn, x, y, count, last->point[0] ? last->point : family->family->name);
		chart_marks(chart, drawn, x, y, count);
		drawn++;
	}
}

/* How far the points moved in the last five rounds. */
static void convergence_finding(struct page *page, const struct html_family *family, const struct round_view *view)
{
	uint32_t points = 0, calm = 0;

	for (uint32_t i = 0; i < family->cell_count; i++) {
		struct snia_verdict window;
		double x[ROUNDS_MAX], y[ROUNDS_MAX];
		uint32_t count = round_values(family->family, family->cells[i].last->record->point, view, x, y);

		if (!point_has(family->family, family->cells[i].last->record->point, view))
			continue;
		points++;
		snia_evaluate(y, count, &window);
		calm += window.complete && window.met;
	}
	page_raw(page, "<figcaption>");
	page_format(page, say(page, "%u rounds of %u points; %u of them meet SNIA's rule over the last five."),
		    family->family->rounds, points, calm);
	page_raw(page, "</figcaption>\n");
}

static struct chart_axis figure_axis(struct page *page, const struct round_view *view, double highest)
{
	static const struct {
		const char *title;
		enum scale_unit unit;
	} axes[] = {
		[ROUND_IOPS] = { "I/Os per second", UNIT_COUNT },
		[ROUND_RATE] = { "throughput", UNIT_RATE },
		[ROUND_MEAN] = { "mean latency", UNIT_LATENCY },
		[ROUND_MAX] = { "longest latency", UNIT_LATENCY },
	};

	return (struct chart_axis){ .scale = { SCALE_LINEAR, 0, scale_round_up(highest, 6) },
				    .unit = axes[view->figure].unit,
				    .title = say(page, axes[view->figure].title) };
}

static void convergence(struct html *html, const struct html_family *family, const struct round_view *view)
{
	struct page *page = html->page;
	struct chart chart = {
		.x = { .scale = { SCALE_LINEAR, 0, family->family->rounds },
		       .unit = UNIT_NUMBER,
		       .title = say(page, "round") },
		.y = figure_axis(page, view, rounds_highest(family->family, view)),
	};
	char title[256];

	snprintf(title, sizeof(title), "%s \xc2\xb7 %s \xc2\xb7 %s", family->family->name,
		 sweep_direction(page, view->op), say(page, "convergence"));
	chart_begin(&chart, page, CHART_HALF, title, say(page, "A line per point, round by round."));
	convergence_lines(&chart, family, view);
	chart_draw_end(&chart);
	convergence_finding(page, family, view);
	convergence_table(html, family, view);
	chart_close(page);
}

/* -- the window of the last five rounds, by the rule of the SNIA PTS -- */

static bool window_of(const struct report_family *family, uint32_t point, const struct round_view *view,
		      struct snia_verdict *window)
{
	double x[ROUNDS_MAX], y[ROUNDS_MAX];
	uint32_t count = round_values(family, point, view, x, y);

	snia_evaluate(y, count, window);
	return window->complete && window->average > 0;
}

static void window_finding(struct html *html, const struct snia_verdict *window)
{
	struct page *page = html->page;
	char mean[PAGE_NUMBER];

	page_raw(page, "<figcaption>");
	page_format(page,
		    say(page, "%s: average %s; range %.1f %% of it (20 %% allowed), slope over the window "
			      "%.1f %% "
			      "(10 %% allowed)."),
		    say(page, window->met ? "Steady by the SNIA rule" : "NOT REACHED"),
		    page_count_text(window->average, mean), 100 * window->range / window->average,
		    100 * window->slope_excursion / window->average);
	page_raw(page, "</figcaption>\n");
}

static void window_table(struct html *html, const struct snia_verdict *window)
{
	static const char *const names[] = { "round", "IOPS" };
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, names, 2, 0);
	for (uint32_t i = 0; i < SNIA_WINDOW; i++) {
		page_row_begin(page);
		page_number_format(page, "%u", window->last_round - SNIA_WINDOW + 1 + i);
		page_number(page, page_count_text(window->y[i], number));
		page_row_end(page);
	}
	page_table_end(page);
	page_raw(page, "<p class=\"note\">");
	page_format(page, "y = %.6g \xc2\xb7 R + %.6g, R = 1 \xe2\x80\xa6 5", window->slope,
		    window->intercept);
	page_raw(page, "</p>\n");
	chart_table_end(page);
}

/* `what` names the point and the figure that were watched. */
static void window_chart(struct html *html, const char *what, uint32_t series, const char *label,
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
		.y = { .scale = { SCALE_LINEAR, low, high },
		       .unit = UNIT_COUNT,
		       .title = say(page, "I/Os per second") },
	};
	char title[256];

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
	chart_rule_y(&chart, window->average - 0.05 * window->average, CHART_DASHED, say(page, "slope +/- 5 %"));
	chart_segment(&chart, from, window->intercept + window->slope, to,
		      window->intercept + 5 * window->slope, CHART_PLAIN);
	chart_line(&chart, series, x, window->y, SNIA_WINDOW, label);
	chart_marks(&chart, series, x, window->y, SNIA_WINDOW);
	chart_draw_end(&chart);
	window_finding(html, window);
	window_table(html, window);
	chart_close(page);
}

/* -- windows that the run judged itself: in the events of its groups -- */

static bool window_read(const json_t *snia, struct snia_verdict *window)
{
	const json_t *values = json_object_get(snia, "values");
	double last = json_real_in(snia, "last_round");

	if (json_array_size(values) != SNIA_WINDOW || !(last >= SNIA_WINDOW) || last > 1e6)
		return false;
	*window = (struct snia_verdict){
		.met = json_is_true(json_object_get(snia, "met")),
		.complete = true,
		.last_round = (uint32_t)last,
		.average = json_real_in(snia, "average"),
		.range = json_real_in(snia, "range"),
		.slope = json_real_in(snia, "slope"),
		.intercept = json_real_in(snia, "intercept"),
		.slope_excursion = json_real_in(snia, "slope_excursion"),
	};
	for (size_t i = 0; i < SNIA_WINDOW; i++) {
		window->y[i] = json_number_value(json_array_get(values, i));
		if (!isfinite(window->y[i]))
			return false;
	}
	return window->average > 0 && isfinite(window->average + window->range + window->slope +
					       window->intercept + window->slope_excursion);
}

static bool is_verdict(const struct event_record *event)
{
	return strcmp(word(event->kind), "steady") == 0 && event->data_json;
}

static bool same_tracked_later(const struct report_model *model, uint32_t event, const char *tracked)
{
	for (uint32_t i = event + 1; i < model->event_count; i++)
		if (is_verdict(&model->events[i]) && strstr(model->events[i].data_json, tracked))
			return true;
	return false;
}

/* The latest window of each tracked figure; how many were drawn. */
static uint32_t judged_windows(struct html *html)
{
	const struct report_model *model = html->model;
	uint32_t drawn = 0;

	for (uint32_t i = 0; i < model->event_count && drawn < 6; i++) {
		json_t *steady = is_verdict(&model->events[i]) ?
			json_loads(model->events[i].data_json, JSON_REJECT_DUPLICATES, NULL) : NULL;
		const json_t *snia = json_object_get(steady, "snia");
		const char *tracked = json_string_value(json_object_get(snia, "tracked"));
		struct snia_verdict window;

		if (tracked && !same_tracked_later(model, i, tracked) && window_read(snia, &window)) {
			window_chart(html, tracked, drawn, NULL, &window);
			drawn++;
		}
		json_decref(steady);
	}
	return drawn;
}

/* Where the run judged nothing: the windows of the first points, as the rule would have judged them. */
static void first_windows(struct html *html, const struct html_family *family, const struct round_view *view)
{
	for (uint32_t i = 0; i < family->cell_count && i < 3; i++) {
		const struct step_record *record = family->cells[i].last->record;
		struct snia_verdict window;
		char what[256];

		if (!window_of(family->family, record->point, view, &window))
			continue;
		snprintf(what, sizeof(what), "%s %s \xc2\xb7 %s", family->family->name,
			 family->cells[i].last->point, sweep_direction(html->page, view->op));
		window_chart(html, what, 0, sweep_direction(html->page, view->op), &window);
	}
}

/* What a procedure follows from round to round: the first figure decides about windows too. */
static uint32_t round_figures(const struct html *html, const struct html_family *family, enum round_figure figures[2])
{
	bool latency = strcmp(word(html->model->run->plan_report), "pts-latency") == 0;

	figures[0] = latency ? ROUND_MEAN : html_in_bytes(&family->cells[0].last->values) ? ROUND_RATE : ROUND_IOPS;
	figures[1] = ROUND_MAX;
	return latency ? 2 : 1;
}

/* With mixes, reads and writes together are what a point is followed by. */
static bool is_followed(const struct html_family *family, int op)
{
	return sweep_mixes(family) ? op == CELL_ALL : op <= IO_TRIM;
}

static void family_rounds(struct html *html, const struct html_family *family, bool judged)
{
	enum round_figure figures[2];
	uint32_t count = round_figures(html, family, figures);

	page_element(html->page, "h3", NULL, family->family->name);
	page_raw(html->page, "<div class=\"grid\">\n");
	for (int op = 0; op <= CELL_ALL; op++)
		for (uint32_t i = 0; i < count && is_followed(family, op); i++) {
			struct round_view view = { figures[i], op };

			if (!(rounds_highest(family->family, &view) > 0))
				continue;
			convergence(html, family, &view);
			if (!judged && !i)
				first_windows(html, family, &view);
		}
	page_raw(html->page, "</div>\n");
}

/* -- verdicts: of single steps in their records, of groups in events -- */

/* What was judged: a group names point and figure, "matrix[bs=4k] iops"; a step only the figure. */
static const char *tracked_of(const json_t *steady)
{
	return json_string_value(json_object_get(json_object_get(steady, "snia"), "tracked"));
}

/* `where`: the step, or NULL for a group, whose verdict names what it is about. */
static void verdict_row(struct page *page, const char *where, const json_t *steady, const char *ended_by)
{
	const json_t *snia = json_object_get(steady, "snia"), *met = json_object_get(snia, "met");
	const char *tracked = tracked_of(steady);
	const char *verdict = json_string_value(json_object_get(steady, "verdict"));
	double average = json_number_value(json_object_get(snia, "average"));
	char number[PAGE_NUMBER];

	page_row_begin(page);
	page_raw(page, "<td>");
	page_format(page, "%s%s%s", word(where), where && tracked ? " \xc2\xb7 " : "", word(tracked));
	page_raw(page, "</td>");
	page_cell(page, verdict ? say(page, verdict) : "n/a");
	page_cell(page, json_is_boolean(met) ? say(page, json_is_true(met) ? "met" : "NOT REACHED") : "n/a");
	page_number(page, average > 0 ? page_count_text(average, number) : "n/a");
	if (average > 0) {
		page_number_format(page, "%.1f %%",
				   100 * json_number_value(json_object_get(snia, "range")) / average);
		page_number_format(page, "%.1f %%",
				   100 * json_number_value(json_object_get(snia, "slope_excursion")) /
					   average);
	} else {
		page_number(page, "n/a");
		page_number(page, "n/a");
	}
	page_cell(page, ended_by);
	page_row_end(page);
}

static void verdicts(struct html *html)
{
	static const char *const names[] = {
		"step",	   "verdict", "SNIA rule", "average", "range (20 % allowed)", "slope (10 % allowed)",
		"ended by"
	};
	const struct report_model *model = html->model;

	page_table_begin(html->page, names, 7, 3);
	for (uint32_t i = 0; i < model->step_count; i++)
		if (model->steps[i].verdict)
			verdict_row(html->page, model->steps[i].label, model->steps[i].steady,
				    word(model->steps[i].record->status_text));
	for (uint32_t i = 0; i < model->event_count; i++) {
		json_t *steady = is_verdict(&model->events[i]) ?
			json_loads(model->events[i].data_json, JSON_REJECT_DUPLICATES, NULL) : NULL;

		if (steady)
			verdict_row(html->page, tracked_of(steady) ? NULL : word(model->events[i].text),
				    steady, "");
		json_decref(steady);
	}
	page_table_end(html->page);
}

static bool any_verdict(const struct report_model *model)
{
	for (uint32_t i = 0; i < model->step_count; i++)
		if (model->steps[i].verdict)
			return true;
	for (uint32_t i = 0; i < model->event_count; i++)
		if (is_verdict(&model->events[i]))
			return true;
	return false;
}

void html_rounds(struct html *html)
{
	bool any = false, verdict = any_verdict(html->model), judged;

	for (uint32_t i = 0; i < html->family_count; i++)
		any |= html->families[i].family->rounds > 1;
	if (!any && !verdict)
		return;
	html_section(html, "Steady state");
	if (verdict)
		verdicts(html);
	page_raw(html->page, "<div class=\"grid\">\n");
	judged = judged_windows(html) > 0;
	page_raw(html->page, "</div>\n");
	for (uint32_t i = 0; i < html->family_count; i++)
		if (html->families[i].family->rounds > 1)
			family_rounds(html, &html->families[i], judged);
}
