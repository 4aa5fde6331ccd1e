#include "report/html_cross.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/chart.h"
#include "store/json_reader.h"

#define SPAN_RECOVERIES 3.0	/* after the switch, in times of recovery; before it a quarter of that */
#define SPAN_SAMPLES 10.0	/* at least */
#define POINTS 150.0		/* of a line */
#define TABLE_ROWS 24u

struct cross {
	struct html *html;
	const struct report_step *after;
	const struct series *random, *sequential;	/* before and after the switch */
	double switch_ns;				/* since the start of the run */
	double level, level_before;			/* bytes per second */
	double recovered_ns;				/* since the switch; NaN: not levelled off */
	double sample_ns, from_ns, to_ns;		/* of the chart: from_ns is below 0 */
};

static bool cross_read(struct cross *cross, struct html *html, const struct finding_record *finding,
		       const json_t *data)
{
	const struct report_model *model = html->model;
	const struct report_step *after = report_step_of(model, finding->step_id);
	const char *random = json_string_value(json_object_get(data, "after_step"));
	double span, length;

	if (!after || after == model->steps || !random || strcmp(word(after[-1].record->name), random))
		return false;
	*cross = (struct cross){
		.html = html,
		.after = after,
		.random = &html->series[after - model->steps - 1],
		.sequential = &html->series[after - model->steps],
		.switch_ns = (double)after->record->started_ns,
		.level = json_real_in(data, "level_bytes_per_second"),
		.level_before = json_real_in(data, "before_bytes_per_second"),
		.recovered_ns = finding->value * 1e9,
		.sample_ns = json_real_in(data, "sample_s") * 1e9,
	};
	length = (double)after->record->duration_ns;
	span = isnan(cross->recovered_ns) ? length : SPAN_RECOVERIES * cross->recovered_ns;
	cross->to_ns = fmin(length, fmax(span, SPAN_SAMPLES * cross->sample_ns));
	cross->from_ns = -fmin((double)after[-1].record->duration_ns, cross->to_ns / 4);
	return cross->level > 0 && cross->sample_ns > 0 && cross->sequential->count && cross->random->count;
}

static double mean_between(const struct series *series, double from_ns, double to_ns)
{
	double sum = 0, weight = 0;

	for (uint32_t i = 0; i < series->count; i++) {
		if (isnan(series->rate[i]) || series->t_ns[i] < from_ns || series->t_ns[i] >= to_ns)
			continue;
		sum += series->rate[i] * series->duration_ns[i];
		weight += series->duration_ns[i];
	}
	return weight > 0 ? sum / weight : NAN;
}

/* The means of a part of a series, its times counted from the switch. */
static void line(const struct cross *cross, struct chart *chart, const struct series *series, uint32_t colour,
		 const char *label)
{
	double width = fmax((cross->to_ns - cross->from_ns) / POINTS, series->duration_ns[0]), *times, *means;
	uint32_t count = series_smooth((struct series *)series, series->rate, width, &times, &means);

	for (uint32_t i = 0; i < count; i++) {
		times[i] -= cross->switch_ns;
		if (times[i] < cross->from_ns || times[i] > cross->to_ns)
			means[i] = NAN;
	}
	chart_line(chart, colour, times, means, count, label);
}

/* What is compared with what; where the level of before is the same, it has no line of its own. */
static void levels(const struct cross *cross, struct chart *chart)
{
	struct page *page = cross->html->page;

	chart_rule_y(chart, cross->level, CHART_PLAIN, say(page, "level of the last half"));
	chart_rule_y(chart, 0.9 * cross->level, CHART_DASHED, "90 %");
	if (fabs(cross->level_before - cross->level) > 0.15 * cross->level)
		chart_rule_y(chart, cross->level_before, CHART_DOTTED,
			     say(page, "level before the random writes"));
}

static void moments(const struct cross *cross, struct chart *chart)
{
	struct page *page = cross->html->page;
	char time[PAGE_NUMBER];

	chart_rule_x(chart, 0, CHART_DOTTED, NULL);
	if (cross->recovered_ns > 0)
		chart_rule_x(chart, cross->recovered_ns, CHART_DASHED,
			     arena_printf(&cross->html->arena, say(page, "recovered after %s"),
					  page_time_text(cross->recovered_ns, time)));
}

/* Sample by sample, or by longer parts where there are many. */
static void table(const struct cross *cross)
{
	static const char *const names[] = { "since the switch", "MB/s", "share of the level" };
	struct page *page = cross->html->page;
	double part = fmax(cross->sample_ns, cross->to_ns / TABLE_ROWS);
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, names, 3, 0);
	for (uint32_t row = 0; (row + 0.5) * part < cross->to_ns; row++) {
		double from = cross->switch_ns + row * part,
		       mean = mean_between(cross->sequential, from, from + part);

		page_row_begin(page);
		page_number(page, page_time_text(row * part, number));
		page_number(page, page_count_text(mean / 1e6, number));
		if (isnan(mean))
			page_number(page, "n/a");
		else
			page_number_format(page, "%.1f %%", 100 * mean / cross->level);
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

static double highest_of(const struct cross *cross)
{
	double width = (cross->to_ns - cross->from_ns) / POINTS,
	       highest = fmax(cross->level, cross->level_before);

	for (double at = cross->from_ns; at < cross->to_ns; at += width) {
		double from = cross->switch_ns + at;

		highest = fmax(highest, mean_between(at < 0 ? cross->random : cross->sequential, from,
						     from + width));
	}
	return highest;
}

bool html_cross_has(struct html *html, const struct finding_record *finding, const json_t *data)
{
	struct cross cross;

	return cross_read(&cross, html, finding, data);
}

void html_cross(struct html *html, const struct finding_record *finding, const json_t *data)
{
	struct page *page = html->page;
	struct cross cross;
	struct chart chart = {
		.x = { .unit = UNIT_TIME, .title = say(page, "time since the switch") },
		.y = { .unit = UNIT_RATE, .title = say(page, "throughput") },
		.solid = true,
	};
	char title[256];

	if (!cross_read(&cross, html, finding, data))
		return;
	chart.x.scale = (struct scale){ SCALE_LINEAR, cross.from_ns, cross.to_ns };
	chart.y.scale = (struct scale){ SCALE_LINEAR, 0, scale_round_up(highest_of(&cross), 6) };
	snprintf(title, sizeof(title), "%s \xc2\xb7 %s", say(page, "Recovery of the bandwidth"),
		 cross.after->label);
	chart_begin(&chart, page, CHART_WIDE, title,
		    say(page, "Means against time around the switch from random to sequential writes, from "
			      "zero; the "
			      "level that the bandwidth comes to, 90 % of it, and when it is back."));
	levels(&cross, &chart);
	moments(&cross, &chart);
	line(&cross, &chart, cross.random, 2, say(page, "random writes"));
	line(&cross, &chart, cross.sequential, IO_WRITE, say(page, "sequential writes"));
	chart_draw_end(&chart);
	chart_finding(page, page_told(page, word(finding->text), finding->said_json));
	table(&cross);
	chart_close(page);
}
