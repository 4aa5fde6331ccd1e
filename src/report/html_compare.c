#include "report/html_compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/chart.h"
#include "report/comparison.h"

#define RANKINGS_MAX 6u		/* points that are drawn; the table below has all */
#define SHIFTS_MAX 3u
#define SHIFT_RESAMPLES 500u
#define NEAR 1.03		/* differences below are the same: analyze/ratio.h */

/* One side in the chart of one point. */
struct place {
	uint32_t side;
	struct comparison_sample sample;
	const struct comparison_line *line;	/* NULL: the reference */
};

struct ranking {
	const struct comparison *comparison;
	const struct report_step *step;
	enum io_op op;
	enum comparison_figure figure;
	uint32_t count;
	struct place places[COMPARISON_SIDES_MAX];	/* best first */
};

/* -- places -- */

static int place_order(const void *a, const void *b)
{
	double left = ((const struct place *)a)->sample.value,
	       right = ((const struct place *)b)->sample.value;

	return (left > right) - (left < right);
}

static void sort_places(struct ranking *ranking)
{
	qsort(ranking->places, ranking->count, sizeof(*ranking->places), place_order);
	if (ranking->figure != COMPARE_IOPS)
		return;
	for (uint32_t i = 0; i < ranking->count / 2; i++) {
		struct place swap = ranking->places[i];

		ranking->places[i] = ranking->places[ranking->count - 1 - i];
		ranking->places[ranking->count - 1 - i] = swap;
	}
}

/* `first`: the line of the first other side; those of the other sides of that point and figure follow. */
static void ranking_fill(struct ranking *ranking, uint32_t first)
{
	const struct comparison *comparison = ranking->comparison;
	const struct comparison_line *line = &comparison->lines[first];

	ranking->step = line->step;
	ranking->op = line->op;
	ranking->figure = line->figure;
	ranking->places[ranking->count++] = (struct place){ 0, line->reference, NULL };
	for (uint32_t i = first; i < comparison->line_count; i++) {
		const struct comparison_line *other = &comparison->lines[i];

		if (other->step != line->step || other->op != line->op || other->figure != line->figure)
			break;
		ranking->places[ranking->count++] = (struct place){ other->side, other->other, other };
	}
	sort_places(ranking);
}

static const char *figure_text(const struct ranking *ranking, double value, char text[PAGE_NUMBER])
{
	if (ranking->figure != COMPARE_IOPS)
		return page_latency_text(value, text);
	page_count_text(value, text);
	return isfinite(value) ? strcat(text, "\xe2\x80\xaf" "IOPS") : text;
}

static const char *side_name(const struct ranking *ranking, uint32_t place)
{
	return ranking->comparison->sides[ranking->places[place].side].name;
}

/* -- verdicts -- */

static const char *verdict_words(struct page *page, const struct place *place)
{
	static const char *const words[] = { "? can't tell", "\xe2\x89\x88 same", "\xe2\x96\xb2 faster",
					     "\xe2\x96\xbc slower" };

	if (!place->line)
		return say(page, "reference");
	return say(page, words[place->line->ratio.verdict]);
}

static double low_of(const struct comparison_sample *sample)
{
	return isfinite(sample->low) ? sample->low : sample->value / NEAR;
}

static double high_of(const struct comparison_sample *sample)
{
	return isfinite(sample->high) ? sample->high : sample->value * NEAR;
}

static bool alike(const struct comparison_sample *a, const struct comparison_sample *b)
{
	double ratio = a->value / b->value;

	return (low_of(a) <= high_of(b) && low_of(b) <= high_of(a)) || (ratio < NEAR && ratio > 1 / NEAR);
}

/* A bracket from each place to the last one that is like it, unless an earlier bracket holds both. */
static void brackets(struct chart *chart, const struct ranking *ranking)
{
	uint32_t reached = 0;

	for (uint32_t i = 0; i < ranking->count; i++) {
		uint32_t last = i;

		while (last + 1 < ranking->count &&
		       alike(&ranking->places[i].sample, &ranking->places[last + 1].sample))
			last++;
		if (last > i && (last > reached || !i))
			chart_bracket(chart, i, last);
		reached = last > reached ? last : reached;
	}
}

