/* `compare`: what a comparison says, as text or as one JSON document. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"
#include "report/comparison.h"
#include "report/differences.h"
#include "report/history.h"
#include "report/json_writer.h"
#include "report/report.h"
#include "report/text_table.h"

struct compare {
	struct comparison comparison;
	/* a run with several drives has one for each */
	struct report_model *models[COMPARISON_SIDES_MAX];
	const char *names[COMPARISON_SIDES_MAX];		/* the model's run file */
	uint32_t model_count;
	int difference_count;
	struct difference differences[DIFFERENCES];	/* their lists are the comparison's arena's */
	int change_count;
	struct history_change changes[HISTORY_CHANGES_MAX];
	uint32_t shift_count;
	struct comparison_shift *shifts;	/* owned */
};

static const char *side_name(const struct compare *compare, uint32_t side)
{
	return compare->comparison.sides[side].name;
}

/* -- as text -- */

/* "faster", or with too few runs what the ranges suggest. */
static const char *verdict_text(const struct comparison_line *line, char text[64])
{
	uint32_t least =
		line->reference.count < line->other.count ? line->reference.count : line->other.count;
	bool better = (line->ratio.ratio > 1) == (line->figure == COMPARE_IOPS);

	if (line->ratio.verdict != RATIO_CANNOT_TELL)
		return ratio_verdict_name(line->ratio.verdict);
	if (line->ratio.indicative)
		snprintf(text, 64, "can't tell (%u run%s; indicative: %s)", least, least == 1 ? "" : "s",
			 better ? "faster" : "slower");
	else if (least < RATIO_RUNS_MIN)
		snprintf(text, 64, "can't tell (too few runs: %u of %u)", least, RATIO_RUNS_MIN);
	else if (line->ratio.needs_runs)
		snprintf(text, 64, "can't tell (needs about %u runs)", line->ratio.needs_runs);
	else
		snprintf(text, 64, "can't tell");
	return text;
}

static const char *value_text(enum comparison_figure figure, double value, char text[UNITS_TEXT])
{
	if (figure != COMPARE_IOPS)
		return duration_format((uint64_t)value, text);
	snprintf(text, UNITS_TEXT, "%.0f", value);
	return text;
}

static enum text_style verdict_style(const struct comparison_line *line)
{
	switch (line->ratio.verdict) {
	case RATIO_FASTER:
		return TEXT_GOOD;
	case RATIO_SLOWER:
		return TEXT_BAD;
	default:
		return TEXT_PLAIN;
	}
}

static void row_names(struct text_table *table, const struct compare *compare, uint32_t side,
		      const struct report_step *step, enum io_op op)
{
	text_table_row(table);
	text_table_set(table, 0, TEXT_PLAIN, side_name(compare, side));
	text_table_set(table, 1, TEXT_PLAIN, word(step->record->name));
	text_table_set(table, 2, TEXT_PLAIN, step->point);
	text_table_set(table, 3, TEXT_PLAIN, io_op_name(op));
}

static void line_row(struct text_table *table, const struct compare *compare,
		     const struct comparison_line *line)
{
	char a[UNITS_TEXT], b[UNITS_TEXT], factor[64], verdict[64];

	if (isfinite(line->ratio.low))
		snprintf(factor, sizeof(factor), "%.3f (%.3f to %.3f)", line->ratio.ratio, line->ratio.low,
			 line->ratio.high);
	else
		snprintf(factor, sizeof(factor), "%.3f", line->ratio.ratio);
	row_names(table, compare, line->side, line->step, line->op);
	text_table_set(table, 4, TEXT_PLAIN, comparison_figure_name[line->figure]);
	text_table_set(table, 5, TEXT_PLAIN, value_text(line->figure, line->reference.value, a));
	text_table_set(table, 6, TEXT_PLAIN, value_text(line->figure, line->other.value, b));
	text_table_set(table, 7, TEXT_PLAIN, factor);
	text_table_set(table, 8, verdict_style(line), verdict_text(line, verdict));
}

static void table_heads(struct text_table *table, const char *const *heads, uint32_t count, bool color)
{
	*table = (struct text_table){ .column_count = count, .color = color };
	table->elastic[0] = table->elastic[2] = true;
	text_table_row(table);
	for (uint32_t i = 0; i < count; i++)
		text_table_set(table, i, TEXT_BOLD, heads[i]);
}

