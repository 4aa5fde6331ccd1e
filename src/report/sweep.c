#include "report/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int value_order(const void *a, const void *b)
{
	return report_value_compare(*(const struct report_value *const *)a,
				    *(const struct report_value *const *)b);
}

static bool values_hold(const struct key_values *list, const struct report_value *value)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (report_value_compare(list->values[i], value) == 0)
			return true;
	return false;
}

struct key_values key_values_of(const struct html_family *family, const char *key)
{
	struct key_values list = { .key = key };

	for (uint32_t i = 0; i < family->cell_count && list.count < SWEEP_VALUES_MAX; i++) {
		const struct report_value *value = report_cell_value(&family->cells[i], key);

		if (value && !values_hold(&list, value))
			list.values[list.count++] = value;
	}
	qsort(list.values, list.count, sizeof(*list.values), value_order);
	return list;
}

/* -- the axis of a key -- */

bool key_values_numeric(const struct key_values *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (!list->values[i]->numeric)
			return false;
	return true;
}

struct chart_axis key_axis(const struct key_values *list)
{
	double low = list->values[0]->number, high = list->values[list->count - 1]->number;
	struct chart_axis axis = { .title = list->key,
				   .unit = strcmp(list->key, "bs") == 0 ? UNIT_BYTES : UNIT_NUMBER };

	if (!key_values_numeric(list)) {
		axis.categories = true;
		axis.scale = (struct scale){ SCALE_LINEAR, -0.5, list->count - 0.5 };
	} else if (low > 0 && high / low >= 8) {
		axis.scale = (struct scale){ SCALE_LOG2, low, high };
	} else {
		axis.scale = (struct scale){ SCALE_LINEAR, fmin(low, 0), high };
	}
	return axis;
}

double key_place(const struct key_values *list, const struct chart_axis *axis, uint32_t index)
{
	return axis->categories ? index : list->values[index]->number;
}

void key_categories(struct chart *chart, const struct key_values *list)
{
	for (uint32_t i = 0; chart->x.categories && i < list->count; i++)
		chart_category(chart, i, list->values[i]->text);
}

/* -- figures -- */

static const struct {
	const char *name;
	double percent;		/* 0: not a percentile */
} figures[FIGURES] = {
	[FIGURE_IOPS] = { "IOPS", 0 },	      [FIGURE_RATE] = { "MB/s", 0 },
	[FIGURE_MEAN] = { "mean", 0 },	      [FIGURE_DEVIATION] = { "standard deviation", 0 },
	[FIGURE_P50] = { "p50", 50 },	      [FIGURE_P90] = { "p90", 90 },
	[FIGURE_P99] = { "p99", 99 },	      [FIGURE_P999] = { "p99.9", 99.9 },
	[FIGURE_P9999] = { "p99.99", 99.99 }, [FIGURE_P99999] = { "p99.999", 99.999 },
	[FIGURE_MAX] = { "max", 0 },	      [FIGURE_CPU] = { "CPUs that the workers used", 0 },
};

static double cpu_ns_of(const struct load_record *load)
{
	json_t *facts = load->facts_json ? json_loads(load->facts_json, JSON_REJECT_DUPLICATES, NULL) : NULL;
	double sum = 0;
	size_t index;
	json_t *worker;

	json_array_foreach(json_object_get(facts, "workers"), index, worker)
		sum += json_number_value(json_object_get(worker, "cpu_user_ns")) +
		       json_number_value(json_object_get(worker, "cpu_system_ns"));
	json_decref(facts);
	return sum;
}

/* Of whole steps; NaN where nobody counted: on simulated drives, in imported runs. */
static double cpus_of(const struct report_cell *cell)
{
	double cpu_ns = 0, length_ns = 0;

	for (uint32_t i = 0; i < cell->load_count; i++)
		cpu_ns += cpu_ns_of(cell->loads[i].load->record);
	for (uint32_t i = 0; i < cell->count; i++)
		length_ns += (double)cell->steps[i]->record->duration_ns;
	return cpu_ns > 0 && length_ns > 0 ? cpu_ns / length_ns : NAN;
}

