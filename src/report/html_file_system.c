/* html_file_system: the same loads on the raw drive and in file systems: what each one costs, load by load.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/chart.h"
#include "report/html.h"
#include "store/json_reader.h"

#define ROWS_MAX 40u /* drawn; the table has all */

struct fs_row {
	uint32_t system;  /* its colour */
	const char *name; /* of the file system */
	const struct report_step *raw, *made;
	double ratio, low, high, p99_ratio;
};

struct fs_rows {
	uint32_t count, systems;
	struct fs_row rows[512];
};

static const struct report_step *step_of(const struct report_model *model, const json_t *point,
					 const char *key)
{
	const json_t *id = json_object_get(point, key);

	return json_is_integer(id) ? report_step_of(model, (uint64_t)json_integer_value(id)) : NULL;
}

static void rows_add(struct html *html, struct fs_rows *rows, const json_t *data)
{
	const json_t *points = json_object_get(data, "points"), *point;
	const char *name = json_string_value(json_object_get(data, "fs"));
	size_t at;

	json_array_foreach (points, at, point) {
		struct fs_row row = {
			.system = rows->systems,
			.raw = step_of(html->model, point, "raw_step_id"),
			.made = step_of(html->model, point, "step_id"),
			.ratio = json_real_in(point, "ratio"),
			.low = json_real_in(point, "low"),
			.high = json_real_in(point, "high"),
			.p99_ratio = json_real_in(point, "p99_ratio"),
		};

		if (!name || !row.raw || !row.made || !(row.ratio > 0) ||
		    rows->count == sizeof(rows->rows) / sizeof(rows->rows[0]))
			continue;
		row.name = arena_strndup(&html->arena, name, strlen(name));
		if (row.name)
			rows->rows[rows->count++] = row;
	}
	rows->systems++;
}

static void rows_read(struct html *html, struct fs_rows *rows)
{
	for (uint32_t i = 0; i < html->model->finding_count; i++) {
		const struct finding_record *finding = &html->model->findings[i];
		json_t *data = finding->data_json && strcmp(word(finding->kind), "file_system") == 0
				       ? json_loads(finding->data_json, JSON_REJECT_DUPLICATES, NULL)
				       : NULL;

		if (data)
			rows_add(html, rows, data);
		json_decref(data);
	}
}

/* The load without its file system: "random rw=randread iodepth=32". */
static const char *load_name(struct html *html, const struct report_step *step)
{
	const char *name = arena_printf(&html->arena, "%s %s", word(step->record->name), word(step->point));
	char *fs = name ? strstr((char *)(uintptr_t)name, " fs=") : NULL;
	size_t length = fs ? strcspn(fs + 1, " ") + 1 : 0;

	if (fs)
		memmove(fs, fs + length, strlen(fs + length) + 1);
	return name ? name : "";
}

/* -- the chart: a row per load and file system, loads together -- */

static bool first_of_load(const struct fs_rows *rows, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (rows->rows[i].raw == rows->rows[at].raw)
			return false;
	return true;
}

static uint32_t draw_load(struct html *html, struct chart *chart, const struct fs_rows *rows,
			  const struct report_step *raw, uint32_t row)
{
	for (uint32_t i = 0; i < rows->count && row < chart->rows; i++) {
		const struct fs_row *one = &rows->rows[i];
		char words[64];

		if (one->raw != raw)
			continue;
		snprintf(words, sizeof(words), "%.3g", one->ratio);
		chart_row(chart, row++, one->system % CHART_SERIES_MAX,
			  arena_printf(&html->arena, "%s \xc2\xb7 %s", load_name(html, one->made), one->name),
			  words, one->ratio, one->low, one->high);
	}
	return row;
}