/* -- a ranking: dots from zero -- */

static double highest_of(const struct ranking *ranking)
{
	double highest = 0;

	for (uint32_t i = 0; i < ranking->count; i++)
		highest = fmax(highest,
			       fmax(ranking->places[i].sample.value, high_of(&ranking->places[i].sample)));
	return highest;
}

static void ranking_rows(struct page *page, struct chart *chart, const struct ranking *ranking)
{
	char number[PAGE_NUMBER], words[PAGE_NUMBER + 64];

	for (uint32_t i = 0; i < ranking->count; i++) {
		const struct place *place = &ranking->places[i];

		snprintf(words, sizeof(words), "%s  %s", figure_text(ranking, place->sample.value, number),
			 verdict_words(page, place));
		chart_row(chart, i, place->side, side_name(ranking, i), words, place->sample.value,
			  place->sample.low, place->sample.high);
	}
	brackets(chart, ranking);
}

static uint32_t fewest_runs(const struct ranking *ranking)
{
	uint32_t fewest = UINT32_MAX;

	for (uint32_t i = 0; i < ranking->count; i++)
		fewest = ranking->places[i].sample.count < fewest ? ranking->places[i].sample.count : fewest;
	return fewest;
}

/* Names of the places that can't be told apart from that one, joined by ", ". */
static void names_alike(const struct ranking *ranking, uint32_t place, struct text *text)
{
	for (uint32_t i = 0; i < ranking->count; i++)
		if (alike(&ranking->places[i].sample, &ranking->places[place].sample))
			text_printf(text, "%s%s", text->bytes ? ", " : "", side_name(ranking, i));
}

static void ranking_ends(struct page *page, const struct ranking *ranking)
{
	char best[PAGE_NUMBER], worst[PAGE_NUMBER];
	uint32_t last = ranking->count - 1;
	struct text first_names = { 0 }, last_names = { 0 };

	figure_text(ranking, ranking->places[0].sample.value, best);
	figure_text(ranking, ranking->places[last].sample.value, worst);
	names_alike(ranking, 0, &first_names);
	names_alike(ranking, last, &last_names);
	if (alike(&ranking->places[0].sample, &ranking->places[last].sample))
		page_format(page, say(page, "None can be told apart from the others: %s to %s. "), worst,
			    best);
	else
		page_format(page, say(page, "Best: %s with %s; last: %s with %s. "), text_data(&first_names),
			    best, text_data(&last_names), worst);
	text_release(&first_names);
	text_release(&last_names);
}

static void ranking_finding(struct page *page, const struct ranking *ranking)
{
	page_raw(page, "<figcaption>");
	ranking_ends(page, ranking);
	if (fewest_runs(ranking) < RATIO_RUNS_MIN)
		page_format(page, say(page, "A verdict takes %u runs of each; here the fewest are %u."),
			    RATIO_RUNS_MIN, fewest_runs(ranking));
	else
		page_format(page, say(page, "Verdicts at 95 %% against %s, all of them together (Holm)."),
			    ranking->comparison->sides[0].name);
	page_raw(page, "</figcaption>\n");
}

static void ratio_cells(struct page *page, const struct place *place)
{
	const struct ratio *ratio = place->line ? &place->line->ratio : NULL;

	if (ratio && isfinite(ratio->low))
		page_number_format(page, "%.3f (%.3f \xe2\x80\x93 %.3f)", ratio->ratio, ratio->low,
				   ratio->high);
	else if (ratio)
		page_number_format(page, "%.3f", ratio->ratio);
	else
		page_number(page, "1");
	page_cell(page, verdict_words(page, place));
}

