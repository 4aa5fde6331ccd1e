/* `compare`: is one drive (or one state of it) faster than another, point by point, and how sure is that?
 *
 * Sides: run files of the same drive are one side; when all are of one drive, each file is a side (before and after). The
 * first side is what the others are compared with. The unit is the measurement: a repeat of a step in a run file, or the
 * step in another run file of that side; never the second. Points are the same when name and all values agree. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/ratio.h"
#include "base/units.h"
#include "report/json_writer.h"
#include "report/model.h"
#include "report/report.h"
#include "report/text_table.h"

enum figure { FIGURE_IOPS, FIGURE_MEAN, FIGURE_P99, FIGURE_P999, FIGURES };
static const char *const figure_name[FIGURES] = { "iops", "mean", "p99", "p99.9" };

struct side {
	const char *name;
	uint32_t runs[64], run_count;
};

struct compare {
	struct arena arena;
	struct report_model *models[64];
	uint32_t model_count;
	struct side sides[64];
	uint32_t side_count;
	struct json_writer *json;	/* either */
	struct text_table table;	/* or */
	uint32_t rows;
	struct histogram *histogram;
};

/* -- sides -- */

static const char *drive_key(struct compare *compare, const struct report_model *model)
{
	const struct drive_record *drive = model->drive_count ? &model->drives[0] : NULL;

	if (!drive)
		return "";
	if (strcmp(word(drive->kind), "sim") && drive->serial && *drive->serial)	/* a simulated one is what its name says */
		return arena_printf(&compare->arena, "%s %s %s", word(drive->model), drive->serial, word(drive->firmware));
	return word(drive->name);
}

static int sides_make(struct compare *compare, const char *const *names)
{
	const char *keys[64];
	bool one = true;

	for (uint32_t i = 0; i < compare->model_count; i++) {
		keys[i] = drive_key(compare, compare->models[i]);
		if (!keys[i])
			return -ENOMEM;
		one = one && !strcmp(keys[i], keys[0]);
	}
	for (uint32_t i = 0; i < compare->model_count; i++) {
		struct side *side = NULL;

		for (uint32_t k = 0; k < compare->side_count && !one && !side; k++)
			if (!strcmp(keys[compare->sides[k].runs[0]], keys[i]))
				side = &compare->sides[k];
		if (!side) {
			side = &compare->sides[compare->side_count++];
			side->name = one ? names[i] : keys[i];
		}
		side->runs[side->run_count++] = i;
	}
	return 0;
}

/* -- samples -- */

static bool same_point(const struct report_step *a, const struct report_step *b)
{
	if (strcmp(word(a->record->name), word(b->record->name)) || a->values.count != b->values.count)
		return false;
	for (uint32_t i = 0; i < a->values.count; i++) {
		const struct report_value *other = report_values_find(&b->values, a->values.values[i].key);

		if (report_value_compare(&a->values.values[i], other))
			return false;
	}
	return true;
}

/* One figure of one direction of a step, all loads together; NaN when it has none. */
static double step_figure(struct compare *compare, const struct report_step *step, enum io_op op, enum figure figure)
{
	double iops = 0;

	histogram_clear(compare->histogram);
	for (uint32_t i = 0; i < step->load_count; i++) {
		const struct report_latency *latency = report_natural(&step->loads[i], op);

		if (!step->loads[i].op[op].used)
			continue;
		iops += step->loads[i].op[op].iops;
		if (latency && latency->histogram)
			histogram_add(compare->histogram, latency->histogram);
	}
	if (figure == FIGURE_IOPS)
		return iops > 0 ? iops : NAN;
	if (!compare->histogram->moments.n)
		return NAN;
	if (figure == FIGURE_MEAN)
		return histogram_mean_ns(compare->histogram);
	return report_percentile_of(compare->histogram, figure == FIGURE_P99 ? 99 : 99.9).grade == REPORT_REFUSED
		       ? NAN : (double)histogram_percentile(compare->histogram, figure == FIGURE_P99 ? 0.99 : 0.999);
}

static uint32_t side_samples(struct compare *compare, const struct side *side, const struct report_step *like,
			     enum io_op op, enum figure figure, double *samples)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < side->run_count; i++) {
		const struct report_model *model = compare->models[side->runs[i]];

		for (uint32_t k = 0; k < model->step_count && count < RATIO_RUNS_MAX; k++) {
			double value;

			if (model->steps[k].record->status != RUN_COMPLETE || !same_point(&model->steps[k], like))
				continue;
			value = step_figure(compare, &model->steps[k], op, figure);
			if (isfinite(value) && value > 0)
				samples[count++] = value;
		}
	}
	return count;
}

