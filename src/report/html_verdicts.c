#include "report/html_verdicts.h"

#include <math.h>
#include <string.h>
#include "report/judged.h"
#include "store/json_reader.h"

/* -- verdicts: of single steps in their records, of groups in events -- */

static const char *rule_words(struct page *page, const json_t *snia, const json_t *met)
{
	if (json_is_false(json_object_get(snia, "complete")))
		return say(page, "too few rounds");
	return json_is_boolean(met) ? say(page, json_is_true(met) ? "met" : "NOT REACHED") : "n/a";
}

/* Not rounded to what is allowed. */
static void excursion_cell(struct page *page, const json_t *snia, const char *name, double average)
{
	char share[PAGE_NUMBER];

	page_number(page,
		    average > 0 ? round_share_text(json_number_value(json_object_get(snia, name)) / average,
						   share)
				: "n/a");
}

/* `where`: the step, or the point of a group that is repeated; "" where the verdict itself names what it is
 * about. */
static void verdict_row(struct html *html, const char *where, const json_t *steady, const char *ended_by)
{
	struct page *page = html->page;
	const json_t *snia = json_object_get(steady, "snia"), *met = json_object_get(snia, "met");
	const char *tracked = judged_tracked(steady);
	const char *verdict = json_string_value(json_object_get(steady, "verdict"));
	const struct round_view view = { judged_figure(word(tracked)), CELL_ALL };
	double average = json_number_value(json_object_get(snia, "average"));
	char number[PAGE_NUMBER];

	page_row_begin(page);
	page_raw(page, "<td>");
	page_format(page, "%s%s%s", where, where[0] && tracked ? " \xc2\xb7 " : "", word(tracked));
	page_raw(page, "</td>");
	page_cell(page, verdict ? html_verdict(html, verdict) : "n/a");
	page_cell(page, rule_words(page, snia, met));
	page_cell(page, ended_by);
	page_number(page, average > 0 ? round_text(&view, average, number) : "n/a");
	excursion_cell(page, snia, "range", average);
	excursion_cell(page, snia, "slope_excursion", average);
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

static void table_begin(struct page *page)
{
	static const char *const names[] = {
		"step",	   "verdict", "SNIA rule", "ended by", "average", "range (20 % allowed)",
		"slope (10 % allowed)"
	};

	page_table_begin(page, names, 7, 4);
}

/* Of groups: what the procedure waited for. */
static void group_rows(struct html *html)
{
	const struct report_model *model = html->model;

	for (uint32_t i = 0; i < model->event_count; i++) {
		json_t *steady = judged_is(&model->events[i]) ?
			json_loads(model->events[i].data_json, JSON_REJECT_DUPLICATES, NULL) : NULL;
		const char *tracked = judged_tracked(steady);

		if (!steady || (tracked && judged_is_replaced(model, i, steady, tracked))) {
			json_decref(steady);
			continue;
		}
		verdict_row(html, tracked ? judged_place(model, i, tracked) :
			    page_told(html->page, word(model->events[i].text), model->events[i].said_json),
			    steady, judged_round(html, steady));
		json_decref(steady);
	}
}

/* The step's record repeats the verdict of its group. */
static bool is_of_group(const struct report_step *step)
{
	return strchr(word(judged_tracked(step->steady)), ' ') != NULL;
}

/* What the procedure did not wait for: steps of SNIA's tests that ran for their time, and rounds of a
 * group, which is judged itself. */
static bool is_aside(const struct html *html, const struct report_step *step, uint32_t groups)
{
	bool snia = strncmp(word(html->model->run->plan_report), "pts-", 4) == 0;

	if (groups && step->family->rounds > 1)
		return true;
	return snia && !json_is_true(json_object_get(json_object_get(step->steady, "snia"), "asked"));
}

static void step_row(struct html *html, const struct report_step *step)
{
	verdict_row(html, step->label, step->steady, say(html->page, word(step->record->status_text)));
}

static bool is_told(const struct report_step *step, uint32_t groups)
{
	return step->verdict && !(groups && is_of_group(step));
}

static void steps_aside(struct html *html, uint32_t groups)
{
	const struct report_model *model = html->model;
	bool any = false;

	for (uint32_t i = 0; i < model->step_count; i++)
		any |= is_told(&model->steps[i], groups) && is_aside(html, &model->steps[i], groups);
	if (!any)
		return;
	page_raw(html->page, "<details><summary>");
	page_text(html->page, say(html->page, "Steps that did not wait for a steady state"));
	page_raw(html->page, "</summary>\n");
	table_begin(html->page);
	for (uint32_t i = 0; i < model->step_count; i++)
		if (is_told(&model->steps[i], groups) && is_aside(html, &model->steps[i], groups))
			step_row(html, &model->steps[i]);
	page_table_end(html->page);
	page_raw(html->page, "</details>\n");
}

/* Events that tell of groups. */
static uint32_t group_verdicts(const struct report_model *model)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < model->event_count; i++)
		count += judged_is(&model->events[i]);
	return count;
}

static void verdicts(struct html *html)
{
	const struct report_model *model = html->model;
	uint32_t groups = group_verdicts(model), rows = groups;

	for (uint32_t i = 0; i < model->step_count; i++)
		rows += is_told(&model->steps[i], groups) && !is_aside(html, &model->steps[i], groups);
	if (rows) {
		table_begin(html->page);
		group_rows(html);
		for (uint32_t i = 0; i < model->step_count; i++)
			if (is_told(&model->steps[i], groups) && !is_aside(html, &model->steps[i], groups))
				step_row(html, &model->steps[i]);
		page_table_end(html->page);
	}
	steps_aside(html, groups);
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
	static const char *const names[] = {
		"step",		 "judged from",	    "MSER-5: even from", "trend an hour (Theil-Sen)",
		"95 % interval", "p (Mann-Kendall)"
	};
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
		       say(html->page,
			   "Two other methods on the same figures, beside the verdict and not part of it: "
			   "MSER-5 looks back for the beginning of the even part; Mann and Kendall's test "
			   "looks for a trend in the means of the judged window, and noise hides one from "
			   "it."));
	page_raw(html->page, "</details>\n");
}


bool html_has_verdicts(const struct html *html)
{
	const struct report_model *model = html->model;

	for (uint32_t i = 0; i < model->step_count; i++)
		if (model->steps[i].verdict)
			return true;
	return group_verdicts(model) > 0;
}

void html_verdicts(struct html *html)
{
	if (!html_has_verdicts(html))
		return;
	verdicts(html);
	evidence(html);
}
