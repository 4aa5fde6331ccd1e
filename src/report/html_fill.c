#include "report/html_fill.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/chart.h"
#include "store/json_reader.h"

#define BINS 200u
#define INTERVALS_MIN 20u
#define RANDOM_LEAST 0.4	/* of the capacity: random writes below don't show garbage collection */
#define TABLE_ROWS 20u

/* Equal amounts of data. Rates are bytes per second, or of random writes I/Os per second. */
struct bins {
	bool iops;
	uint32_t count;
	double x[BINS];			/* bytes written at the middle of the bin */
	double rate[BINS];		/* the true average of the bin: amount / time */
	double low[BINS], high[BINS];	/* 5th and 95th percentile of its intervals */
	double total, capacity;
};

static const char *rw_of(const struct report_step *step)
{
	const struct report_value *rw = report_values_find(&step->values, "rw");

	return rw ? rw->text : "";
}

static bool writes_sequentially(const struct report_step *step)
{
	return strcmp(word(step->record->kind), "fill") == 0 || strcmp(rw_of(step), "write") == 0;
}

/* -- binning -- */

static double bytes_of(const struct series *series, uint32_t interval)
{
	double rate = series->op[IO_WRITE].rate[interval];

	return isnan(rate) ? 0 : rate * series->duration_ns[interval] / 1e9;
}

static double amount_of(const struct bins *bins, const struct series *series, uint32_t interval)
{
	double iops = series->op[IO_WRITE].iops[interval];

	if (!bins->iops)
		return bytes_of(series, interval);
	return isnan(iops) ? 0 : iops * series->duration_ns[interval] / 1e9;
}

static int number_order(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;

	return (first > second) - (first < second);
}

/* The rates of intervals first .. last: sorted into `rates`; returns how many. */
static uint32_t rates_sorted(const struct bins *bins, const struct series *series, uint32_t first,
			     uint32_t last, double *rates)
{
	const double *column = bins->iops ? series->op[IO_WRITE].iops : series->op[IO_WRITE].rate;
	uint32_t count = 0;

	for (uint32_t i = first; i <= last; i++)
		if (series->duration_ns[i] > 0 && !isnan(column[i]))
			rates[count++] = column[i];
	qsort(rates, count, sizeof(*rates), number_order);
	return count;
}

static void bin_close(struct bins *bins, const struct series *series, uint32_t first, uint32_t last,
		      double written, double *rates)
{
	double bytes = 0, amount = 0, seconds = 0;
	uint32_t count, at = bins->count;

	for (uint32_t i = first; i <= last; i++) {
		bytes += bytes_of(series, i);
		amount += amount_of(bins, series, i);
		seconds += series->duration_ns[i] / 1e9;
	}
	if (!(seconds > 0))
		return;
	bins->count++;
	count = rates_sorted(bins, series, first, last, rates);
	bins->x[at] = written + bytes / 2;
	bins->rate[at] = amount / seconds;
	bins->low[at] = count ? rates[(uint32_t)(0.05 * (count - 1))] : NAN;
	bins->high[at] = count ? rates[(uint32_t)ceil(0.95 * (count - 1))] : NAN;
}

static void bins_fill(struct bins *bins, const struct series *series)
{
	double *rates = malloc((series->count + 1) * sizeof(*rates)), width, bytes = 0, written = 0;
	uint32_t first = 0;

	for (uint32_t i = 0; i < series->count; i++)
		bins->total += bytes_of(series, i);
	width = bins->total / BINS;
	for (uint32_t i = 0; rates && i < series->count && bins->count < BINS; i++) {
		bytes += bytes_of(series, i);
		if (bytes < width && i + 1 < series->count)
			continue;
		bin_close(bins, series, first, i, written, rates);
		written += bytes;
		bytes = 0;
		first = i + 1;
	}
	free(rates);
}

static const char *figure_text(const struct bins *bins, double value, char text[PAGE_NUMBER])
{
	if (!bins->iops)
		return page_rate_text(value, text);
	page_count_text(value, text);
	return isfinite(value) ? strcat(text, "\xe2\x80\xaf" "IOPS") : text;
}

/* -- stages, as the run's finding has them -- */

