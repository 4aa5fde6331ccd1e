/* html_telemetry: what else was measured during the run, below each other on the same time: temperature,
 * power, the host's CPUs. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/chart.h"
#include "report/html.h"

#define READINGS_MAX 24u
#define POINTS_MIN 10u
#define POINTS_MAX 400000u

struct reading {
	int32_t target;
	char name[48];
	uint32_t count, capacity;
	double *t_ns, *value;
	double low, high, sum;
};

struct readings {
	const struct html *html;
	uint32_t count, points;
	struct reading reading[READINGS_MAX];
	double length_ns;
};

static struct reading *reading_for(struct readings *readings, const struct telemetry_record *row)
{
	struct reading *reading;

	for (uint32_t i = 0; i < readings->count; i++) {
		reading = &readings->reading[i];
		if (reading->target == row->target &&
		    strncmp(reading->name, row->name, sizeof(reading->name) - 1) == 0)
			return reading;
	}
	if (readings->count == READINGS_MAX)
		return NULL;
	reading = &readings->reading[readings->count++];
	*reading = (struct reading){ .target = row->target, .low = INFINITY, .high = -INFINITY };
	snprintf(reading->name, sizeof(reading->name), "%s", row->name);
	return reading;
}

static int reading_grow(struct reading *reading)
{
	uint32_t capacity = reading->capacity ? reading->capacity * 2 : 256;
	double *t_ns = reallocarray(reading->t_ns, capacity, sizeof(*t_ns)), *value;

	if (!t_ns)
		return -ENOMEM;
	reading->t_ns = t_ns;
	value = reallocarray(reading->value, capacity, sizeof(*value));
	if (!value)
		return -ENOMEM;
	reading->value = value;
	reading->capacity = capacity;
	return 0;
}

/* What the block layer counted is in the checks; only readings of the host and of this drive are drawn. */
static bool told(const struct readings *readings, const struct telemetry_record *row)
{
	int32_t target = readings->html->model->target;

	if (!row->name || strncmp(row->name, "block_", 6) == 0 || !isfinite(row->value))
		return false;
	return row->target < 0 || target == REPORT_ALL_TARGETS || row->target == target;
}

static int add(void *context, const struct telemetry_record *row)
{
	struct readings *readings = context;
	struct reading *reading = told(readings, row) ? reading_for(readings, row) : NULL;

	if (!reading || readings->points++ >= POINTS_MAX)
		return 0;
	if (reading->count == reading->capacity && reading_grow(reading))
		return -ENOMEM;
	reading->t_ns[reading->count] = (double)row->t_ns;
	reading->value[reading->count++] = row->value;
	reading->low = fmin(reading->low, row->value);
	reading->high = fmax(reading->high, row->value);
	reading->sum += row->value;
	readings->length_ns = fmax(readings->length_ns, (double)row->t_ns);
	return 0;
}

static bool is_cpu(const struct reading *reading)
{
	return reading->target < 0 && strncmp(reading->name, "cpu_", 4) == 0;
}

static void value_finding(struct html *html, const struct reading *reading)
{
	struct page *page = html->page;

	page_raw(page, "<figcaption>");
	page_format(page, say(page, "From %.4g to %.4g, mean %.4g."), reading->low, reading->high,
		    reading->sum / reading->count);
	page_raw(page, "</figcaption>\n");
}

static void value_chart(struct html *html, const struct readings *readings, const struct reading *reading)
{
	double margin = fmax(0.05 * (reading->high - reading->low), 0.5);
	bool rate = reading->low >= 0 && reading->high > 200;
	struct chart chart = {
		.x = { .scale = { SCALE_LINEAR, 0, readings->length_ns },
		       .unit = UNIT_TIME,
		       .title = say(html->page, "time") },
		.y = { .scale = { SCALE_LINEAR, rate ? 0 : reading->low - margin, reading->high + margin },
		       .unit = UNIT_COUNT,
		       .title = reading->name },
	};
	char title[128];

	snprintf(title, sizeof(title), "%s \xc2\xb7 %s", reading->target < 0 ? say(html->page, "host") :
		 say(html->page, "drive"), reading->name);
	chart_begin(&chart, html->page, CHART_LOW, title, say(html->page, "A reading about once a second."));
	chart_line(&chart, reading->target < 0 ? 3 : 4, reading->t_ns, reading->value, reading->count, NULL);
	chart_draw_end(&chart);
	value_finding(html, reading);
	chart_close(html->page);
}

static void cpu_finding(struct html *html, const struct readings *readings)
{
	struct page *page = html->page;

	page_raw(page, "<figcaption>");
	for (uint32_t i = 0; i < readings->count; i++)
		if (is_cpu(&readings->reading[i]) && readings->reading[i].count >= POINTS_MIN)
			page_format(page, say(page, "%s: mean %.3g %%, at most %.3g %%. "),
				    readings->reading[i].name + 4,
				    100 * readings->reading[i].sum / readings->reading[i].count,
				    100 * readings->reading[i].high);
	page_raw(page, "</figcaption>\n");
}

static void cpu_chart(struct html *html, const struct readings *readings)
{
	struct chart chart = {
		.x = { .scale = { SCALE_LINEAR, 0, readings->length_ns },
		       .unit = UNIT_TIME,
		       .title = say(html->page, "time") },
		.y = { .scale = { SCALE_LINEAR, 0, 1 },
		       .unit = UNIT_SHARE,
		       .title = say(html->page, "share of all CPUs") },
	};
	uint32_t series = 0;

	for (uint32_t i = 0; i < readings->count; i++)
		series += is_cpu(&readings->reading[i]) && readings->reading[i].count >= POINTS_MIN;
	if (!series)
		return;
	chart_begin(&chart, html->page, CHART_LOW, say(html->page, "CPUs of the host"),
		    say(html->page, "A line per kind of work, all CPUs together."));
	series = 0;
	for (uint32_t i = 0; i < readings->count; i++) {
		const struct reading *reading = &readings->reading[i];

		if (is_cpu(reading) && reading->count >= POINTS_MIN)
			chart_line(&chart, series++, reading->t_ns, reading->value, reading->count,
				   reading->name + 4);
	}
	chart_draw_end(&chart);
	cpu_finding(html, readings);
	chart_close(html->page);
}

static void draw(struct html *html, const struct readings *readings)
{
	html_section(html, "Temperature, power and host");
	for (uint32_t i = 0; i < readings->count; i++) {
		const struct reading *reading = &readings->reading[i];

		if (!is_cpu(reading) && reading->count >= POINTS_MIN)
			value_chart(html, readings, reading);
	}
	cpu_chart(html, readings);
	page_paragraph(html->page, "note", say(html->page, "Every reading is in telemetry.csv."));
}

int html_telemetry(struct html *html)
{
	struct readings *readings = calloc(1, sizeof(*readings));
	bool any = false;
	int error;

	if (!readings)
		return -ENOMEM;
	readings->html = html;
	error = store_each_telemetry(html->model->store, add, readings);
	for (uint32_t i = 0; i < readings->count; i++)
		any |= readings->reading[i].count >= POINTS_MIN;
	if (!error && any)
		draw(html, readings);
	for (uint32_t i = 0; i < readings->count; i++) {
		free(readings->reading[i].t_ns);
		free(readings->reading[i].value);
	}
	free(readings);
	return error;
}