static int table_end(struct text_table *table, uint32_t width, struct text *out)
{
	int error = table->error;

	text_table_write(table, width, out);
	text_table_release(table);
	return error;
}

static int lines_text(const struct compare *compare, const struct report_layout *layout, struct text *out)
{
	static const char *const heads[] = { "compared", "step",  "point", "direction", "figure", "reference",
					     "value",	 "ratio", "verdict" };
	struct text_table table;

	table_heads(&table, heads, 9, layout->color);
	table.right[5] = table.right[6] = true;
	for (uint32_t i = 0; i < compare->comparison.line_count; i++)
		line_row(&table, compare, &compare->comparison.lines[i]);
	return table_end(&table, layout->width, out);
}

/* A percentile that a line has an interval of is told there, and not a second time by another method. */
static bool told_above(const struct compare *compare, const struct comparison_shift *shift, double percentile)
{
	for (uint32_t i = 0; i < compare->comparison.line_count; i++) {
		const struct comparison_line *line = &compare->comparison.lines[i];
		const double own = line->figure == COMPARE_P99 ? 99 : line->figure == COMPARE_P999 ? 99.9 : NAN;

		if (line->step == shift->step && line->side == shift->side && line->op == shift->op &&
		    own == percentile && isfinite(line->ratio.low))
			return true;
	}
	return false;
}

static int shifts_text(const struct compare *compare, const struct report_layout *layout, struct text *out)
{
	static const char *const heads[] = { "compared", "step", "point", "direction", "p50",
					     "p90",      "p99",  "p99.9", "p99.99" };
	struct text_table table;
	char text[64];

	text_append(out, "\nLatency against the reference, percentile by percentile: ratio and 95 % "
			 "interval, from resampled runs and "
			 "pieces of time;\n- where too few independent I/Os lie beyond the percentile, "
			 "above where whole measurements have an interval.\n");
	table_heads(&table, heads, 4 + SHIFT_POINTS, layout->color);
	for (uint32_t i = 0; i < compare->shift_count; i++) {
		const struct comparison_shift *shift = &compare->shifts[i];

		row_names(&table, compare, shift->side, shift->step, shift->op);
		for (uint32_t k = 0; k < SHIFT_POINTS; k++) {
			const struct bootstrap_figure *ratio = &shift->ratio[k];

			if (told_above(compare, shift, shift_percentiles[k]))
				snprintf(text, sizeof(text), "above");
			else if (isfinite(ratio->low))
				snprintf(text, sizeof(text), "%.3g (%.3g to %.3g)", ratio->value, ratio->low,
					 ratio->high);
			else if (isfinite(ratio->value))
				snprintf(text, sizeof(text), "%.3g", ratio->value);
			else
				snprintf(text, sizeof(text), "-");
			text_table_set(&table, 4 + k, TEXT_PLAIN, text);
		}
	}
	return table_end(&table, layout->width, out);
}

static void differences_text(const struct compare *compare, const struct report_layout *layout,
			     struct text *out)
{
	for (int i = 0; i < compare->difference_count; i++) {
		const struct difference *difference = &compare->differences[i];
		struct text text = { 0 };

		text_printf(&text, difference_format[difference->kind], difference->list);
		text_styled(out, layout->color, TEXT_WARN, text_data(&text));
		text_append_char(out, '\n');
		text_release(&text);
	}
}

static int history_text(const struct compare *compare, const struct report_layout *layout, struct text *out)
{
	static const char *const heads[] = { "since run", "step",   "point", "direction",
					     "figure",    "before", "after", "p" };
	struct text_table table;
	char text[UNITS_TEXT];

	text_append(out, "\nChanges in the order in which the runs were started (energy statistics, "
			 "permutation test):\n");
	table_heads(&table, heads, 8, layout->color);
	table.right[5] = table.right[6] = true;
	for (int i = 0; i < compare->change_count; i++) {
		const struct history_change *change = &compare->changes[i];

		row_names(&table, compare, change->side, change->step, change->op);
		text_table_set(&table, 4, TEXT_PLAIN, comparison_figure_name[change->figure]);
		text_table_set(&table, 5, TEXT_PLAIN, value_text(change->figure, change->before, text));
		text_table_set(&table, 6, TEXT_PLAIN, value_text(change->figure, change->after, text));
		snprintf(text, sizeof(text), "%.3g", change->p);
		text_table_set(&table, 7, TEXT_PLAIN, text);
	}
	return table_end(&table, layout->width, out);
}