static json_t *stages_of(const struct html *html, const struct report_step *step)
{
	for (uint32_t i = 0; i < html->model->finding_count; i++) {
		const struct finding_record *finding = &html->model->findings[i];
		json_t *data, *stages;

		if (strcmp(word(finding->kind), "write_stages") || finding->step_id != step->record->id ||
		    !finding->data_json)
			continue;
		data = json_loads(finding->data_json, JSON_REJECT_DUPLICATES, NULL);
		stages = json_incref(json_object_get(data, "stages"));
		json_decref(data);
		return stages;
	}
	return NULL;
}

/* A shade for the interval of the place where the stage begins, and what the stage likely is. */
static void stage_mark(struct html *html, struct chart *chart, const json_t *stage, bool first)
{
	double from = json_real_in(stage, "from_bytes"), low = json_real_in(stage, "from_low_bytes");
	double high = json_real_in(stage, "from_high_bytes");
	const char *likely = json_string_value(json_object_get(stage, "likely"));
	const char *label = likely ? arena_printf(&html->arena, say(html->page, "likely %s"),
						    say(html->page, likely)) : NULL;

	if (!isfinite(from))
		return;
	if (!first && high > low)
		chart_shade(chart, low, high, NULL);
	chart_rule_x(chart, from, first ? CHART_PLAIN : CHART_DASHED, label);
}

static void stage_table(struct page *page, const json_t *stages, double capacity)
{
	static const char *const names[] = { "from", "to",  "begins between", "share of capacity", "MB/s",
					     "p5",   "p95", "likely" };
	char number[PAGE_NUMBER], other[PAGE_NUMBER];

	page_table_begin(page, names, 8, 0);
	for (size_t i = 0; i < json_array_size(stages); i++) {
		const json_t *stage = json_array_get(stages, i);
		double from = json_real_in(stage, "from_bytes"), to = json_real_in(stage, "to_bytes");

		page_row_begin(page);
		page_number_format(page, "%s GB", page_count_text(from / 1e9, number));
		page_number_format(page, "%s GB", page_count_text(to / 1e9, number));
		page_number_format(page, "%s \xe2\x80\x93 %s GB",
				   page_count_text(json_real_in(stage, "from_low_bytes") / 1e9, number),
				   page_count_text(json_real_in(stage, "from_high_bytes") / 1e9, other));
		page_number_format(page, "%.0f %%", capacity > 0 ? 100 * (to - from) / capacity : 0);
		page_number(page, page_count_text(json_real_in(stage, "bytes_per_second") / 1e6, number));
		page_number(page, page_count_text(json_real_in(stage, "bytes_per_second_p5") / 1e6, number));
		page_number(page, page_count_text(json_real_in(stage, "bytes_per_second_p95") / 1e6, number));
		page_cell(page, word(json_string_value(json_object_get(stage, "likely"))));
		page_row_end(page);
	}
	page_table_end(page);
}

/* -- the chart -- */

static void finding(struct page *page, const struct bins *bins)
{
	uint32_t tenth = bins->count / 10 + 1;
	double first = 0, last = 0;
	char total[PAGE_NUMBER], begin[PAGE_NUMBER], end[PAGE_NUMBER];

	for (uint32_t i = 0; i < tenth; i++) {
		first += bins->rate[i] / tenth;
		last += bins->rate[bins->count - 1 - i] / tenth;
	}
	page_raw(page, "<figcaption>");
	page_format(page, say(page, "%s GB written; %s over the first tenth, %s over the last."),
		    page_count_text(bins->total / 1e9, total), figure_text(bins, first, begin),
		    figure_text(bins, last, end));
	page_raw(page, "</figcaption>\n");
}

/* The bin that holds so many bytes. */
static uint32_t bin_at(const struct bins *bins, double bytes)
{
	uint32_t at = 0;

	while (at + 1 < bins->count && (bins->x[at] + bins->x[at + 1]) / 2 < bytes)
		at++;
	return at;
}

