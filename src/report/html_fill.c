#include "report/html_fill.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/chart.h"

#define BINS 200u

struct bins {
	uint32_t count;
	double x[BINS];		/* bytes written at the middle of the bin */
	double rate[BINS];	/* bytes per second, the true average of the bin */
	double total;
};

static bool writes_sequentially(const struct report_step *step)
{
	const struct report_value *rw = report_values_find(&step->values, "rw");

	return strcmp(word(step->record->kind), "fill") == 0 || (rw && strcmp(rw->text, "write") == 0);
}

static double bytes_of(const struct series *series, uint32_t interval)
{
	double rate = series->op[IO_WRITE].rate[interval];

	return isnan(rate) ? 0 : rate * series->duration_ns[interval] / 1e9;
}

/* Equal amounts of data; bytes over the time that they took. */
static void bins_fill(struct bins *bins, const struct series *series)
{
	double width, bytes = 0, seconds = 0, written = 0;

	for (uint32_t i = 0; i < series->count; i++)
		bins->total += bytes_of(series, i);
	width = bins->total / BINS;
	for (uint32_t i = 0; i < series->count && bins->count < BINS; i++) {
		bytes += bytes_of(series, i);
		seconds += series->duration_ns[i] / 1e9;
		if (bytes < width && i + 1 < series->count)
			continue;
		bins->x[bins->count] = written + bytes / 2;
		bins->rate[bins->count++] = seconds > 0 ? bytes / seconds : NAN;
		written += bytes;
		bytes = seconds = 0;
	}
}

static void finding(struct html *html, const struct bins *bins, const struct report_step *step)
{
	struct page *page = html->page;
	uint32_t tenth = bins->count / 10 + 1;
	double first = 0, last = 0;
	char total[PAGE_NUMBER], begin[PAGE_NUMBER], end[PAGE_NUMBER];

	for (uint32_t i = 0; i < tenth; i++) {
		first += bins->rate[i] / tenth;
		last += bins->rate[bins->count - 1 - i] / tenth;
	}
	page_raw(page, "<figcaption>");
	page_format(page, say(page, "%s GB written; %s over the first tenth, %s over the last."),
		    page_count_text(bins->total / 1e9, total), page_rate_text(first, begin),
		    page_rate_text(last, end));
	page_raw(page, "</figcaption>\n");
}

static void table(struct html *html, const struct bins *bins)
{
	static const char *const names[] = { "GB written", "MB/s" };
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, names, 2, 0);
	for (uint32_t i = 0; i < bins->count; i += bins->count / 20 + 1) {
		page_row_begin(page);
		page_number(page, page_count_text(bins->x[i] / 1e9, number));
		page_number(page, page_count_text(bins->rate[i] / 1e6, number));
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

void html_fill(struct html *html, const struct report_step *step, const struct series *series)
{
	struct bins bins = { 0 };
	struct chart chart = {
		.x = { .unit = UNIT_CAPACITY, .title = say(html->page, "data written") },
		.y = { .unit = UNIT_RATE, .title = say(html->page, "throughput") },
	};
	double highest = 0;
	char title[256];

	if (!series->op[IO_WRITE].used || !writes_sequentially(step) || series->count < 20)
		return;
	bins_fill(&bins, series);
	if (bins.count < 10)
		return;
	for (uint32_t i = 0; i < bins.count; i++)
		highest = fmax(highest, bins.rate[i]);
	chart.x.scale = (struct scale){ SCALE_LINEAR, 0, bins.total };
	chart.y.scale = (struct scale){ SCALE_LINEAR, 0, scale_round_up(highest, 6) };
	snprintf(title, sizeof(title), "%s \xc2\xb7 %s", say(html->page, "Throughput against data written"),
		 step->label);
	chart_begin(&chart, html->page, CHART_WIDE, title,
		    say(html->page, "Averages over equal amounts of data, from zero."));
	chart_line(&chart, IO_WRITE, bins.x, bins.rate, bins.count, html_direction(html->page, IO_WRITE));
	chart_draw_end(&chart);
	finding(html, &bins, step);
	table(html, &bins);
	chart_close(html->page);
}