static void draw(struct html *html, const struct fs_rows *rows, const char *finding)
{
	struct page *page = html->page;
	struct chart chart = {
		.x = { .unit = UNIT_NUMBER,
		       .title = say(page, "IOPS against the raw drive's (1 = the same)") },
		.rows = rows->count < ROWS_MAX ? rows->count : ROWS_MAX,
	};
	double highest = 1;
	uint32_t row = 0;

	for (uint32_t i = 0; i < rows->count; i++)
		highest = fmax(highest, fmax(rows->rows[i].ratio, rows->rows[i].high));
	chart.x.scale = (struct scale){ SCALE_LINEAR, 0, scale_round_up(highest, 6) };
	chart.y = (struct chart_axis){ .scale = { SCALE_LINEAR, 0, chart.rows },
				       .title = "",
				       .categories = true };
	chart_begin(&chart, page, CHART_ROWS, say(page, "Raw drive and file systems"),
		    say(page, "IOPS of each load in each file system, divided by those on the raw drive; "
			      "whiskers are 95 % intervals."));
	chart_rule_x(&chart, 1, CHART_DASHED, NULL);
	for (uint32_t i = 0; i < rows->count; i++)
		if (first_of_load(rows, i))
			row = draw_load(html, &chart, rows, rows->rows[i].raw, row);
	chart_draw_end(&chart);
	chart_finding(page, finding);
}

/* -- the table: all figures, raw first -- */

static void sum_row(struct page *page, const char *load, const char *fs, const struct report_step *step,
		    const struct fs_row *row)
{
	char number[PAGE_NUMBER];

	for (uint32_t i = 0; i < step->load_count; i++)
		for (int op = 0; op < IO_OPS; op++) {
			const struct report_op *figures = &step->loads[i].op[op];
			const struct report_latency *latency =
				report_natural(&step->loads[i], (enum io_op)op);

			if (!figures->used)
				continue;
			page_row_begin(page);
			page_cell(page, load);
			page_cell(page, fs);
			page_cell(page, html_direction(page, (enum io_op)op));
			page_number(page, page_count_text(figures->iops, number));
			page_number(page, page_rate_text(figures->bytes_per_second, number));
			html_latency(page, latency->n ? latency->mean_ns : NAN);
			html_percentile(page, report_latency_at(latency, 99));
			html_percentile(page, report_latency_at(latency, 99.9));
			html_latency(page, latency->n ? (double)latency->max_ns : NAN);
			if (!row)
				page_number(page, "1");
			else if (isfinite(row->low))
				page_number_format(page, "%.3g (%.3g\xe2\x80\x93%.3g)", row->ratio, row->low,
						   row->high);
			else
				page_number_format(page, "%.3g", row->ratio);
			page_row_end(page);
		}
}

static void table(struct html *html, const struct fs_rows *rows)
{
	static const char *const names[] = { "load", "file system", "direction", "IOPS", "MB/s",
					     "mean", "p99",	    "p99.9",	 "max",	 "IOPS / raw" };
	struct page *page = html->page;

	chart_table_begin(page);
	page_table_begin(page, names, 10, 3);
	for (uint32_t i = 0; i < rows->count; i++) {
		const char *load = load_name(html, rows->rows[i].raw);

		if (!first_of_load(rows, i))
			continue;
		sum_row(page, load, say(page, "raw drive"), rows->rows[i].raw, NULL);
		for (uint32_t k = 0; k < rows->count; k++)
			if (rows->rows[k].raw == rows->rows[i].raw)
				sum_row(page, load, rows->rows[k].name, rows->rows[k].made, &rows->rows[k]);
	}
	page_table_end(page);
	chart_table_end(page);
}

void html_file_systems(struct html *html)
{
	struct fs_rows *rows = arena_alloc(&html->arena, sizeof(*rows));
	const char *finding = "";

	if (!rows)
		return;
	*rows = (struct fs_rows){ 0 };
	rows_read(html, rows);
	if (!rows->count)
		return;
	for (uint32_t i = 0; i < html->model->finding_count && !finding[0]; i++)
		if (strcmp(word(html->model->findings[i].kind), "file_system") == 0)
			finding = page_told(html->page, word(html->model->findings[i].text),
					    html->model->findings[i].said_json);
	html_section(html, "File systems");
	draw(html, rows, finding);
	table(html, rows);
	chart_close(html->page);
}