static int compare_doubles(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return left < right ? -1 : left > right;
}

/* Sorts. */
static double median(double *samples, uint32_t count)
{
	qsort(samples, count, sizeof(*samples), compare_doubles);
	return count % 2 ? samples[count / 2] : (samples[count / 2 - 1] + samples[count / 2]) / 2;
}

/* -- one line -- */

struct line {
	const struct report_step *step;
	const struct side *side;
	enum io_op op;
	enum figure figure;
	uint32_t a_count, b_count;
	double a, b;
	struct ratio ratio;
};

/* "faster", or with too few runs what the ranges suggest. */
static const char *verdict_text(const struct line *line, char text[64])
{
	uint32_t least = line->a_count < line->b_count ? line->a_count : line->b_count;
	bool better = (line->ratio.ratio > 1) == (line->figure == FIGURE_IOPS);

	if (line->ratio.verdict != RATIO_CANNOT_TELL)
		return ratio_verdict_name(line->ratio.verdict);
	if (line->ratio.indicative)
		snprintf(text, 64, "can't tell (%u runs; indicative: %s)", least, better ? "faster" : "slower");
	else if (least < RATIO_RUNS_MIN)
		snprintf(text, 64, "can't tell (too few runs: %u of %u)", least, RATIO_RUNS_MIN);
	else
		snprintf(text, 64, "can't tell");
	return text;
}

static const char *value_text(enum figure figure, double value, char text[UNITS_TEXT])
{
	if (figure != FIGURE_IOPS)
		return duration_format((uint64_t)value, text);
	snprintf(text, UNITS_TEXT, "%.0f", value);
	return text;
}

static enum text_style verdict_style(const struct line *line)
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

static void line_row(struct compare *compare, const struct line *line)
{
	char a[UNITS_TEXT], b[UNITS_TEXT], factor[64], verdict[64];

	if (isfinite(line->ratio.low))
		snprintf(factor, sizeof(factor), "%.3f (%.3f to %.3f)", line->ratio.ratio, line->ratio.low, line->ratio.high);
	else
		snprintf(factor, sizeof(factor), "%.3f", line->ratio.ratio);
	text_table_row(&compare->table);
	text_table_set(&compare->table, 0, TEXT_PLAIN, line->side->name);
	text_table_set(&compare->table, 1, TEXT_PLAIN, word(line->step->record->name));
	text_table_set(&compare->table, 2, TEXT_PLAIN, line->step->point);
	text_table_set(&compare->table, 3, TEXT_PLAIN, io_op_name(line->op));
	text_table_set(&compare->table, 4, TEXT_PLAIN, figure_name[line->figure]);
	text_table_set(&compare->table, 5, TEXT_PLAIN, value_text(line->figure, line->a, a));
	text_table_set(&compare->table, 6, TEXT_PLAIN, value_text(line->figure, line->b, b));
	text_table_set(&compare->table, 7, TEXT_PLAIN, factor);
	text_table_set(&compare->table, 8, verdict_style(line), verdict_text(line, verdict));
}