/* At twentieths of what was written: of a drive written twice over, every tenth of its capacity. */
static void table(struct page *page, const struct bins *bins, const json_t *stages)
{
	const char *names[] = { "GB written", "share of capacity", bins->iops ? "IOPS" : "MB/s", "p5",
				"p95" };
	double unit = bins->iops ? 1 : 1e6;
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	if (json_array_size(stages) > 0)
		stage_table(page, stages, bins->capacity);
	page_table_begin(page, names, 5, 0);
	for (uint32_t i = 0; i <= TABLE_ROWS; i++) {
		double bytes = bins->total * i / TABLE_ROWS;
		uint32_t at = bin_at(bins, bytes);

		page_row_begin(page);
		page_number(page, page_count_text(bytes / 1e9, number));
		page_number_format(page, "%.0f %%", bins->capacity > 0 ? 100 * bytes / bins->capacity : 0);
		page_number(page, page_count_text(bins->rate[at] / unit, number));
		page_number(page, page_count_text(bins->low[at] / unit, number));
		page_number(page, page_count_text(bins->high[at] / unit, number));
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

static void capacity_axis(struct chart *chart, const struct bins *bins)
{
	double step, end = bins->capacity > 0 ? bins->total / bins->capacity : 0;
	char label[32];

	if (!(end > 0))
		return;
	step = scale_step(end / 5);
	for (double at = step; at <= end * 1.0001; at += step) {
		if (end < 10)
			snprintf(label, sizeof(label), "%.4g %%", 100 * at);
		else
			snprintf(label, sizeof(label), "%.6g\xc3\x97", at);
		chart_tick_top(chart, at * bins->capacity, label);
	}
	chart_top_title(chart, say(chart->page, "of the capacity"));
}

static void draw(struct html *html, const struct bins *bins, const struct report_step *step,
		 const json_t *stages)
{
	struct page *page = html->page;
	struct chart chart = {
		.x = { .scale = { SCALE_LINEAR, 0, bins->total },
		       .unit = UNIT_CAPACITY,
		       .title = say(page, "data written") },
		.y = { .unit = bins->iops ? UNIT_COUNT : UNIT_RATE,
		       .title = say(page, bins->iops ? "I/Os per second" : "throughput") },
	};
	double highest = 0;
	char title[256];

	for (uint32_t i = 0; i < bins->count; i++)
		highest = fmax(highest, fmax(bins->rate[i], bins->high[i]));
	chart.y.scale = (struct scale){ SCALE_LINEAR, 0, scale_round_up(highest, 6) };
	chart.solid = true;
	snprintf(title, sizeof(title), "%s \xc2\xb7 %s",
		 say(page, bins->iops ? "IOPS against data written" : "Throughput against data written"),
		 step->label);
	chart_begin(&chart, page, CHART_WIDE, title,
		    say(page, "Averages over equal amounts of data, from zero, and the range that holds 90 % "
			      "of the intervals; "
			      "dashed: where the speed changed."));
	capacity_axis(&chart, bins);
	for (size_t i = 0; json_array_size(stages) > 1 && i < json_array_size(stages); i++)
		stage_mark(html, &chart, json_array_get(stages, i), i == 0);
	chart_band(&chart, IO_WRITE, bins->x, bins->low, bins->high, bins->count);
	chart_line(&chart, IO_WRITE, bins->x, bins->rate, bins->count, html_direction(page, IO_WRITE));
	chart_draw_end(&chart);
	finding(page, bins);
	table(page, bins, stages);
	chart_close(page);
}

void html_fill(struct html *html, const struct report_step *step, const struct series *series)
{
	const struct drive_record *drive = step->load_count ? step->loads[0].drive : NULL;
	struct bins bins = { .iops = !writes_sequentially(step),
			     .capacity = drive ? (double)drive->capacity_bytes : 0 };
	json_t *stages;

	if (!series->op[IO_WRITE].used || series->count < INTERVALS_MIN ||
	    (bins.iops && strcmp(rw_of(step), "randwrite")))
		return;
	bins_fill(&bins, series);
	if (bins.count < 10 ||
	    (bins.iops && !(bins.total >= RANDOM_LEAST * bins.capacity && bins.capacity > 0)))
		return;
	stages = stages_of(html, step);
	draw(html, &bins, step, stages);
	json_decref(stages);
}
