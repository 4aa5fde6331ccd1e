/* html_rounds: what was judged in rounds: verdicts, the windows that they are about, convergence of every
 * point. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/html_convergence.h"
#include "report/html_verdicts.h"
#include "report/html_window.h"
#include "report/judged.h"
#include "report/sweep.h"

#define WINDOWS_MAX 6u

static void window_draw(struct html *html, const char *tracked, const char *place, uint32_t series,
			const struct snia_verdict *window)
{
	const struct round_view view = { judged_figure(tracked), CELL_ALL };
	const char *what = arena_printf(&html->arena, "%s%s%s", tracked, place[0] ? " \xc2\xb7 " : "", place);

	html_window(html, word(what), series, &view, window);
}

/* The latest window of each figure that groups track; how many were drawn. */
static uint32_t group_windows(struct html *html)
{
	const struct report_model *model = html->model;
	uint32_t drawn = 0;

	for (uint32_t i = 0; i < model->event_count && drawn < WINDOWS_MAX; i++) {
		json_t *steady = judged_is(&model->events[i]) ?
			json_loads(model->events[i].data_json, JSON_REJECT_DUPLICATES, NULL) : NULL;
		const char *tracked = judged_tracked(steady);
		struct snia_verdict window;

		if (tracked && !judged_is_replaced(model, i, steady, tracked) &&
		    judged_window(json_object_get(steady, "snia"), &window)) {
			window_draw(html, tracked, judged_place(model, i, tracked), drawn, &window);
			drawn++;
		}
		json_decref(steady);
	}
	return drawn;
}

/* Those of steps that were to go on until the rule was met. */
static uint32_t step_windows(struct html *html, uint32_t drawn)
{
	for (uint32_t i = 0; i < html->model->step_count && drawn < WINDOWS_MAX; i++) {
		const struct report_step *step = &html->model->steps[i];
		const json_t *snia = json_object_get(step->steady, "snia");
		const char *tracked = judged_tracked(step->steady);
		struct snia_verdict window;

		if (!judged_asked(step) || !judged_window(snia, &window))
			continue;
		window_draw(html, tracked, step->label, drawn, &window);
		drawn++;
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

void html_rounds(struct html *html)
{
	bool any = false, judged;

	for (uint32_t i = 0; i < html->family_count; i++)
		any |= html->families[i].family->rounds > 1;
	if (!any && !html_has_verdicts(html))
		return;
	html_section(html, "Steady state");
	html_verdicts(html);
	page_raw(html->page, "<div class=\"grid\">\n");
	judged = step_windows(html, group_windows(html)) > 0;
	page_raw(html->page, "</div>\n");
	for (uint32_t i = 0; i < html->family_count; i++)
		if (html->families[i].family->rounds > 1)
			family_rounds(html, &html->families[i], judged);
}