static void ranking_table(struct page *page, const struct ranking *ranking)
{
	static const char *const names[] = { "drive", "runs", "median", "from", "to", "ratio", "verdict" };
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, names, 7, 1);
	for (uint32_t i = 0; i < ranking->count; i++) {
		const struct comparison_sample *sample = &ranking->places[i].sample;

		page_row_begin(page);
		page_cell(page, side_name(ranking, i));
		page_number_format(page, "%u", sample->count);
		page_number(page, figure_text(ranking, sample->value, number));
		page_number(page, figure_text(ranking, sample->low, number));
		page_number(page, figure_text(ranking, sample->high, number));
		ratio_cells(page, &ranking->places[i]);
		page_row_end(page);
	}
	page_table_end(page);
	page_paragraph(page, "note",
		       say(page, "From and to: lowest and highest of several runs; of a single one the 95 % "
				 "interval of its mean. "
				 "Brackets join what overlaps or differs by 3 % at most."));
	chart_table_end(page);
}

static void ranking_title(struct page *page, const struct ranking *ranking, char title[256])
{
	const struct report_step *step = ranking->step;

	snprintf(title, 256, "%s%s%s \xc2\xb7 %s \xc2\xb7 %s", word(step->record->name),
		 step->point[0] ? " " : "", step->point, html_direction(page, ranking->op),
		 ranking->figure == COMPARE_IOPS ? say(page, "I/Os per second") : "p99.9");
}

static void ranking_chart(struct page *page, const struct ranking *ranking)
{
	bool iops = ranking->figure == COMPARE_IOPS;
	struct chart chart = {
		.rows = ranking->count,
		.x = { .scale = { SCALE_LINEAR, 0, scale_round_up(highest_of(ranking), 4) },
		       .unit = iops ? UNIT_COUNT : UNIT_LATENCY,
		       .title = say(page, iops ? "I/Os per second" : "latency") },
		.y = { .scale = { SCALE_LINEAR, 0, ranking->count },
		       .categories = true,
		       .title = say(page, "best first") },
	};
	char title[256];

	ranking_title(page, ranking, title);
	chart_begin(&chart, page, CHART_ROWS, title,
		    say(page,
			"A line per drive from zero to its figure, with the interval; the best is on top."));
	ranking_rows(page, &chart, ranking);
	chart_draw_end(&chart);
	ranking_finding(page, ranking);
	ranking_table(page, ranking);
	chart_close(page);
}

static void rankings(struct page *page, const struct comparison *comparison)
{
	uint32_t drawn = 0, before = UINT32_MAX;

	page_raw(page, "<div class=\"grid\">\n");
	for (uint32_t i = 0; i < comparison->line_count && drawn < 2 * RANKINGS_MAX; i++) {
		const struct comparison_line *line = &comparison->lines[i];
		const struct comparison_line *last = before == UINT32_MAX ? NULL : &comparison->lines[before];
		struct ranking ranking = { .comparison = comparison };

		if ((line->figure != COMPARE_IOPS && line->figure != COMPARE_P999) ||
		    (last && last->step == line->step && last->op == line->op &&
		     last->figure == line->figure))
			continue;
		ranking_fill(&ranking, i);
		ranking_chart(page, &ranking);
		before = i;
		drawn++;
	}
	page_raw(page, "</div>\n");
}

/* -- shifts -- */

struct shifts {
	const struct report_step *step;
	enum io_op op;
	uint32_t count;
	struct comparison_shift shifts[CHART_SERIES_MAX];
};

static void shifts_range(const struct shifts *shifts, struct chart_axis *axis)
{
	double low = 0.8, high = 1.25;

	for (uint32_t i = 0; i < shifts->count; i++)
		for (uint32_t k = 0; k < SHIFT_POINTS; k++) {
			const struct bootstrap_figure *ratio = &shifts->shifts[i].ratio[k];

			low = fmin(low, fmin(ratio->value, ratio->low));
			high = fmax(high, fmax(ratio->value, ratio->high));
		}
	axis->scale = (struct scale){ SCALE_LOG10, low * 0.9, high * 1.1 };
}

