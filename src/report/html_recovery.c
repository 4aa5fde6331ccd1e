/* html_recovery: what comes back, from the findings about it: how much fast writing a pause gives back, and
 * when the bandwidth is back after random writes. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/chart.h"
#include "report/html.h"
#include "report/html_cross.h"
#include "store/json_reader.h"

#define PAUSES_MAX 64u

struct pauses {
	uint32_t count;
	double idle_ns[PAUSES_MAX];	/* rising */
	double bytes[PAUSES_MAX], half_width[PAUSES_MAX];
	double repeats[PAUSES_MAX];
};

static void pauses_read(struct pauses *pauses, const json_t *points)
{
	for (size_t i = 0; i < json_array_size(points) && pauses->count < PAUSES_MAX; i++) {
		const json_t *point = json_array_get(points, i);
		double idle_s = json_real_in(point, "idle_s"), bytes = json_real_in(point, "bytes");

		if (!(idle_s > 0) || !(bytes >= 0) || !isfinite(idle_s + bytes))
			continue;
		pauses->idle_ns[pauses->count] = idle_s * 1e9;
		pauses->bytes[pauses->count] = bytes;
		pauses->half_width[pauses->count] = fmax(0, json_real_in(point, "half_width"));
		pauses->repeats[pauses->count++] = json_real_in(point, "repeats");
	}
}

static void table(struct html *html, const struct pauses *pauses)
{
	static const char *const names[] = { "idle", "GB recovered", "+/- GB", "repeats" };
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, names, 4, 0);
	for (uint32_t i = 0; i < pauses->count; i++) {
		page_row_begin(page);
		page_number(page, page_latency_text(pauses->idle_ns[i], number));
		page_number(page, page_count_text(pauses->bytes[i] / 1e9, number));
		page_number(page, page_count_text(pauses->half_width[i] / 1e9, number));
		page_number(page, page_count_text(pauses->repeats[i], number));
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

static void recovery_chart(struct html *html, const struct finding_record *finding,
			   const struct pauses *pauses)
{
	struct page *page = html->page;
	double highest = 0, first = pauses->idle_ns[0], last = pauses->idle_ns[pauses->count - 1];
	struct chart chart = {
		.x = { .scale = { SCALE_LOG10, pow(10, floor(log10(first))),
				  pow(10, ceil(log10(last * 1.0001))) },
		       .unit = UNIT_LATENCY,
		       .title = say(page, "idle (log)") },
		.y = { .unit = UNIT_CAPACITY, .title = say(page, "data written fast afterwards") },
	};

	for (uint32_t i = 0; i < pauses->count; i++)
		highest = fmax(highest, pauses->bytes[i] + pauses->half_width[i]);
	chart.y.scale = (struct scale){ SCALE_LINEAR, 0, scale_round_up(highest, 6) };
	chart_begin(&chart, page, CHART_WIDE, say(page, "What a pause gives back"),
		    say(page,
			"Bytes written fast after pauses of growing length; whiskers are 95 % intervals."));
	for (uint32_t i = 0; i < pauses->count; i++)
		if (pauses->half_width[i] > 0)
			chart_whisker(&chart, IO_WRITE, pauses->idle_ns[i],
				      fmax(0, pauses->bytes[i] - pauses->half_width[i]),
				      pauses->bytes[i] + pauses->half_width[i]);
	chart_line(&chart, IO_WRITE, pauses->idle_ns, pauses->bytes, pauses->count,
		   html_direction(page, IO_WRITE));
	chart_marks(&chart, IO_WRITE, pauses->idle_ns, pauses->bytes, pauses->count);
	chart_draw_end(&chart);
	chart_finding(page, page_told(page, word(finding->text), finding->said_json));
	table(html, pauses);
	chart_close(page);
}

/* The heading stands in front of the first one that can be drawn. */
static void recovery_of(struct html *html, const struct finding_record *finding, const json_t *data, bool *titled)
{
	struct pauses pauses = { 0 };
	bool cross = strcmp(word(finding->kind), "bandwidth_recovery") == 0;

	pauses_read(&pauses, json_object_get(data, "points"));
	if (cross ? !html_cross_has(html, finding, data) : pauses.count < 2)
		return;
	if (!*titled)
		html_section(html, "Recovery");
	*titled = true;
	if (cross)
		html_cross(html, finding, data);
	else
		recovery_chart(html, finding, &pauses);
}

static bool is_recovery(const struct finding_record *finding)
{
	return finding->data_json && (strcmp(word(finding->kind), "slc_recovery") == 0 ||
				      strcmp(word(finding->kind), "bandwidth_recovery") == 0);
}

void html_recovery(struct html *html)
{
	const struct report_model *model = html->model;
	bool titled = false;

	for (uint32_t i = 0; i < model->finding_count; i++) {
		const struct finding_record *finding = &model->findings[i];
		json_t *data = is_recovery(finding) ?
			json_loads(finding->data_json, JSON_REJECT_DUPLICATES, NULL) : NULL;

		if (data)
			recovery_of(html, finding, data, &titled);
		json_decref(data);
	}
}