static void line_json(struct json_writer *w, const struct compare *compare, const struct line *line)
{
	json_open(w, NULL, '{');
	json_u64(w, "side", (uint64_t)(line->side - compare->sides));
	json_text(w, "step", word(line->step->record->name));
	json_text(w, "point", line->step->point);
	json_text(w, "direction", io_op_name(line->op));
	json_text(w, "figure", figure_name[line->figure]);
	json_text(w, "unit", line->figure == FIGURE_IOPS ? "iops" : "ns");
	json_number(w, "reference", line->a);
	json_number(w, "value", line->b);
	json_u64(w, "reference_runs", line->a_count);
	json_u64(w, "runs", line->b_count);
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

static int line_make(struct compare *compare, struct line *line)
{
	double a[RATIO_RUNS_MAX], b[RATIO_RUNS_MAX];
	int error;

	line->a_count = side_samples(compare, &compare->sides[0], line->step, line->op, line->figure, a);
	line->b_count = side_samples(compare, line->side, line->step, line->op, line->figure, b);
	if (!line->a_count || !line->b_count)
		return 0;
	error = ratio_compare(a, line->a_count, b, line->b_count, RATIO_MARGIN, line->figure == FIGURE_IOPS, &line->ratio);
	if (error)
		return error;
	line->a = median(a, line->a_count);
	line->b = median(b, line->b_count);
	compare->rows++;
	if (compare->json)
		line_json(compare->json, compare, line);
	else
		line_row(compare, line);
	return 0;
}

/* -- all -- */

/* Is this the first of its point in the reference side? Preparations are not compared. */
static bool begins_point(const struct compare *compare, uint32_t run, uint32_t at)
{
	const struct report_step *step = &compare->models[compare->sides[0].runs[run]]->steps[at];

	if (!step->load_count || !strcmp(word(step->record->name), "prepare"))
		return false;
	for (uint32_t i = 0; i <= run; i++) {
		const struct report_model *model = compare->models[compare->sides[0].runs[i]];

		for (uint32_t k = 0; k < (i < run ? model->step_count : at); k++)
			if (same_point(&model->steps[k], step))
				return false;
	}
	return true;
}

static int point_compare(struct compare *compare, const struct report_step *step)
{
	int error = 0;

	for (uint32_t side = 1; side < compare->side_count && !error; side++)
		for (int op = 0; op < IO_OPS && !error; op++)
			for (int figure = 0; figure < FIGURES && !error; figure++) {
				struct line line = {
					.step = step, .side = &compare->sides[side], .op = (enum io_op)op,
					.figure = (enum figure)figure,
				};

				error = line_make(compare, &line);
			}
	return error;
}

static int points_compare(struct compare *compare)
{
	const struct side *first = &compare->sides[0];
	int error = 0;

	for (uint32_t run = 0; run < first->run_count; run++)
		for (uint32_t i = 0; i < compare->models[first->runs[run]]->step_count && !error; i++)
			if (begins_point(compare, run, i))
				error = point_compare(compare, &compare->models[first->runs[run]]->steps[i]);
	return error;
}

static void sides_json(struct json_writer *w, const struct compare *compare, const char *const *names)
{
	json_open(w, "sides", '[');
	for (uint32_t i = 0; i < compare->side_count; i++) {
		json_open(w, NULL, '{');
		json_text(w, "name", compare->sides[i].name);
		json_open(w, "runs", '[');
		for (uint32_t k = 0; k < compare->sides[i].run_count; k++)
			json_text(w, NULL, names[compare->sides[i].runs[k]]);
		json_close(w, ']');
		json_close(w, '}');
	}
	json_close(w, ']');
}

static int compare_json(struct compare *compare, const char *const *names, struct text *out)
{
	struct json_writer w;
	int error;

	json_writer_init(&w, out, 3);
	compare->json = &w;
	json_open(&w, NULL, '{');
	json_number(&w, "margin", RATIO_MARGIN);
	sides_json(&w, compare, names);
	json_open(&w, "comparisons", '[');
	error = points_compare(compare);
	json_close(&w, ']');
	json_close(&w, '}');
	return error;
}

static int compare_text(struct compare *compare, const struct report_layout *layout, struct text *out)
{
	static const char *const heads[] = {
		"compared", "step", "point", "direction", "figure", "reference", "value", "ratio", "verdict"
	};
	int error;

	compare->table.column_count = sizeof(heads) / sizeof(*heads);
	compare->table.color = layout->color;
	compare->table.right[5] = compare->table.right[6] = true;
	compare->table.elastic[0] = compare->table.elastic[2] = true;
	text_table_row(&compare->table);
	for (uint32_t i = 0; i < compare->table.column_count; i++)
		text_table_set(&compare->table, i, TEXT_BOLD, heads[i]);
	error = points_compare(compare);
	text_append(out, "reference: ");
	text_styled(out, layout->color, TEXT_BOLD, compare->sides[0].name);
	text_append_char(out, '\n');
	if (compare->rows)
		text_table_write(&compare->table, layout->width, out);
	else
		text_append(out, "The runs have no point in common: the steps' names and all their values must agree.\n");
	return error ? error : compare->table.error;
}

static void compare_release(struct compare *compare)
{
	for (uint32_t i = 0; i < compare->model_count; i++)
		report_model_free(compare->models[i]);
	text_table_release(&compare->table);
	arena_release(&compare->arena);
	free(compare->histogram);
	free(compare);
}

int report_compare(struct store *const *runs, uint32_t count, const char *const *names, const struct report_layout *layout,
		   struct text *out, struct fault *fault)
{
	struct compare *compare = calloc(1, sizeof(*compare));
	int error = 0;

	if (!compare)
		return -ENOMEM;
	compare->histogram = calloc(1, sizeof(*compare->histogram));
	error = compare->histogram && count <= 64 ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < count && !error; i++) {
		error = report_model_new(runs[i], REPORT_ALL_TARGETS, &compare->models[i], fault);
		compare->model_count += !error;
	}
	if (!error) {
		histogram_clear(compare->histogram);
		error = sides_make(compare, names);
	}
	if (!error)
		error = layout ? compare_text(compare, layout, out) : compare_json(compare, names, out);
	compare_release(compare);
	return error ? error : out->error;
}
