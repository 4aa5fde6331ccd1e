/* rounds: what a group that is repeated is followed by, from round to round. */
#pragma once
#include "report/chart.h"
#include "report/html.h"

#define ROUNDS_MAX 256u

enum round_figure { ROUND_IOPS, ROUND_RATE, ROUND_MEAN, ROUND_MAX };

/* Of a direction, or of all together. */
struct round_view {
	enum round_figure figure;
	int op;				/* or CELL_ALL */
};

/* One point in each round: I/Os or bytes per second, or ns; NaN where a round doesn't have it. x counts
 * from 1; both have ROUNDS_MAX places. Returns how many rounds the point has: fewer than others where the
 * group is repeated and took fewer for its value. */
uint32_t round_values(const struct report_family *family, uint32_t point, const struct round_view *view,
		      double *x, double *y);
bool rounds_have(const struct report_family *family, uint32_t point, const struct round_view *view);
/* Of all points and rounds; 0 without any. */
double rounds_highest(const struct report_family *family, const struct round_view *view);
/* With its unit, except I/Os per second. Returns text. */
const char *round_text(const struct round_view *view, double value, char text[PAGE_NUMBER]);
/* Six digits, however small, with its unit (MB/s, µs): what is judged is never rounded away. Returns text.
 */
const char *round_exact_text(const struct round_view *view, double value, char text[PAGE_NUMBER]);
/* "4.582 %" of 0.04582. Returns text. */
const char *round_share_text(double share, char text[PAGE_NUMBER]);
/* From 0. */
struct chart_axis round_axis(struct page *page, const struct round_view *view, double highest);
