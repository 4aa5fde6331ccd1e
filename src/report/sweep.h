/* sweep: a section of the plan that was repeated over keys: their values, and the figures of its points. */
#pragma once
#include "report/chart.h"
#include "report/html.h"

#define SWEEP_VALUES_MAX 64u		/* of one key that are drawn */

/* The distinct values of one key, sorted. */
struct key_values {
	const char *key;
	uint32_t count;
	const struct report_value *values[SWEEP_VALUES_MAX];
};

struct key_values key_values_of(const struct html_family *family, const char *key);
bool key_values_numeric(const struct key_values *list);
/* The axis of a key: logarithmic when its numbers are far apart, categories when they are words. */
struct chart_axis key_axis(const struct key_values *list);
double key_place(const struct key_values *list, const struct chart_axis *axis, uint32_t index);
void key_categories(struct chart *chart, const struct key_values *list);

enum sweep_figure {
	FIGURE_IOPS,
	FIGURE_RATE,
	FIGURE_MEAN,
	FIGURE_DEVIATION,
	FIGURE_P50,
	FIGURE_P90,
	FIGURE_P99,
	FIGURE_P999,
	FIGURE_P9999,
	FIGURE_P99999,
	FIGURE_MAX,
	FIGURE_CPU,		/* CPUs that the workers kept busy */
	FIGURES
};

/* Of a direction, or of CELL_ALL; NaN: not measured, or too few I/Os. Bytes per second and ns. */
double sweep_figure_of(const struct report_cell *cell, int op, enum sweep_figure figure);
/* I/Os more that a percentile takes which is not told; 0: it is, or is none. */
double sweep_figure_needs(const struct report_cell *cell, int op, enum sweep_figure figure);
/* Translated; "MB/s" for FIGURE_RATE. */
const char *sweep_figure_name(struct page *page, enum sweep_figure figure);
/* As the cells of a table show it, and with its unit. Both return buffer. */
const char *sweep_figure_text(enum sweep_figure figure, double value, char buffer[PAGE_NUMBER]);
const char *sweep_figure_words(enum sweep_figure figure, double value, char buffer[PAGE_NUMBER]);

bool sweep_uses(const struct html_family *family, int op);
/* Reads and writes at the same time somewhere: then their sum is a figure too. */
bool sweep_mixes(const struct html_family *family);
/* Directions to go through: `op` itself, or with mixes CELL_ALL; false when there is nothing. */
bool sweep_tells(const struct html_family *family, int op);
/* "read", or of CELL_ALL "read and write". */
const char *sweep_direction(struct page *page, int op);
const struct report_cell *sweep_cell(const struct html_family *family, const char *key,
				     const struct report_value *value);

/* A bar of category `category` that has `slots`, with its number and, where they differ, its range; half a
 * slot centres. */
void sweep_bar(struct chart *chart, uint32_t series, enum sweep_figure figure, double value, double low,
	       double high, uint32_t category, double slot, uint32_t slots);

/* Sections of two keys: a chart and tables of each direction. */
void html_matrix(struct html *html, const struct html_family *family);