double sweep_figure_of(const struct report_cell *cell, int op, enum sweep_figure figure)
{
	const struct cell_op *what = &cell->op[op];
	const struct report_percentile *percentile;

	if (!what->used)
		return NAN;
	switch (figure) {
	case FIGURE_IOPS: return what->iops;
	case FIGURE_RATE: return what->rate;
	case FIGURE_MEAN: return what->latency.mean_ns;
	case FIGURE_DEVIATION: return what->latency.stddev_ns;
	case FIGURE_CPU: return cpus_of(cell);
	case FIGURE_MAX: return what->latency.n ? (double)what->latency.max_ns : NAN;
	default: break;
	}
	percentile = report_latency_at(&what->latency, figures[figure].percent);
	return percentile->grade == REPORT_REFUSED ? NAN : (double)percentile->value_ns;
}

double sweep_figure_needs(const struct report_cell *cell, int op, enum sweep_figure figure)
{
	const struct report_percentile *percentile;

	if (!cell->op[op].used || !(figures[figure].percent > 0))
		return 0;
	percentile = report_latency_at(&cell->op[op].latency, figures[figure].percent);
	return percentile->grade == REPORT_REFUSED ? (double)percentile->needs : 0;
}

const char *sweep_figure_name(struct page *page, enum sweep_figure figure)
{
	return say(page, figures[figure].name);
}

const char *sweep_figure_text(enum sweep_figure figure, double value, char buffer[PAGE_NUMBER])
{
	if (figure == FIGURE_IOPS)
		return page_count_text(value, buffer);
	if (figure == FIGURE_RATE)
		return page_count_text(value / 1e6, buffer);
	if (figure == FIGURE_CPU) {
		snprintf(buffer, PAGE_NUMBER, isfinite(value) ? "%.2f" : "n/a", value);
		return buffer;
	}
	return page_latency_text(value, buffer);
}

const char *sweep_figure_words(enum sweep_figure figure, double value, char buffer[PAGE_NUMBER])
{
	if (figure == FIGURE_RATE)
		return page_rate_text(value, buffer);
	sweep_figure_text(figure, value, buffer);
	return figure == FIGURE_IOPS && isfinite(value) ? strcat(buffer, "\xe2\x80\xaf" "IOPS") : buffer;
}

bool sweep_uses(const struct html_family *family, int op)
{
	for (uint32_t i = 0; i < family->cell_count; i++)
		if (family->cells[i].op[op].used)
			return true;
	return false;
}

bool sweep_mixes(const struct html_family *family)
{
	for (uint32_t i = 0; i < family->cell_count; i++)
		if (family->cells[i].op[IO_READ].used && family->cells[i].op[IO_WRITE].used)
			return true;
	return false;
}

bool sweep_tells(const struct html_family *family, int op)
{
	return op == CELL_ALL ? sweep_mixes(family) : sweep_uses(family, op);
}

const char *sweep_direction(struct page *page, int op)
{
	return op == CELL_ALL ? say(page, "read and write") : html_direction(page, (enum io_op)op);
}

const struct report_cell *sweep_cell(const struct html_family *family, const char *key,
				     const struct report_value *value)
{
	for (uint32_t i = 0; i < family->cell_count; i++)
		if (report_value_compare(report_cell_value(&family->cells[i], key), value) == 0)
			return &family->cells[i];
	return NULL;
}

void sweep_bar(struct chart *chart, uint32_t series, enum sweep_figure figure, double value, double low,
	       double high, uint32_t category, double slot, uint32_t slots)
{
	double width = 0.76 / slots, from = category - 0.38 + width * slot, to = from + width * 0.9;
	char number[PAGE_NUMBER];

	if (isnan(value))
		return;
	chart_bar(chart, series, from, to, value, NULL);
	if (high > low)
		chart_error(chart, (from + to) / 2, low, high);
	chart_number(chart, (from + to) / 2, fmax(value, high),
		     figure == FIGURE_IOPS ? page_short_text(value, number)
					   : sweep_figure_text(figure, value, number));
}
