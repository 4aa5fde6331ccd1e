/* html_stalls: when a drive had I/Os in flight and completed none, and for how long. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/chart.h"
#include "report/html.h"

#define STALLS_MAX 1000u	/* read */
#define STALLS_DRAWN 160u	/* the longest: more would make the page slow, and are one smear */
#define TABLE_ROWS 20u
#define LEAST_NS 10e6		/* shorter ones are not in the run file */

struct stall_mark {
	double at_ns, length_ns;	/* since the run's start */
	const struct report_step *step;
};

struct stall_marks {
	double all;			/* also those that aren't in the lists */
	uint32_t count;
	struct stall_mark marks[STALLS_MAX];
};

static void event_read(struct stall_marks *marks, const struct report_model *model,
		       const struct event_record *event)
{
	json_t *data = event->data_json ? json_loads(event->data_json, JSON_REJECT_DUPLICATES, NULL) : NULL;
	const json_t *list = json_object_get(data, "list");
	const struct report_step *step = report_step_of(model, event->step);
	bool told = model->target == REPORT_ALL_TARGETS ||
		    json_integer_value(json_object_get(data, "target")) == model->target;

	for (size_t i = 0; step && told && i < json_array_size(list) && marks->count < STALLS_MAX; i++) {
		const json_t *pair = json_array_get(list, i);
		double start = json_number_value(json_array_get(pair, 0));
		double length = json_number_value(json_array_get(pair, 1));

		if (start >= 0 && length >= LEAST_NS)
			marks->marks[marks->count++] =
				(struct stall_mark){ (double)step->record->started_ns + start, length, step };
	}
	if (step && told)
		marks->all +=
			fmax(0,
			     json_number_value(json_object_get(json_object_get(data, "count"), "ge_10ms")));
	json_decref(data);
}

static int longest_first(const void *a, const void *b)
{
	double first = ((const struct stall_mark *)a)->length_ns,
	       second = ((const struct stall_mark *)b)->length_ns;

	return (first < second) - (first > second);
}

static void draw(struct chart *chart, const struct stall_marks *marks)
{
	for (uint32_t i = 0; i < marks->count; i++) {
		const struct stall_mark *mark = &marks->marks[i];

		chart_whisker(chart, 1, mark->at_ns, chart->y.scale.low, mark->length_ns);
		chart_marks(chart, 1, &mark->at_ns, &mark->length_ns, 1);
	}
}

static void finding(struct html *html, const struct stall_marks *marks)
{
	struct page *page = html->page;
	char longest[PAGE_NUMBER];

	page_raw(page, "<figcaption>");
	page_format(page,
		    say(page, "%.0f times of 10 ms or more without a completion; the longest drawn took %s, "
			      "in %s."),
		    marks->all, page_latency_text(marks->marks[0].length_ns, longest),
		    marks->marks[0].step->label);
	if (marks->all > marks->count) {
		page_sentence_gap(page);
		page_format(page, say(page, "%u of them are drawn."), marks->count);
	}
	page_raw(page, "</figcaption>\n");
}

static void table(struct html *html, const struct stall_marks *marks)
{
	static const char *const names[] = { "step", "at", "length" };
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, names, 3, 1);
	for (uint32_t i = 0; i < marks->count && i < TABLE_ROWS; i++) {
		page_row_begin(page);
		page_cell(page, marks->marks[i].step->label);
		page_number(page, page_time_text(marks->marks[i].at_ns, number));
		page_number(page, page_latency_text(marks->marks[i].length_ns, number));
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

static void timeline(struct html *html, const struct stall_marks *marks)
{
	struct page *page = html->page;
	double longest = marks->marks[0].length_ns, end = (double)html->model->run->duration_ns;
	struct chart chart = {
		.x = { .unit = UNIT_TIME, .title = say(page, "time") },
		.y = { .scale = { SCALE_LOG10, LEAST_NS, pow(10, ceil(log10(longest * 1.01))) },
		       .unit = UNIT_LATENCY,
		       .title = say(page, "length of the stall (log)") },
	};

	for (uint32_t i = 0; i < marks->count; i++)
		end = fmax(end, marks->marks[i].at_ns + marks->marks[i].length_ns);
	chart.x.scale = (struct scale){ SCALE_LINEAR, 0, end };
	chart_begin(&chart, page, CHART_WIDE, say(page, "Stalls against time"),
		    say(page, "A stem for each time in which I/Os were in flight and none completed, as high "
			      "as it was long."));
	draw(&chart, marks);
	chart_draw_end(&chart);
	finding(html, marks);
	table(html, marks);
	chart_close(page);
}

void html_stalls(struct html *html)
{
	const struct report_model *model = html->model;
	struct stall_marks *marks = calloc(1, sizeof(*marks));

	for (uint32_t i = 0; marks && i < model->event_count; i++)
		if (strcmp(word(model->events[i].kind), "stalls") == 0)
			event_read(marks, model, &model->events[i]);
	if (marks && marks->count) {
		qsort(marks->marks, marks->count, sizeof(*marks->marks), longest_first);
		marks->count = marks->count < STALLS_DRAWN ? marks->count : STALLS_DRAWN;
		timeline(html, marks);
	}
	free(marks);
}
