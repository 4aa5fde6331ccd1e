/* html_rounds: groups that were repeated in rounds: convergence of every point, the window of the last five,
 * verdicts. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "store/json_reader.h"
#include "report/html_convergence.h"
#include "report/html_window.h"
#include "report/sweep.h"

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

static bool is_tracked(const struct event_record *event, const char *tracked)
{
	return is_verdict(event) && strstr(event->data_json, tracked);
}

/* Within a group a later round's verdict takes the place of an earlier one; a group that ended keeps its own. */
static bool is_replaced(const struct report_model *model, uint32_t event, const json_t *steady,
			const char *tracked)
{
	if (json_is_true(json_object_get(steady, "ended")))
		return false;
	for (uint32_t i = event + 1; i < model->event_count; i++)
		if (is_tracked(&model->events[i], tracked))
			return true;
	return false;
}

/* A group that is itself repeated over a key has a verdict for each value: which one, by the point of the
 * step. */
static const char *verdict_place(const struct report_model *model, uint32_t event, const char *tracked)
{
	const struct report_step *step = report_step_of(model, model->events[event].step);

	for (uint32_t i = 0; step && i < model->event_count; i++) {
		const struct event_record *verdict = &model->events[i];
		const struct report_step *other =
			is_tracked(verdict, tracked) ? report_step_of(model, verdict->step) : NULL;

		if (other && strcmp(other->point, step->point))
			return step->point;
	}
	return "";
}

/* "matrix[bs=4k] iops" follows I/Os per second. */
static enum round_figure tracked_figure(const char *tracked)
{
	const char *figure = strrchr(tracked, ' ');

	figure = figure ? figure + 1 : tracked;
	if (strcmp(figure, "bytes_per_second") == 0)
		return ROUND_RATE;
	return strcmp(figure, "mean") == 0 ? ROUND_MEAN : ROUND_IOPS;
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

		if (tracked && !is_replaced(model, i, steady, tracked) && window_read(snia, &window)) {
			struct round_view view = { tracked_figure(tracked), CELL_ALL };
			const char *place = verdict_place(model, i, tracked);

			html_window(html, word(arena_printf(&html->arena, "%s%s%s", tracked, place[0] ? " \xc2\xb7 " : "",
							    place)),
				    drawn, &view, &window);
			drawn++;
		}
		json_decref(steady);
	}
	return drawn;
}

static bool window_of(const struct report_family *family, uint32_t point, const struct round_view *view,
		      struct snia_verdict *window)
{
	double x[ROUNDS_MAX], y[ROUNDS_MAX];
	uint32_t count = round_values(family, point, view, x, y);

	snia_evaluate(y, count, window);
	return window->complete && window->average > 0;
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
		html_window(html, what, 0, view, &window);
	}
}

static bool all_in_bytes(const struct html_family *family)
{
	for (uint32_t i = 0; i < family->cell_count; i++)
		if (!html_in_bytes(&family->cells[i].last->values))
			return false;
	return true;
}

/* What a procedure follows from round to round: the first figure decides about windows too. */
static uint32_t round_figures(const struct html *html, const struct html_family *family,
			      enum round_figure figures[2])
{
	bool latency = strcmp(word(html->model->run->plan_report), "pts-latency") == 0;

