/* html_load: response time against achieved load, for steps whose open-loop rate was swept: flat, bending,
 * rising (the hockey stick). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/chart.h"
#include "report/html.h"

#define POINTS_MAX 64u
#define LINES 3
#define OFFERED_MARKS 12u	/* more are in the table only */

static const double shown[LINES] = { 50, 99, 99.9 };
static const char *const names[LINES] = { "p50", "p99", "p99.9" };

struct load_point {
	const struct report_cell *cell;
	double offered;			/* I/Os per second asked for */
	double reached;
	double ns[LINES];		/* NaN where the sample count doesn't carry it */
};

struct load_curve {
	enum io_op op;
	uint32_t count;
	struct load_point points[POINTS_MAX];
};

static double offered_of(const struct report_step *step)
{
	double offered = 0;

	for (uint32_t i = 0; i < step->load_count; i++)
		offered += step->loads[i].record->rate_asked;
	return offered;
}

static int offered_order(const void *a, const void *b)
{
	double first = ((const struct load_point *)a)->offered,
	       second = ((const struct load_point *)b)->offered;

	return (first > second) - (first < second);
}

static void curve_fill(struct load_curve *curve, const struct html_family *family)
{
	for (uint32_t i = 0; i < family->cell_count && curve->count < POINTS_MAX; i++) {
		const struct report_cell *cell = &family->cells[i];
		struct load_point *point = &curve->points[curve->count];

		if (!cell->open_loop || !cell->op[curve->op].latency.n || !(offered_of(cell->last) > 0))
			continue;
		*point = (struct load_point){ cell, offered_of(cell->last), cell->op[curve->op].iops, { 0 } };
		for (int j = 0; j < LINES; j++) {
			const struct report_percentile *at =
				report_latency_at(&cell->op[curve->op].latency, shown[j]);

			point->ns[j] = at->grade == REPORT_REFUSED ? NAN : fmax((double)at->value_ns, 1);
		}
		curve->count++;
	}
	qsort(curve->points, curve->count, sizeof(*curve->points), offered_order);
}

static void axes(struct chart *chart, const struct load_curve *curve)
{
	double low = INFINITY, high = 0, most = 0;

	for (uint32_t i = 0; i < curve->count; i++) {
		most = fmax(most, curve->points[i].reached);
		for (int j = 0; j < LINES; j++) {
			low = fmin(low, curve->points[i].ns[j]);
			high = fmax(high, curve->points[i].ns[j]);
		}
	}
	chart->x.scale = (struct scale){ SCALE_LINEAR, 0, scale_round_up(most, 6) };
	chart->y.scale = (struct scale){ SCALE_LOG10, pow(10, floor(log10(fmin(low, fmax(high, 1))))),
					 pow(10, ceil(log10(fmax(high, 1) * 1.0001))) };
}

static void lines(struct chart *chart, const struct load_curve *curve)
{
	double x[POINTS_MAX], y[POINTS_MAX];

	for (int j = 0; j < LINES; j++) {
		for (uint32_t i = 0; i < curve->count; i++) {
			x[i] = curve->points[i].reached;
			y[i] = curve->points[i].ns[j];
		}
		chart_line(chart, (uint32_t)j, x, y, curve->count, names[j]);
		chart_marks(chart, (uint32_t)j, x, y, curve->count);
	}
}

/* "10%@max" as "10%" at the upper line, where the plan said it so. */
static void offered_marks(struct html *html, struct chart *chart, const struct load_curve *curve)
{
	for (uint32_t i = 0; i < curve->count && curve->count <= OFFERED_MARKS; i++) {
		const struct load_point *point = &curve->points[i];
		const struct report_value *asked = report_cell_value(point->cell, "arrival");
		const char *at = asked ? strchr(asked->text, '@') : NULL;
		double top = isnan(point->ns[2]) ? point->ns[1] : point->ns[2];
		const char *label =
			at ? arena_strndup(&html->arena, asked->text, (size_t)(at - asked->text)) : NULL;

		if (label && !isnan(top))
			chart_number(chart, point->reached, top, label);
	}
}