static int compare_text(const struct compare *compare, const struct report_layout *layout, struct text *out)
{
	int error = 0;

	text_append(out, "reference: ");
	text_styled(out, layout->color, TEXT_BOLD, side_name(compare, 0));
	text_append_char(out, '\n');
	differences_text(compare, layout, out);
	if (!compare->comparison.line_count)
		text_append(out, "The runs have no point in common: the plan, the steps' names and all their "
				 "values must agree.\n");
	else
		error = lines_text(compare, layout, out);
	if (!error && compare->shift_count)
		error = shifts_text(compare, layout, out);
	if (!error && compare->change_count)
		error = history_text(compare, layout, out);
	return error;
}

/* -- as JSON -- */

static void point_json(struct json_writer *w, uint32_t side, const struct report_step *step, enum io_op op)
{
	json_open(w, NULL, '{');
	json_u64(w, "side", side);
	json_text(w, "step", word(step->record->name));
	json_text(w, "point", step->point);
	json_text(w, "direction", io_op_name(op));
}

static void line_json(struct json_writer *w, const struct comparison_line *line)
{
	point_json(w, line->side, line->step, line->op);
	json_text(w, "figure", comparison_figure_name[line->figure]);
	json_text(w, "unit", line->figure == COMPARE_IOPS ? "iops" : "ns");
	json_flag(w, "steady_window", line->step->part.verified);
	json_number(w, "reference", line->reference.value);
	json_number(w, "value", line->other.value);
	json_u64(w, "reference_runs", line->reference.count);
	json_u64(w, "runs", line->other.count);
	json_number(w, "ratio", line->ratio.ratio);
	json_number(w, "low", line->ratio.low);
	json_number(w, "high", line->ratio.high);
	json_number(w, "confidence", line->ratio.confidence);
	json_number(w, "p", line->ratio.p);
	json_text(w, "verdict", ratio_verdict_name(line->ratio.verdict));
	json_flag(w, "indicative", line->ratio.indicative);
	json_u64(w, "needs_runs", line->ratio.needs_runs);
	json_close(w, '}');
}

static void shift_json(struct json_writer *w, const struct comparison_shift *shift)
{
	point_json(w, shift->side, shift->step, shift->op);
	json_number(w, "reference_effective", shift->effective[0]);
	json_number(w, "effective", shift->effective[1]);
	json_u64(w, "reference_pieces", shift->pieces[0]);
	json_u64(w, "pieces", shift->pieces[1]);
	json_open(w, "percentiles", '[');
	for (uint32_t i = 0; i < SHIFT_POINTS; i++) {
		json_open(w, NULL, '{');
		json_number(w, "p", shift_percentiles[i]);
		json_number(w, "ratio", shift->ratio[i].value);
		json_number(w, "low", shift->ratio[i].low);
		json_number(w, "high", shift->ratio[i].high);
		json_close(w, '}');
	}
	json_close(w, ']');
	json_close(w, '}');
}

