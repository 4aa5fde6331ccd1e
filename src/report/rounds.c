#include "report/rounds.h"

#include <math.h>
#include <stdio.h>

static double latency_figure(const struct report_step *step, const struct round_view *view)
{
	double sum = 0, n = 0, max = 0;

	for (uint32_t i = 0; i < step->load_count; i++)
		for (int op = 0; op < IO_OPS; op++) {
			const struct report_latency *latency =
				report_natural(&step->loads[i], (enum io_op)op);

			if ((view->op != op && view->op != CELL_ALL) || !latency->n)
				continue;
			sum += latency->mean_ns * (double)latency->n;
			n += (double)latency->n;
			max = fmax(max, (double)latency->max_ns);
		}
	return n > 0 ? view->figure == ROUND_MEAN ? sum / n : max : NAN;
}

/* NaN: nothing of that kind. */
static double figure_of(const struct report_step *step, const struct round_view *view)
{
	double sum = 0;
	bool used = false;

	if (view->figure == ROUND_MEAN || view->figure == ROUND_MAX)
		return latency_figure(step, view);
	for (uint32_t i = 0; i < step->load_count; i++)
		for (int op = 0; op < IO_OPS; op++) {
			const struct report_op *what = &step->loads[i].op[op];

			if ((view->op != op && view->op != CELL_ALL) || !what->used || isnan(what->iops))
				continue;
			sum += view->figure == ROUND_RATE ? what->bytes_per_second : what->iops;
			used = true;
		}
	return used ? sum : NAN;
}

uint32_t round_values(const struct report_family *family, uint32_t point, const struct round_view *view,
		      double *x, double *y)
{
	uint32_t rounds = family->rounds < ROUNDS_MAX ? family->rounds : ROUNDS_MAX;

	for (uint32_t i = 0; i < rounds; i++) {
		x[i] = i + 1;
		y[i] = NAN;
	}
	for (uint32_t i = 0; i < family->step_count; i++) {
		const struct step_record *record = family->steps[i]->record;

		if (record->point == point && record->round < rounds)
			y[record->round] = figure_of(family->steps[i], view);
	}
	while (rounds && isnan(y[rounds - 1]))
		rounds--;
	return rounds;
}

double rounds_highest(const struct report_family *family, const struct round_view *view)
{
	double highest = 0;

	for (uint32_t i = 0; i < family->step_count; i++)
		highest = fmax(highest, figure_of(family->steps[i], view));
	return highest;
}

const char *round_text(const struct round_view *view, double value, char text[PAGE_NUMBER])
{
	if (view->figure == ROUND_IOPS)
		return page_count_text(value, text);
	return view->figure == ROUND_RATE ? page_rate_text(value, text) : page_latency_text(value, text);
}

/* So many significant digits and no exponent. */
static void digits_text(double value, int significant, const char *unit, char text[PAGE_NUMBER])
{
	double decimals = value == 0 ? 0 : significant - 1 - floor(log10(fabs(value)));

	snprintf(text, PAGE_NUMBER, "%s%.*f%s", value < 0 ? "\xe2\x88\x92" : "", (int)fmin(fmax(decimals, 0), 20),
		 fabs(value), unit);
}

const char *round_exact_text(const struct round_view *view, double value, char text[PAGE_NUMBER])
{
	static const struct {
		double unit;
		const char *name;
	} units[] = {
		[ROUND_IOPS] = { 1, "" },
		[ROUND_RATE] = { 1e6, "\xe2\x80\xafMB/s" },
		[ROUND_MEAN] = { 1e3, "\xe2\x80\xaf\xc2\xb5s" },
		[ROUND_MAX] = { 1e3, "\xe2\x80\xaf\xc2\xb5s" },
	};

	digits_text(value / units[view->figure].unit, 6, units[view->figure].name, text);
	return text;
}

const char *round_share_text(double share, char text[PAGE_NUMBER])
{
	digits_text(100 * share, 4, "\xe2\x80\xaf%", text);
	return text;
}

bool rounds_have(const struct report_family *family, uint32_t point, const struct round_view *view)
{
	double x[ROUNDS_MAX], y[ROUNDS_MAX];

	return round_values(family, point, view, x, y) > 0;
}

struct chart_axis round_axis(struct page *page, const struct round_view *view, double highest)
{
	static const struct {
		const char *title;
		enum scale_unit unit;
	} axes[] = {
		[ROUND_IOPS] = { "I/Os per second", UNIT_COUNT },
		[ROUND_RATE] = { "throughput", UNIT_RATE },
		[ROUND_MEAN] = { "mean latency", UNIT_LATENCY },
		[ROUND_MAX] = { "longest latency", UNIT_LATENCY },
	};

	return (struct chart_axis){ .scale = { SCALE_LINEAR, 0, scale_round_up(highest, 6) },
				    .unit = axes[view->figure].unit,
				    .title = say(page, axes[view->figure].title) };
}
