/* chart: one figure of the report: title, drawing (SVG), one-sentence finding, and the table behind it.
 *
 * The drawing is static: it needs no script, prints, and takes its colours from the page's style sheet
 * (classes s0 .. s7), so that light, dark and paper work. It stretches with the page while its letters keep
 * their size: the plot is the content box of the <svg> (padding holds the axes' letters), places are
 * percentages of it, and paths are drawn in a stretched box of 1000 x 1000 units. Series have colour, dash
 * and a label at their end, so that colour is never the only difference. Coordinates given to these functions
 * are those of the axes; what lies outside is clamped. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "report/crowd.h"
#include "report/page.h"
#include "report/raster.h"
#include "report/scale.h"

#define CHART_SERIES_MAX 8
#define CHART_BOX 1000.0	/* units of the plot in either direction */

struct chart_axis {
	struct scale scale;		/* kind, low and high by the caller; places by chart_begin */
	enum scale_unit unit;
	const char *title;		/* what and in which unit; translated by the caller */
	bool categories;		/* no ticks: chart_category() names them */
};

struct chart_name {
	double place;			/* 0 .. CHART_BOX from the top */
	uint32_t series;
	bool dot;			/* marks or bars, not a line */
	char text[96];
};

/* CHART_STRIP: as high as a wide one, and narrow: beside one. CHART_ROWS: half a page wide, as high as its
 * rows need. */
enum chart_size { CHART_WIDE, CHART_HALF, CHART_LOW, CHART_STRIP, CHART_ROWS };
enum chart_rule { CHART_PLAIN, CHART_DASHED, CHART_DOTTED };

struct chart {
	struct page *page;
	struct chart_axis x, y;
	enum chart_size size;
	bool solid;			/* lines without dashes: of one series, or in pieces that are shorter than a dash */
	uint32_t rows;			/* of CHART_ROWS; its y axis has categories and goes from 0 to rows, downwards */
	uint32_t label_count;
	struct chart_name labels[CHART_SERIES_MAX];
	struct crowd numbers, categories, rules;
};

/* Opens <figure> and <svg>, draws grid and axes. `description` is read to those who can't see it. */
void chart_begin(struct chart *chart, struct page *page, enum chart_size size, const char *title,
		 const char *description);
/* A line through (x, y), x rising; a NaN y breaks it, and a point alone between breaks is a dot. Many points
 * are reduced to first, lowest, highest and last per column. label NULL = none. */
void chart_line(struct chart *chart, uint32_t series, const double *x, const double *y, uint32_t count,
		const char *label);
/* A dotted line without a label: what goes with a line of the same series. */
void chart_faint(struct chart *chart, uint32_t series, const double *x, const double *y, uint32_t count);
/* A thin grey line without a label: one more than there are series. */
void chart_ghost(struct chart *chart, const double *x, const double *y, uint32_t count);
/* Small, faint, many. */
void chart_dots(struct chart *chart, uint32_t series, const double *x, const double *y, uint32_t count);
/* Few. */
void chart_marks(struct chart *chart, uint32_t series, const double *x, const double *y, uint32_t count);
void chart_band(struct chart *chart, uint32_t series, const double *x, const double *low, const double *high,
		uint32_t count);
void chart_whisker(struct chart *chart, uint32_t series, double x, double low, double high);
/* Labels of these and of shades stand at the upper edge, and are left out where others leave no room. */
void chart_rule_x(struct chart *chart, double x, enum chart_rule rule, const char *label);
void chart_rule_y(struct chart *chart, double y, enum chart_rule rule, const char *label);
void chart_segment(struct chart *chart, double x0, double y0, double x1, double y1, enum chart_rule rule);
void chart_shade(struct chart *chart, double x0, double x1, const char *label);
/* A bar from the lower end of the y axis to y, with its number above it (NULL = none). */
void chart_bar(struct chart *chart, uint32_t series, double x0, double x1, double y, const char *number);
/* A level bar from the lower end of the x axis to x, between two places of the y axis. */
void chart_bar_level(struct chart *chart, uint32_t series, double x, double y0, double y1);
/* Row 0 .. rows - 1 of CHART_ROWS: a name and, to the right, words; below them a line to the value (a dot)
 * with its interval (NaN: none). */
void chart_row(struct chart *chart, uint32_t row, uint32_t series, const char *name, const char *words,
	       double value, double low, double high);
/* Joins rows first .. last at the right edge. */
void chart_bracket(struct chart *chart, uint32_t first, uint32_t last);
/* A second axis along the upper edge: its ticks, and what they are. */
void chart_tick_top(struct chart *chart, double x, const char *label);
void chart_top_title(struct chart *chart, const char *title);
/* A number above a place, left out where others leave no room; a whisker in the colour of the ink, seen on a
 * bar; a label at the end of the plot, for what is not a line (NaN: none). */
void chart_number(struct chart *chart, double x, double y, const char *number);
void chart_error(struct chart *chart, double x, double low, double high);
void chart_label(struct chart *chart, uint32_t series, double y, const char *label);
/* Covers the plot; a failure is remembered in the page's text. */
void chart_raster(struct chart *chart, const struct raster *raster);
void chart_category(struct chart *chart, double x, const char *label);
/* Closes the drawing: labels at the ends, then the legend of narrow screens. Adds entries with chart_key()
 * first. */
void chart_draw_end(struct chart *chart);
void chart_key_begin(struct page *page);
void chart_key(struct page *page, uint32_t series, const char *label, bool dot);
void chart_key_end(struct page *page);
/* The finding, and <details> for the table; closed with chart_close(). */
void chart_finding(struct page *page, const char *finding);
void chart_table_begin(struct page *page);
void chart_table_end(struct page *page);
void chart_close(struct page *page);