static void sides_json(struct json_writer *w, const struct compare *compare)
{
	const struct comparison *comparison = &compare->comparison;

	json_open(w, "sides", '[');
	for (uint32_t i = 0; i < comparison->side_count; i++) {
		json_open(w, NULL, '{');
		json_text(w, "name", comparison->sides[i].name);
		json_open(w, "runs", '[');
		for (uint32_t k = 0; k < comparison->sides[i].run_count; k++)
			json_text(w, NULL, compare->names[comparison->sides[i].runs[k]]);
		json_close(w, ']');
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void difference_json(struct json_writer *w, const struct difference *difference)
{
	struct text text = { 0 };

	text_printf(&text, difference_format[difference->kind], difference->list);
	json_open(w, NULL, '{');
	json_text(w, "kind", difference_name[difference->kind]);
	json_text(w, "text", text_data(&text));
	json_close(w, '}');
	text_release(&text);
}

static void change_json(struct json_writer *w, const struct compare *compare,
			const struct history_change *change)
{
	point_json(w, change->side, change->step, change->op);
	json_text(w, "run", side_name(compare, change->side));
	json_text(w, "figure", comparison_figure_name[change->figure]);
	json_number(w, "before", change->before);
	json_number(w, "after", change->after);
	json_number(w, "p", change->p);
	json_close(w, '}');
}

static void compare_json(const struct compare *compare, struct text *out)
{
	struct json_writer w;

	json_writer_init(&w, out, 3);
	json_open(&w, NULL, '{');
	json_number(&w, "margin", RATIO_MARGIN);
	sides_json(&w, compare);
	json_open(&w, "differences", '[');
	for (int i = 0; i < compare->difference_count; i++)
		difference_json(&w, &compare->differences[i]);
	json_close(&w, ']');
	json_open(&w, "comparisons", '[');
	for (uint32_t i = 0; i < compare->comparison.line_count; i++)
		line_json(&w, &compare->comparison.lines[i]);
	json_close(&w, ']');
	json_open(&w, "changes", '[');
	for (int i = 0; i < compare->change_count; i++)
		change_json(&w, compare, &compare->changes[i]);
	json_close(&w, ']');
	json_open(&w, "shifts", '[');
	for (uint32_t i = 0; i < compare->shift_count; i++)
		shift_json(&w, &compare->shifts[i]);
	json_close(&w, ']');
	json_close(&w, '}');
}

/* -- all -- */

/* Those of each point and direction that has lines. */
static int shifts_make(struct compare *compare)
{
	const struct comparison *comparison = &compare->comparison;
	const struct comparison_line *last = NULL;
	int error = 0;

	compare->shifts = calloc(comparison->line_count + comparison->side_count, sizeof(*compare->shifts));
	if (!compare->shifts)
		return -ENOMEM;
	for (uint32_t i = 0; i < comparison->line_count && !error; i++) {
		const struct comparison_line *line = &comparison->lines[i];
		uint32_t count = 0;

		if (line->figure != COMPARE_MEAN ||
		    (last && last->step == line->step && last->op == line->op))
			continue;
		error = comparison_shifts(comparison, line->step, line->op, 0, comparison->side_count,
					  compare->shifts + compare->shift_count, &count);
		compare->shift_count += count;
		last = line;
	}
	return error;
}

static int differences_make(struct compare *compare)
{
	compare->difference_count = differences_find(compare->models, compare->names, compare->model_count,
						     &compare->comparison.arena, compare->differences);
	return compare->difference_count < 0 ? compare->difference_count : 0;
}

static int changes_make(struct compare *compare)
{
	compare->change_count = history_find(&compare->comparison, compare->changes);
	return compare->change_count < 0 ? compare->change_count : 0;
}

static int model_add(struct compare *compare, struct store *run, int32_t target, const char *name,
		     struct fault *fault)
{
	int error;

	if (compare->model_count == COMPARISON_SIDES_MAX)
		return fault_system(fault, -EINVAL, "at most %u runs and drives can be compared",
				    COMPARISON_SIDES_MAX);
	error = report_model_new(run, target, &compare->models[compare->model_count], fault);
	if (!error)
		compare->names[compare->model_count++] = name;
	return error;
}

static int models_of_run(struct compare *compare, struct store *run, const char *name, struct fault *fault)
{
	const struct drive_record *drives;
	uint32_t count;
	int error = store_drives(run, &drives, &count);

	if (error)
		return store_fault(run, error, fault);
	if (count < 2)
		return model_add(compare, run, REPORT_ALL_TARGETS, name, fault);
	for (uint32_t i = 0; i < count && !error; i++)
		error = model_add(compare, run, (int32_t)drives[i].target, name, fault);
	return error;
}

int report_compare(struct store *const *runs, uint32_t count, const char *const *names,
		   const struct report_layout *layout, struct text *out, struct fault *fault)
{
	struct compare *compare = calloc(1, sizeof(*compare));
	int error = 0;

	if (!compare)
		return -ENOMEM;
	for (uint32_t i = 0; i < count && !error; i++)
		error = models_of_run(compare, runs[i], names[i], fault);
	if (!error)
		error = comparison_init(&compare->comparison, compare->models, compare->names,
					compare->model_count);
	if (!error)
		error = differences_make(compare);
	if (!error)
		error = shifts_make(compare);
	if (!error)
		error = changes_make(compare);
	if (!error && layout)
		error = compare_text(compare, layout, out);
	else if (!error)
		compare_json(compare, out);
	comparison_release(&compare->comparison);
	for (uint32_t i = 0; i < compare->model_count; i++)
		report_model_free(compare->models[i]);
	free(compare->shifts);
	free(compare);
	return error ? error : out->error;
}