static void shift_line(const struct comparison *comparison, struct chart *chart,
		       const struct comparison_shift *shift)
{
	double x[SHIFT_POINTS], y[SHIFT_POINTS];

	for (uint32_t i = 0; i < SHIFT_POINTS; i++) {
		const struct bootstrap_figure *ratio = &shift->ratio[i];

		x[i] = shift_percentiles[i] / 100;
		y[i] = ratio->value;
		if (ratio->high > ratio->low)
			chart_whisker(chart, shift->side, x[i], ratio->low, ratio->high);
	}
	chart_line(chart, shift->side, x, y, SHIFT_POINTS, comparison->sides[shift->side].name);
	chart_marks(chart, shift->side, x, y, SHIFT_POINTS);
}

/* Does it differ in these runs, by more than what is the same? */
static bool differs(const struct bootstrap_figure *ratio)
{
	return (ratio->low > 1 && ratio->value > 1 + RATIO_MARGIN) ||
	       (ratio->high < 1 && ratio->value < 1 / (1 + RATIO_MARGIN));
}

/* The largest difference of all; NULL: none. */
static const struct comparison_shift *widest(const struct shifts *shifts, uint32_t *ret_at)
{
	const struct comparison_shift *most = NULL;

	*ret_at = 0;
	for (uint32_t i = 0; i < shifts->count; i++)
		for (uint32_t k = 0; k < SHIFT_POINTS; k++) {
			const struct bootstrap_figure *ratio = &shifts->shifts[i].ratio[k];

			if (!differs(ratio) ||
			    (most && fabs(log(ratio->value)) <= fabs(log(most->ratio[*ret_at].value))))
				continue;
			most = &shifts->shifts[i];
			*ret_at = k;
		}
	return most;
}

/* Measurements of the side that has fewer. */
static uint32_t fewest_of(const struct comparison *comparison, const struct comparison_shift *shift)
{
	for (uint32_t i = 0; i < comparison->line_count; i++) {
		const struct comparison_line *line = &comparison->lines[i];

		if (line->step == shift->step && line->op == shift->op && line->side == shift->side)
			return line->reference.count < line->other.count ? line->reference.count : line->other.count;
	}
	return 0;
}

/* Pieces of time within few runs say how these runs differ, not yet how the drives do. */
static void shifts_finding(struct page *page, const struct comparison *comparison,
			   const struct shifts *shifts)
{
	uint32_t at;
	const struct comparison_shift *most = widest(shifts, &at);
	bool few = most && fewest_of(comparison, most) < RATIO_RUNS_MIN;

	page_raw(page, "<figcaption>");
	if (most)
		page_format(page,
			    few ? say(page, "The widest difference of these runs is at p%.6g: %s takes %.3g (%.3g to "
					    "%.3g) times as long as %s. ")
				: say(page, "The widest certain difference is at p%.6g: %s takes %.3g (%.3g to "
					    "%.3g) times as long as %s."),
			    shift_percentiles[at], comparison->sides[most->side].name, most->ratio[at].value,
			    most->ratio[at].low, most->ratio[at].high, comparison->sides[0].name);
	else
		page_text(page, say(page, "No percentile differs with certainty."));
	if (few)
		page_format(page, say(page, "A verdict takes %u runs of each; here the fewest are %u."),
			    RATIO_RUNS_MIN, fewest_of(comparison, most));
	page_raw(page, "</figcaption>\n");
}

