/* stretch: what charts against time are about: some steps in a row, or a part of one, and which figure. */
#pragma once
#include "report/chart.h"
#include "report/html.h"

#define LONG_INTERVALS 120u	/* a step with so many gets charts of its own */

struct stretch {
	struct html *html;		/* borrowed */
	uint32_t first, count;		/* steps of the model */
	const struct report_step *steps;
	const struct series *series;
	double origin_ns;		/* where the time axis begins, since the run's start */
	double from_ns, to_ns;		/* the part drawn, since the origin */
	bool rate;			/* bytes per second, else I/Os */
};

/* Means are weighted by time; NaN where nothing was measured. */
struct stretch_figures {
	double lowest, highest, mean, deviation;
};

/* All of `count` steps from `first` on; count > 0. */
struct stretch stretch_of(struct html *html, uint32_t first, uint32_t count);
/* A stretch of one step that is long enough for charts of its own. */
bool stretch_is_long(const struct stretch *stretch);
/* One block size throughout: I/Os and bytes are the same curve, and one chart tells both. */
bool stretch_one_size(const struct stretch *stretch);

/* Of a direction, or with IO_OPS of all together. */
struct stretch_figures stretch_figures_of(const struct stretch *stretch, int op);
const char *stretch_figure_text(const struct stretch *stretch, double value, char buffer[PAGE_NUMBER]);
struct chart_axis stretch_time_axis(const struct stretch *stretch);
struct chart_axis stretch_figure_axis(const struct stretch *stretch, double low, double high);
/* Dots and a line of means per direction, or a line where there are few intervals. */
void stretch_draw(struct chart *chart, const struct stretch *stretch);
/* The same of all directions together; stretch_draw() adds it for a step with several. */
void stretch_draw_sum(struct chart *chart, const struct stretch *stretch);
bool stretch_is_mixed(const struct stretch *stretch);
/* At most two dozen rows: means over equal parts of the time. */
void stretch_table(const struct stretch *stretch);
/* The button that opens this chart for zooming, and the data it needs (each step's once on the page). */
void stretch_explore(const struct stretch *stretch);
