#include "report/html_demand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool demand_is(const struct matrix *matrix)
{
	return (matrix_reports(matrix->html, "pts-dv") || matrix_reports(matrix->html, "pts-cbw")) &&
	       strcmp(matrix->rows.key, "numjobs") == 0 && strcmp(matrix->columns.key, "iodepth") == 0;
}

static void demand_line(struct chart *chart, const struct matrix *matrix, uint32_t row)
{
	double x[SWEEP_VALUES_MAX], y[SWEEP_VALUES_MAX];
	uint32_t count = 0;

	for (uint32_t i = 0; i < matrix->columns.count; i++) {
		double iops = matrix_figure_at(matrix, row, i, FIGURE_IOPS),
		       mean = matrix_figure_at(matrix, row, i, FIGURE_MEAN);
		uint32_t at = count;

		if (isnan(iops) || isnan(mean))
			continue;
		for (; at && x[at - 1] > iops; at--) {		/* rising in x */
			x[at] = x[at - 1];
			y[at] = y[at - 1];
		}
		x[at] = iops;
		y[at] = mean;
		count++;
	}
	chart_line(chart, row, x, y, count, matrix_row_name(matrix, row));
	chart_marks(chart, row, x, y, count);
}

/* -- what the plan picked: the run told each, and why does not matter here -- */

struct picked {
	const struct finding_record *finding;
	const struct report_cell *cell;
	const char *name;		/* of the arena */
};

static const char *pick_name(struct html *html, const struct finding_record *finding)
{
	json_t *data =
		finding->data_json ? json_loads(finding->data_json, JSON_REJECT_DUPLICATES, NULL) : NULL;
	const char *name = json_string_value(json_object_get(data, "name"));

	name = name ? arena_strdup(&html->arena, name) : NULL;
	json_decref(data);
	return name;
}

/* The next one at or after *at, which is moved behind it; false: there is none. */
static bool picked_next(const struct matrix *matrix, uint32_t *at, struct picked *ret_picked)
{
	const struct report_model *model = matrix->html->model;
	const struct html_family *family = matrix->family;

	for (; *at < model->finding_count; (*at)++) {
		const struct finding_record *finding = &model->findings[*at];

		if (strcmp(word(finding->kind), "picked_point"))
			continue;
		for (uint32_t i = 0; i < family->cell_count; i++)
			if (family->cells[i].last->record->id == finding->step_id) {
				*ret_picked = (struct picked){ finding, &family->cells[i],
							       pick_name(matrix->html, finding) };
				(*at)++;
				return ret_picked->name != NULL;
			}
	}
	return false;
}

void demand_picks(struct chart *chart, const struct matrix *matrix, bool intensity)
{
	struct picked picked;

	for (uint32_t at = 0; picked_next(matrix, &at, &picked);) {
		const struct cell_op *op = &picked.cell->op[matrix->op];
		const struct report_value *depth = report_cell_value(picked.cell, matrix->columns.key);

		if (intensity)
			chart_number(chart, op->iops, op->latency.mean_ns, picked.name);
		else if (depth && depth->numeric)
			chart_number(chart, depth->number, op->iops, picked.name);
	}
}

static bool picks_tell(const struct matrix *matrix)
{
	struct page *page = matrix->html->page;
	struct picked picked;
	bool any = false;

	for (uint32_t at = 0; picked_next(matrix, &at, &picked); any = true) {
		if (any)
			page_raw(page, " ");
		page_text(page, page_told(page, word(picked.finding->text), picked.finding->said_json));
	}
	return any;
}

/* What was picked; else the most I/Os per second whose mean latency stays below 5 ms. */
static void demand_finding(const struct matrix *matrix)
{
	struct page *page = matrix->html->page;
	const struct report_cell *best = NULL;
	char iops[PAGE_NUMBER], mean[PAGE_NUMBER];

	for (uint32_t i = 0; i < matrix->family->cell_count; i++) {
		const struct report_cell *cell = &matrix->family->cells[i];

		if (cell->op[matrix->op].latency.mean_ns < 5e6 &&
		    (!best || cell->op[matrix->op].iops > best->op[matrix->op].iops))
			best = cell;
	}
	page_raw(page, "<figcaption>");
	if (picks_tell(matrix))
		;
	else if (best)
		page_format(page,
			    say(page, "Most I/Os per second with a mean below 5 ms: %s at %s, mean %s."),
			    page_count_text(best->op[matrix->op].iops, iops), best->last->point,
			    page_latency_text(best->op[matrix->op].latency.mean_ns, mean));
	else
		page_text(page, say(page, "No point has a mean latency below 5 ms."));
	page_raw(page, "</figcaption>\n");
}

void demand_chart(const struct matrix *matrix)
{
	struct page *page = matrix->html->page;
	struct chart chart = { .x = { .unit = UNIT_COUNT, .title = say(page, "I/Os per second") },
			       .y = { .unit = UNIT_LATENCY, .title = say(page, "mean latency (log)") } };
	double low, high;
	char title[256];

	matrix_range_of(matrix, FIGURE_IOPS, &low, &high);
	chart.x.scale = (struct scale){ SCALE_LINEAR, 0, scale_round_up(high, 5) };
	matrix_range_of(matrix, FIGURE_MEAN, &low, &high);
	chart.y.scale = (struct scale){ SCALE_LOG10, pow(10, floor(log10(low))),
					pow(10, ceil(log10(high * 1.0001))) };
	snprintf(title, sizeof(title), "%s \xc2\xb7 %s", matrix->family->family->name,
		 say(page, "demand intensity"));
	chart_begin(&chart, page, CHART_HALF, title,
		    say(page, "Mean latency against the rate reached; a line per number of workers."));
	if (chart.y.scale.high > 5e6 && chart.y.scale.low < 5e6)
		chart_rule_y(&chart, 5e6, CHART_DASHED, "5 ms");
	for (uint32_t row = 0; row < matrix->rows.count && row < CHART_SERIES_MAX; row++)
		demand_line(&chart, matrix, row);
	demand_picks(&chart, matrix, true);
	chart_draw_end(&chart);
	demand_finding(matrix);
	matrix_heat_table(matrix, FIGURE_MEAN);
	chart_close(page);
}