static void shifts_table(struct page *page, const struct comparison *comparison, const struct shifts *shifts)
{
	static const char *const names[] = { "drive", "percentile", "ratio", "from", "to" };

	chart_table_begin(page);
	page_table_begin(page, names, 5, 1);
	for (uint32_t i = 0; i < shifts->count; i++)
		for (uint32_t k = 0; k < SHIFT_POINTS; k++) {
			const struct bootstrap_figure *ratio = &shifts->shifts[i].ratio[k];
			const double cells[] = { ratio->value, ratio->low, ratio->high };

			page_row_begin(page);
			page_cell(page, comparison->sides[shifts->shifts[i].side].name);
			page_number_format(page, "%.6g %%", shift_percentiles[k]);
			for (int c = 0; c < 3; c++)
				if (isfinite(cells[c]))
					page_number_format(page, "%.3g", cells[c]);
				else
					page_number(page, "n/a");
			page_row_end(page);
		}
	page_table_end(page);
	page_paragraph(page, "note",
		       say(page, "Intervals of 95 % from a bootstrap that draws runs, then pieces of time in "
				 "them; n/a: the "
				 "I/Os, taken for as many as they are worth, don't carry that percentile."));
	chart_table_end(page);
}

static void shifts_chart(struct page *page, const struct comparison *comparison, const struct shifts *shifts)
{
	struct chart chart = {
		.x = { .scale = { SCALE_NINES, 0.4, 0.9999 },
		       .unit = UNIT_SHARE,
		       .title = say(page, "percentile") },
		.y = { .unit = UNIT_NUMBER,
		       .title = say(page, "latency, as a multiple of the reference (log)") },
	};
	char title[256];

	snprintf(title, sizeof(title), "%s%s%s \xc2\xb7 %s \xc2\xb7 %s", word(shifts->step->record->name),
		 shifts->step->point[0] ? " " : "", shifts->step->point, html_direction(page, shifts->op),
		 say(page, "latency against the reference"));
	shifts_range(shifts, &chart.y);
	chart_begin(&chart, page, CHART_WIDE, title,
		    say(page, "A line per drive: its percentiles divided by those of the reference; above 1 "
			      "is slower."));
	chart_rule_y(&chart, 1, CHART_PLAIN, comparison->sides[0].name);
	for (uint32_t i = 0; i < shifts->count; i++)
		shift_line(comparison, &chart, &shifts->shifts[i]);
	chart_draw_end(&chart);
	shifts_finding(page, comparison, shifts);
	shifts_table(page, comparison, shifts);
	chart_close(page);
}

static int shift_charts(struct page *page, const struct comparison *comparison)
{
	struct shifts shifts = { 0 };
	uint32_t drawn = 0;
	int error = 0;

	for (uint32_t i = 0; i < comparison->line_count && drawn < SHIFTS_MAX && !error; i++) {
		const struct comparison_line *line = &comparison->lines[i];

		if (line->figure != COMPARE_MEAN || (shifts.step == line->step && shifts.op == line->op))
			continue;
		shifts = (struct shifts){ .step = line->step, .op = line->op };
		error = comparison_shifts(comparison, line->step, line->op, SHIFT_RESAMPLES, CHART_SERIES_MAX,
					  shifts.shifts, &shifts.count);
		if (error || !shifts.count)
			continue;
		shifts_chart(page, comparison, &shifts);
		drawn++;
	}
	return error;
}

/* A side of one run is called as everywhere else on the page. */
static void sides_rename(struct comparison *comparison, const char *const *names)
{
	for (uint32_t i = 0; i < comparison->side_count; i++)
		if (comparison->sides[i].run_count == 1)
			comparison->sides[i].name = names[comparison->sides[i].runs[0]];
}

int html_compare(struct page *page, struct html *runs, const char *const *names, uint32_t count)
{
	struct report_model **models = malloc(count * sizeof(*models));
	struct comparison comparison;
	int error;

	if (!models || count > COMPARISON_SIDES_MAX) {
		free(models);
		return models ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; i < count; i++)
		models[i] = runs[i].model;
	error = comparison_init(&comparison, models, names, count);
	if (!error) {
		sides_rename(&comparison, names);
		if (comparison.line_count)
			rankings(page, &comparison);
		error = shift_charts(page, &comparison);
		comparison_release(&comparison);
	}
	free(models);
	return error;
}
