/* html_strip: how the I/Os per second of a long step's intervals are distributed: two humps are two states. */
#include "report/html_strip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "report/chart.h"

#define BINS 60u

struct strip {
	uint32_t count;
	double *iops;			/* rising */
	double high;			/* end of the axis */
	double share[BINS];
};

static int number_order(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;

	return (first > second) - (first < second);
}

static bool strip_fill(struct strip *strip, const struct series *series)
{
	strip->iops = malloc((series->count + 1) * sizeof(*strip->iops));
	for (uint32_t i = 0; strip->iops && i < series->count; i++)
		if (!isnan(series->iops[i]) && series->duration_ns[i] > 0)
			strip->iops[strip->count++] = series->iops[i];
	if (!strip->count)
		return false;
	qsort(strip->iops, strip->count, sizeof(*strip->iops), number_order);
	strip->high = scale_round_up(strip->iops[strip->count - 1], 8);
	for (uint32_t i = 0; i < strip->count; i++) {
		uint32_t bin = (uint32_t)(strip->iops[i] / strip->high * BINS);

		strip->share[bin < BINS ? bin : BINS - 1] += 1.0 / strip->count;
	}
	return true;
}

static double at_share(const struct strip *strip, double share)
{
	uint32_t rank = (uint32_t)ceil(share * strip->count);

	return strip->iops[rank ? rank - 1 : 0];
}

static void finding(struct page *page, const struct strip *strip)
{
	char low[PAGE_NUMBER], high[PAGE_NUMBER], least[PAGE_NUMBER];

	page_raw(page, "<figcaption>");
	page_format(page, say(page, "Half of the intervals lie between %s and %s IOPS; the slowest twentieth is at or below %s."),
		    page_count_text(at_share(strip, 0.25), low), page_count_text(at_share(strip, 0.75), high),
		    page_count_text(at_share(strip, 0.05), least));
	page_raw(page, "</figcaption>\n");
}

static void table(struct page *page, const struct strip *strip)
{
	static const double shares[] = { 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99 };
	static const char *const names[] = { "share of intervals", "IOPS" };
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, names, 2, 0);
	for (uint32_t i = 0; i < sizeof(shares) / sizeof(*shares); i++) {
		page_row_begin(page);
		page_number_format(page, "%.0f %%", 100 * shares[i]);
		page_number(page, page_count_text(at_share(strip, shares[i]), number));
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

void html_strip(struct html *html, const struct series *series, const char *title)
{
	struct page *page = html->page;
	struct strip strip = { 0 };
	struct chart chart = { .x = { .unit = UNIT_COUNT, .title = say(page, "I/Os per second") },
			       .y = { .unit = UNIT_SHARE, .title = say(page, "share of intervals") } };
	double highest = 0;

	if (strip_fill(&strip, series)) {
		for (uint32_t i = 0; i < BINS; i++)
			highest = fmax(highest, strip.share[i]);
		chart.x.scale = (struct scale){ SCALE_LINEAR, 0, strip.high };
		chart.y.scale = (struct scale){ SCALE_LINEAR, 0, scale_round_up(highest, 3) };
		chart_begin(&chart, page, CHART_LOW, title,
			    say(page, "How many of the intervals ran at each rate; two humps are two states."));
		for (uint32_t i = 0; i < BINS; i++)
			if (strip.share[i] > 0)
				chart_bar(&chart, 0, strip.high * i / BINS, strip.high * (i + 0.9) / BINS,
					  strip.share[i], NULL);
		chart_draw_end(&chart);
		finding(page, &strip);
		table(page, &strip);
		chart_close(page);
	}
	free(strip.iops);
}