/* The highest rate that met a limit, as the run's search found it. */
static void search_rule(struct html *html, struct chart *chart)
{
	const struct report_model *model = html->model;

	for (uint32_t i = 0; i < model->finding_count; i++) {
		const struct finding_record *finding = &model->findings[i];
		json_t *data = finding->data_json && strcmp(word(finding->kind), "search") == 0 ?
			json_loads(finding->data_json, JSON_REJECT_DUPLICATES, NULL) : NULL;
		const char *limit = json_string_value(json_object_get(data, "limit"));
		double rate = json_number_value(json_object_get(data, "value"));

		if (limit && rate > 0 && rate <= chart->x.scale.high)
			chart_rule_x(chart, rate, CHART_DASHED, arena_strdup(&html->arena, limit));
		json_decref(data);
	}
}

/* The first point in that direction whose p99 is known; else the one to begin with. */
static const struct load_point *told_from(const struct load_curve *curve, uint32_t from, int step)
{
	uint32_t at = from;

	while (at < curve->count && isnan(curve->points[at].ns[1]))
		at += (uint32_t)step;
	return &curve->points[at < curve->count ? at : from];
}

static void curve_finding(struct html *html, const struct load_curve *curve)
{
	struct page *page = html->page;
	const struct load_point *first = told_from(curve, 0, 1), *last = told_from(curve, curve->count - 1, -1);
	char low[PAGE_NUMBER], high[PAGE_NUMBER], low_ns[PAGE_NUMBER], high_ns[PAGE_NUMBER];

	page_raw(page, "<figcaption>");
	if (isnan(first->ns[1]))
		page_text(page, say(page, "No percentile is known: the slow I/Os came too unevenly."));
	else if (first == last)
		page_format(page, say(page, "At %s IOPS 99 of 100 answers come within %s."),
			    page_count_text(first->reached, low), page_latency_text(first->ns[1], low_ns));
	else
		page_format(page, say(page, "At %s IOPS 99 of 100 answers come within %s, at %s IOPS within %s."),
			    page_count_text(first->reached, low), page_latency_text(first->ns[1], low_ns),
			    page_count_text(last->reached, high), page_latency_text(last->ns[1], high_ns));
	page_raw(page, "</figcaption>\n");
}

static void curve_table(struct html *html, const struct load_curve *curve)
{
	static const char *const columns[] = { "point", "IOPS asked", "IOPS", "p50", "p99", "p99.9", "max" };
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, columns, 7, 1);
	for (uint32_t i = 0; i < curve->count; i++) {
		const struct load_point *point = &curve->points[i];
		const struct report_latency *latency = &point->cell->op[curve->op].latency;

		page_row_begin(page);
		page_cell(page, point->cell->last->point);
		page_number(page, page_count_text(point->offered, number));
		page_number(page, page_count_text(point->reached, number));
		for (int j = 0; j < LINES; j++)
			html_percentile(page, report_latency_at(latency, shown[j]));
		html_latency(page, (double)latency->max_ns);
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

static void curve_chart(struct html *html, const struct html_family *family, const struct load_curve *curve)
{
	struct page *page = html->page;
	struct chart chart = { .x = { .unit = UNIT_COUNT, .title = say(page, "I/Os per second reached") },
			       .y = { .unit = UNIT_LATENCY, .title = say(page, "response time (log)") } };
	char title[256];

	axes(&chart, curve);
	snprintf(title, sizeof(title), "%s \xc2\xb7 %s \xc2\xb7 %s", family->family->name,
		 html_direction(page, curve->op), say(page, "response time against load"));
	chart_begin(&chart, page, CHART_WIDE, title,
		    say(page, "A line per percentile; each point is one rate that was asked for."));
	search_rule(html, &chart);
	lines(&chart, curve);
	offered_marks(html, &chart, curve);
	chart_draw_end(&chart);
	curve_finding(html, curve);
	curve_table(html, curve);
	chart_close(page);
}

bool html_load_curves(struct html *html, const struct html_family *family)
{
	struct load_curve *curve = malloc(sizeof(*curve));
	bool drawn = false;

	for (int op = 0; curve && op < IO_OPS; op++) {
		*curve = (struct load_curve){ .op = op };
		curve_fill(curve, family);
		if (curve->count < 3 || !(curve->points[curve->count - 1].offered > curve->points[0].offered))
			continue;
		curve_chart(html, family, curve);
		drawn = true;
	}
	free(curve);
	return drawn;
}