	figures[0] = latency ? ROUND_MEAN : all_in_bytes(family) ? ROUND_RATE : ROUND_IOPS;
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
			html_convergence(html, family, &view);
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

static const char *rule_words(struct page *page, const json_t *snia, const json_t *met)
{
	if (json_is_false(json_object_get(snia, "complete")))
		return say(page, "too few rounds");
	return json_is_boolean(met) ? say(page, json_is_true(met) ? "met" : "NOT REACHED") : "n/a";
}

/* `where`: the step, or the point of a group that is repeated; "" where the verdict itself names what it is
 * about. */
static void verdict_row(struct html *html, const char *where, const json_t *steady, const char *ended_by)
{
	struct page *page = html->page;
	const json_t *snia = json_object_get(steady, "snia"), *met = json_object_get(snia, "met");
	const char *tracked = tracked_of(steady);
	const char *verdict = json_string_value(json_object_get(steady, "verdict"));
	double average = json_number_value(json_object_get(snia, "average"));
	char number[PAGE_NUMBER];

	page_row_begin(page);
	page_raw(page, "<td>");
	page_format(page, "%s%s%s", where, where[0] && tracked ? " \xc2\xb7 " : "", word(tracked));
	page_raw(page, "</td>");
	page_cell(page, verdict ? html_verdict(html, verdict) : "n/a");
	page_cell(page, rule_words(page, snia, met));
	page_cell(page, ended_by);
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
	page_row_end(page);
}

/* A group was judged after a round. */
static const char *judged_round(struct html *html, const json_t *steady)
{
	double round = json_real_in(json_object_get(steady, "snia"), "last_round");

	if (!(round >= 1 && round < 1e6))
		return "";
	return word(arena_printf(&html->arena, say(html->page, "round %u"), (uint32_t)round));
}

static void verdicts(struct html *html)
{
	static const char *const names[] = {
		"step",	   "verdict", "SNIA rule", "ended by", "average", "range (20 % allowed)",
		"slope (10 % allowed)"
	};
	const struct report_model *model = html->model;

	page_table_begin(html->page, names, 7, 4);
	for (uint32_t i = 0; i < model->step_count; i++)
		if (model->steps[i].verdict)
			verdict_row(html, model->steps[i].label, model->steps[i].steady,
				    say(html->page, word(model->steps[i].record->status_text)));
	for (uint32_t i = 0; i < model->event_count; i++) {
		json_t *steady = is_verdict(&model->events[i]) ?
			json_loads(model->events[i].data_json, JSON_REJECT_DUPLICATES, NULL) : NULL;

		if (steady && tracked_of(steady) && !is_replaced(model, i, steady, tracked_of(steady)))
			verdict_row(html, verdict_place(model, i, tracked_of(steady)), steady,
				    judged_round(html, steady));
		else if (steady && !tracked_of(steady))
			verdict_row(html,
				    page_told(html->page, word(model->events[i].text), model->events[i].said_json),
				    steady, judged_round(html, steady));
		json_decref(steady);
	}
	page_table_end(html->page);
}

/* -- beside the verdicts, not part of them -- */

static bool has_evidence(const struct report_step *step)
{
	return json_is_object(json_object_get(step->steady, "mser5")) ||
	       json_is_object(json_object_get(step->steady, "trend"));
}

static void mser_cell(struct page *page, const json_t *mser)
{
	char from[PAGE_NUMBER];

	if (!json_is_object(mser))
		page_number(page, "n/a");
	else if (json_is_true(json_object_get(mser, "valid")))
		page_number(page, page_time_text(json_real_in(mser, "from_ns"), from));
	else
		page_number(page, say(page, "none found"));
}

static void trend_cells(struct page *page, const json_t *trend)
{
	if (!json_is_object(trend)) {
		for (int i = 0; i < 3; i++)
			page_number(page, "n/a");
		return;
	}
	page_number_format(page, "%+.2g %%", 100 * json_real_in(trend, "per_hour"));
	page_number_format(page, "%+.2g %% \xe2\x80\x93 %+.2g %%", 100 * json_real_in(trend, "low"),
			   100 * json_real_in(trend, "high"));
	page_number_format(page, "%.2g", json_real_in(trend, "p"));
}

static void evidence_row(struct html *html, const struct report_step *step)
{
	double start = json_real_in(json_object_get(step->steady, "window"), "start_ns");
	char from[PAGE_NUMBER];

	page_row_begin(html->page);
	page_cell(html->page, step->label);
	page_number(html->page, page_time_text(start, from));
	mser_cell(html->page, json_object_get(step->steady, "mser5"));
	trend_cells(html->page, json_object_get(step->steady, "trend"));
	page_row_end(html->page);
}

static void evidence(struct html *html)
{
	static const char *const names[] = { "step", "judged from", "MSER-5: even from", "trend an hour (Theil-Sen)",
					     "95 % interval", "p (Mann-Kendall)" };
	const struct report_model *model = html->model;
	bool any = false;

	for (uint32_t i = 0; i < model->step_count; i++)
		any |= has_evidence(&model->steps[i]);
	if (!any)
		return;
	page_raw(html->page, "<details><summary>");
	page_text(html->page, say(html->page, "Cross-checks"));
	page_raw(html->page, "</summary>\n");
	page_table_begin(html->page, names, sizeof(names) / sizeof(*names), 1);
	for (uint32_t i = 0; i < model->step_count; i++)
		if (has_evidence(&model->steps[i]))
			evidence_row(html, &model->steps[i]);
	page_table_end(html->page);
	page_paragraph(html->page, "note",
		       say(html->page, "Two other methods on the same figures, beside the verdict and not part of it: "
				       "MSER-5 looks back for the beginning of the even part; Mann and Kendall's test "
				       "looks for a trend in the means of the judged window, and noise hides one from it."));
	page_raw(html->page, "</details>\n");
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
	if (verdict) {
		verdicts(html);
		evidence(html);
	}
	page_raw(html->page, "<div class=\"grid\">\n");
	judged = judged_windows(html) > 0;
	page_raw(html->page, "</div>\n");
	for (uint32_t i = 0; i < html->family_count; i++)
		if (html->families[i].family->rounds > 1)
			family_rounds(html, &html->families[i], judged);
}
