/* html_amplification: how much more went to flash than the host wrote, against how often the drive was
 * written over. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/chart.h"
#include "report/html_telemetry.h"

#define BINS 60u

struct amplification {
	uint32_t count;
	double x[2 * BINS], y[2 * BINS];	/* drive writes; flash / host: two points a step */
	double total_writes, overall, highest;
};

static double capacity_of(const struct html *html, int32_t target)
{
	for (uint32_t i = 0; i < html->model->drive_count; i++)
		if (html->model->drives[i].target == (uint32_t)target)
			return (double)html->model->drives[i].capacity_bytes;
	return 0;
}

static void step_add(struct amplification *waf, double from, double to, double value)
{
	if (waf->count + 2 > 2 * BINS)
		return;
	waf->x[waf->count] = from;
	waf->y[waf->count++] = value;
	waf->x[waf->count] = to;
	waf->y[waf->count++] = value;
	waf->highest = fmax(waf->highest, value);
}

/* Steps of at least a sixtieth of all that was written, in which both counters moved: they count in coarse
 * units. */
static void fill(struct amplification *waf, const struct reading *host, const struct reading *nand,
		 double capacity)
{
	double first = host->value[0], total = host->value[host->count - 1] - first;
	double before = first, nand_first = reading_at(nand, host->t_ns[0]), nand_before = nand_first;

	if (!(total > 0) || isnan(nand_first))
		return;
	for (uint32_t i = 1; i < host->count; i++) {
		double written = host->value[i] - before,
		       flash = reading_at(nand, host->t_ns[i]) - nand_before;

		if (written < total / BINS || !(flash > 0))
			continue;
		step_add(waf, (before - first) / capacity, (host->value[i] - first) / capacity,
			 flash / written);
		before = host->value[i];
		nand_before = reading_at(nand, host->t_ns[i]);
	}
	waf->total_writes = total / capacity;
	waf->overall = (nand->value[nand->count - 1] - nand_first) / total;
}

static void table(struct page *page, const struct amplification *waf)
{
	static const char *const names[] = { "drive writes", "flash / host" };

	chart_table_begin(page);
	page_table_begin(page, names, 2, 0);
	for (uint32_t i = 0; i < waf->count; i += 2 * (waf->count / 40 + 1)) {
		page_row_begin(page);
		page_number_format(page, "%.2f", waf->x[i + 1]);
		page_number_format(page, "%.2f", waf->y[i]);
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

static void draw(struct html *html, const struct amplification *waf)
{
	struct page *page = html->page;
	struct chart chart = {
		.solid = true,
		.x = { .scale = { SCALE_LINEAR, 0, waf->total_writes },
		       .unit = UNIT_NUMBER,
		       .title = say(page, "drive writes") },
		.y = { .scale = { SCALE_LINEAR, 0, scale_round_up(waf->highest, 4) },
		       .unit = UNIT_NUMBER,
		       .title = say(page, "written to flash / by the host") },
	};

	chart_begin(&chart, page, CHART_WIDE, say(page, "Write amplification"),
		    say(page, "What went to flash for each byte of the host, by the drive's own counters, "
			      "step by step."));
	chart_rule_y(&chart, 1, CHART_DOTTED, NULL);
	chart_line(&chart, 4, waf->x, waf->y, waf->count, NULL);
	chart_draw_end(&chart);
	page_raw(page, "<figcaption>");
	page_format(page,
		    say(page, "For each byte of the host %.2f went to flash, over %.2f drive writes; %.2f at "
			      "the end."),
		    waf->overall, waf->total_writes, waf->y[waf->count - 1]);
	page_raw(page, "</figcaption>\n");
	table(page, waf);
	chart_close(page);
}

void html_amplification(struct html *html, const struct readings *readings)
{
	for (uint32_t i = 0; i < html->model->drive_count; i++) {
		int32_t target = (int32_t)html->model->drives[i].target;
		const struct reading *host = readings_find(readings, target, "host_write_bytes");
		const struct reading *nand = readings_find(readings, target, "nand_write_bytes");
		double capacity = capacity_of(html, target);
		struct amplification waf = { 0 };

		if (!host || !nand || !(capacity > 0))
			continue;
		fill(&waf, host, nand, capacity);
		if (waf.count >= 4)
			draw(html, &waf);
	}
}
