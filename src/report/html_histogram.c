/* html_histogram: how many I/Os took how long: bars over the latency of the steps that procedures measure for
 * it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/chart.h"
#include "report/html.h"

#define BINS_PER_OCTAVE 4u
#define BINS_MAX 180u
#define HISTOGRAMS_MAX 8u	/* three steps, read and write each, and room */

struct bars {
	double low;			/* of the first bar; each is 2^(1/BINS_PER_OCTAVE) wide */
	uint32_t count;
	double ios[BINS_MAX];
	double n;
};

static double bar_from(const struct bars *bars, uint32_t bar)
{
	return bars->low * exp2((double)bar / BINS_PER_OCTAVE);
}

static void bars_fill(struct bars *bars, const struct histogram *histogram)
{
	double octave =
		floor(log2(fmax((double)histogram->moments.min_ns, 1)) * BINS_PER_OCTAVE) / BINS_PER_OCTAVE;

	bars->low = exp2(octave);
	bars->n = (double)histogram->moments.n;
	for (uint32_t i = 0; i < HISTOGRAM_SLOTS; i++) {
		double at = log2(fmax((double)histogram_slot_low(i, HISTOGRAM_BITS), 1)) - octave;
		uint32_t bar = at > 0 ? (uint32_t)(at * BINS_PER_OCTAVE) : 0;

		if (!histogram->slot[i])
			continue;
		bar = bar < BINS_MAX ? bar : BINS_MAX - 1;
		bars->ios[bar] += (double)histogram->slot[i];
		bars->count = bar + 1 > bars->count ? bar + 1 : bars->count;
	}
}

static void table(struct page *page, const struct bars *bars)
{
	static const char *const names[] = { "from", "to", "I/Os", "share" };
	char from[PAGE_NUMBER], to[PAGE_NUMBER], number[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, names, 4, 0);
	for (uint32_t i = 0; i < bars->count; i++) {
		if (!(bars->ios[i] > 0))
			continue;
		page_row_begin(page);
		page_number(page, page_latency_text(bar_from(bars, i), from));
		page_number(page, page_latency_text(bar_from(bars, i + 1), to));
		page_number(page, page_count_text(bars->ios[i], number));
		page_number_format(page, "%.4g %%", 100 * bars->ios[i] / bars->n);
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

static void finding(struct page *page, const struct report_latency *latency)
{
	const struct report_percentile *tail = report_latency_at(latency, 99.999);
	char mean[PAGE_NUMBER], max[PAGE_NUMBER], value[PAGE_NUMBER], low[PAGE_NUMBER], high[PAGE_NUMBER];

	page_raw(page, "<figcaption>");
	page_format(page, say(page, "Mean %s, longest %s"), page_latency_text(latency->mean_ns, mean),
		    page_latency_text((double)latency->max_ns, max));
	if (tail->grade != REPORT_REFUSED && tail->bounded)
		page_format(page, say(page, "; 99.999 %% within %s (95 %% interval %s to %s)."),
			    page_latency_text((double)tail->value_ns, value),
			    page_latency_text((double)tail->low_ns, low),
			    page_latency_text((double)tail->high_ns, high));
	else
		page_format(page, say(page, "; for 99.999 %% it takes %s more I/Os."),
			    page_count_text((double)tail->needs, value));
	page_raw(page, "</figcaption>\n");
}

static double highest_of(const struct bars *bars)
{
	double highest = 1;

	for (uint32_t i = 0; i < bars->count; i++)
		highest = fmax(highest, bars->ios[i]);
	return highest;
}

static void draw(struct html *html, const struct report_cell *cell, enum io_op op, const struct bars *bars)
{
	struct page *page = html->page;
	struct chart chart = {
		.x = { .scale = { SCALE_LOG10, bar_from(bars, 0), bar_from(bars, bars->count) },
		       .unit = UNIT_LATENCY,
		       .title = say(page, "latency (log)") },
		.y = { .scale = { SCALE_LOG10, 0.8, pow(10, ceil(log10(highest_of(bars) * 1.0001))) },
		       .unit = UNIT_COUNT,
		       .title = say(page, "I/Os (log)") },
	};
	char title[256];

	snprintf(title, sizeof(title), "%s \xc2\xb7 %s %s \xc2\xb7 %s", say(page, "Latency histogram"),
		 cell->family->name, cell->last->point, html_direction(page, op));
	chart_begin(&chart, page, CHART_WIDE, title,
		    say(page, "A bar per quarter of a doubling of latency; both axes are logarithmic."));
	for (uint32_t i = 0; i < bars->count; i++)
		if (bars->ios[i] > 0)
			chart_bar(&chart, (uint32_t)op, bar_from(bars, i), bar_from(bars, i + 1),
				  bars->ios[i], NULL);
	chart_draw_end(&chart);
	finding(page, &cell->op[op].latency);
	table(page, bars);
	chart_close(page);
}

/* SNIA's tests call the step for it so; every I/O of it counts. */
static bool wanted(const struct html *html, const struct html_family *family)
{
	return strncmp(word(html->model->run->plan_report), "pts-", 4) == 0 &&
	       strncmp(family->family->name, "latency", 7) == 0;
}

void html_histograms(struct html *html)
{
	struct histogram *histogram = malloc(sizeof(*histogram));
	struct bars *bars = malloc(sizeof(*bars));
	uint32_t drawn = 0;

	for (uint32_t i = 0; histogram && bars && i < html->family_count && drawn < HISTOGRAMS_MAX; i++)
		for (int op = 0; op <= IO_WRITE && wanted(html, &html->families[i]); op++) {
			const struct report_cell *cell = &html->families[i].cells[0];

			if (!cell->op[op].latency.n)
				continue;
			counted_histogram(cell->loads, cell->load_count, op, histogram);
			*bars = (struct bars){ 0 };
			bars_fill(bars, histogram);
			draw(html, cell, (enum io_op)op, bars);
			drawn++;
		}
	free(histogram);
	free(bars);
}
