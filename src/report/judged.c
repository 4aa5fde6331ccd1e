#include "report/judged.h"

#include <math.h>
#include <string.h>
#include "store/json_reader.h"

bool judged_is(const struct event_record *event)
{
	return strcmp(word(event->kind), "steady") == 0 && event->data_json;
}

static bool is_tracked(const struct event_record *event, const char *tracked)
{
	return judged_is(event) && strstr(event->data_json, tracked);
}

/* Within a group a later round's verdict takes the place of an earlier one; a group that ended keeps its
 * own. */
bool judged_is_replaced(const struct report_model *model, uint32_t event, const json_t *steady,
			const char *tracked)
{
	if (json_is_true(json_object_get(steady, "ended")))
		return false;
	for (uint32_t i = event + 1; i < model->event_count; i++)
		if (is_tracked(&model->events[i], tracked))
			return true;
	return false;
}

const char *judged_place(const struct report_model *model, uint32_t event, const char *tracked)
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

enum round_figure judged_figure(const char *tracked)
{
	const char *figure = strrchr(tracked, ' ');

	figure = figure ? figure + 1 : tracked;
	if (strcmp(figure, "bytes_per_second") == 0)
		return ROUND_RATE;
	return strcmp(figure, "mean") == 0 ? ROUND_MEAN : ROUND_IOPS;
}

bool judged_window(const json_t *snia, struct snia_verdict *ret_window)
{
	const json_t *values = json_object_get(snia, "values");
	double last = json_real_in(snia, "last_round"), y[SNIA_WINDOW];
	struct snia_verdict window;

	if (json_array_size(values) != SNIA_WINDOW || !(last >= SNIA_WINDOW) || last > 1e6)
		return false;
	for (size_t i = 0; i < SNIA_WINDOW; i++)
		y[i] = json_number_value(json_array_get(values, i));
	snia_evaluate(y, SNIA_WINDOW, &window);
	window.met = json_is_true(json_object_get(snia, "met"));
	window.last_round = (uint32_t)last;
	*ret_window = window;
	return window.complete && window.average > 0;
}

const char *judged_tracked(const json_t *steady)
{
	return json_string_value(json_object_get(json_object_get(steady, "snia"), "tracked"));
}

bool judged_asked(const struct report_step *step)
{
	const char *tracked = judged_tracked(step->steady);

	return tracked && !strchr(tracked, ' ') &&
	       json_is_true(json_object_get(json_object_get(step->steady, "snia"), "asked"));
}
