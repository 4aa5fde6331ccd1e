#include "report/csv_windows.h"

#include <string.h>
#include "report/judged.h"

static void header(struct csv *csv)
{
	static const char *const names[] = {
		"tracked", "point", "first_round", "last_round", "met", "y1", "y2", "y3", "y4", "y5",
		"average", "range", "range_allowed", "slope_excursion", "slope_allowed", "k", "b", "step",
		"step_id",
	};

	for (uint32_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		csv_text(csv, names[i]);
	csv_row_end(csv);
}

/* k and b by the number of the round, as the page has them. */
static void row(struct csv *csv, const char *tracked, const char *point, const struct snia_verdict *window,
		const struct report_step *step)
{
	uint32_t before = window->last_round - SNIA_WINDOW;

	csv_text(csv, tracked);
	csv_text(csv, point);
	csv_u64(csv, before + 1);
	csv_u64(csv, window->last_round);
	csv_text(csv, window->met ? "1" : "0");
	for (int i = 0; i < SNIA_WINDOW; i++)
		csv_number(csv, window->y[i]);
	csv_number(csv, window->average);
	csv_number(csv, window->range);
	csv_number(csv, window->range_allowed);
	csv_number(csv, window->slope_excursion);
	csv_number(csv, window->slope_allowed);
	csv_number(csv, window->slope);
	csv_number(csv, window->intercept - window->slope * before);
	csv_text(csv, step ? step->record->name : NULL);
	if (step)
		csv_u64(csv, step->record->id);
	else
		csv_empty(csv);
	csv_row_end(csv);
}

static void group_rows(struct csv *csv, const struct report_model *model)
{
	for (uint32_t i = 0; i < model->event_count; i++) {
		json_t *steady = judged_is(&model->events[i]) ?
			json_loads(model->events[i].data_json, JSON_REJECT_DUPLICATES, NULL) : NULL;
		const char *tracked = judged_tracked(steady);
		struct snia_verdict window;

		if (tracked && !judged_is_replaced(model, i, steady, tracked) &&
		    judged_window(json_object_get(steady, "snia"), &window))
			row(csv, tracked, judged_place(model, i, tracked), &window,
			    report_step_of(model, model->events[i].step));
		json_decref(steady);
	}
}

static void step_rows(struct csv *csv, const struct report_model *model)
{
	for (uint32_t i = 0; i < model->step_count; i++) {
		const struct report_step *step = &model->steps[i];
		struct snia_verdict window;

		if (judged_asked(step) && judged_window(json_object_get(step->steady, "snia"), &window))
			row(csv, judged_tracked(step->steady), step->point, &window, step);
	}
}

void csv_windows(struct csv *csv, const struct report_model *model)
{
	header(csv);
	group_rows(csv, model);
	step_rows(csv, model);
}
