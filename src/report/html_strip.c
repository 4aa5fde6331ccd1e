#include "report/html_strip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "report/chart.h"

#define BINS 60u

/* Two humps are two states of the drive. */
struct strip {
	uint32_t count;
	double *iops;			/* rising; or bytes per second */
	double high;			/* end of the axis */
	double share[BINS];
};

static int number_order(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;

	return (first > second) - (first < second);
}

static bool strip_fill(struct strip *strip, const struct series *series, const double *column)
{
	strip->iops = malloc((series->count + 1) * sizeof(*strip->iops));
	for (uint32_t i = 0; strip->iops && i < series->count; i++)
		if (!isnan(column[i]) && series->duration_ns[i] > 0)
			strip->iops[strip->count++] = column[i];
	if (!strip->count)
		return false;
	qsort(strip->iops, strip->count, sizeof(*strip->iops), number_order);
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

static void finding(const struct stretch *stretch, const struct strip *strip)
{
	struct page *page = stretch->html->page;
	char low[PAGE_NUMBER], high[PAGE_NUMBER], least[PAGE_NUMBER];

	page_raw(page, "<figcaption>");
	page_format(page,
		    say(page, "Half of the intervals lie between %s and %s; the slowest twentieth is at or "
			      "below %s."),
		    stretch_figure_text(stretch, at_share(strip, 0.25), low),
		    stretch_figure_text(stretch, at_share(strip, 0.75), high),
		    stretch_figure_text(stretch, at_share(strip, 0.05), least));
	page_raw(page, "</figcaption>\n");
}

static void table(const struct stretch *stretch, const struct strip *strip)
{
	static const double shares[] = { 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99 };
	const char *names[] = { "share of intervals", stretch->rate ? "MB/s" : "IOPS" };
	struct page *page = stretch->html->page;
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, names, 2, 0);
	for (uint32_t i = 0; i < sizeof(shares) / sizeof(*shares); i++) {
		double value = at_share(strip, shares[i]);

		page_row_begin(page);
		page_number_format(page, "%.0f %%", 100 * shares[i]);
		page_number(page, page_count_text(stretch->rate ? value / 1e6 : value, number));
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

static void draw(const struct stretch *stretch, const struct strip *strip, const char *title)
{
	struct page *page = stretch->html->page;
	struct chart chart = { .x = { .unit = UNIT_SHARE, .title = say(page, "share of intervals") },
			       .y = stretch_figure_axis(stretch, 0, strip->high) };
	double highest = 0;

	for (uint32_t i = 0; i < BINS; i++)
		highest = fmax(highest, strip->share[i]);
	chart.x.scale = (struct scale){ SCALE_LINEAR, 0, scale_round_up(highest, 2) };
	chart_begin(&chart, page, CHART_STRIP, title,
		    say(page, "How many of the intervals ran at each rate; two humps are two states."));
	for (uint32_t i = 0; i < BINS; i++)
		if (strip->share[i] > 0)
			chart_bar_level(&chart, 0, strip->share[i], strip->high * i / BINS,
					strip->high * (i + 0.9) / BINS);
	chart_draw_end(&chart);
	finding(stretch, strip);
	table(stretch, strip);
	chart_close(page);
}

bool html_strip(const struct stretch *stretch, double high, const char *title)
{
	const struct series *series = &stretch->series[0];
	struct strip strip = { .high = high };
	bool any = strip_fill(&strip, series, stretch->rate ? series->rate : series->iops);

	if (any)
		draw(stretch, &strip, title);
	free(strip.iops);
	return any;
}
