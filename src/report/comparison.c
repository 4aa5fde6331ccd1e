#include "report/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report/measured.h"
#include "store/import.h"

#define ROUNDS_COUNTED 5u

const char *const comparison_figure_name[COMPARE_FIGURES] = { "iops", "mean", "p99", "p99.9" };

/* -- sides -- */

static const char *drive_key(struct comparison *comparison, const struct report_model *model)
{
	const struct drive_record *drive = model->drive_count ? &model->drives[0] : NULL;
	bool simulated = drive && strcmp(word(drive->kind), "sim") == 0;

	if (!drive)
		return "";
	if (simulated || !word(drive->serial)[0])
		return word(drive->name);	/* a simulated one is what its name says */
	return arena_printf(&comparison->arena, "%s %s %s", word(drive->model), drive->serial,
			    word(drive->firmware));
}

static struct comparison_side *side_of(struct comparison *comparison, const char *const *keys,
				       const char *key)
{
	for (uint32_t i = 0; i < comparison->side_count; i++)
		if (strcmp(keys[comparison->sides[i].runs[0]], key) == 0)
			return &comparison->sides[i];
	return NULL;
}

static int sides_make(struct comparison *comparison, const char *const *names)
{
	const char *keys[COMPARISON_SIDES_MAX];
	bool one = true;

	for (uint32_t i = 0; i < comparison->model_count; i++) {
		keys[i] = drive_key(comparison, comparison->models[i]);
		if (!keys[i])
			return -ENOMEM;
		one = one && strcmp(keys[i], keys[0]) == 0;
	}
	for (uint32_t i = 0; i < comparison->model_count; i++) {
		struct comparison_side *side = one ? NULL : side_of(comparison, keys, keys[i]);

		if (!side) {
			side = &comparison->sides[comparison->side_count++];
			side->name = one ? names[i] : keys[i];
		}
		side->runs[side->run_count++] = i;
	}
	return 0;
}

/* -- points -- */

/* A job that another tool ran is known by its name and values: it comes from no plan of ours. */
static bool same_plan(const char *a, const char *b)
{
	return !strcmp(a, b) || !strcmp(a, IMPORT_PLAN) || !strcmp(b, IMPORT_PLAN);
}

static bool same_point(const struct report_step *a, const struct report_step *b)
{
	if (strcmp(word(a->record->name), word(b->record->name)) ||
	    !same_plan(a->family->plan, b->family->plan) || a->values.count != b->values.count)
		return false;
	for (uint32_t i = 0; i < a->values.count; i++) {
		const struct report_value *other = report_values_find(&b->values, a->values.values[i].key);

		if (report_value_compare(&a->values.values[i], other))
			return false;
	}
	return true;
}

static bool point_known(const struct comparison *comparison, const struct report_step *step)
{
	for (uint32_t i = 0; i < comparison->point_count; i++)
		if (same_point(comparison->points[i], step))
			return true;
	return false;
}

static int points_find(struct comparison *comparison)
{
	const struct comparison_side *side = &comparison->sides[0];
	uint32_t most = 0;

	for (uint32_t i = 0; i < side->run_count; i++)
		most += comparison->models[side->runs[i]]->step_count;
	comparison->points = arena_alloc(&comparison->arena, most * sizeof(*comparison->points) + 1);
	if (!comparison->points)
		return -ENOMEM;
	for (uint32_t i = 0; i < side->run_count; i++) {
		const struct report_model *model = comparison->models[side->runs[i]];

		for (uint32_t k = 0; k < model->step_count; k++) {
			const struct report_step *step = &model->steps[k];

			if (step->load_count && strcmp(word(step->record->name), "prepare") &&
			    !point_known(comparison, step))
				comparison->points[comparison->point_count++] = step;
		}
	}
	return 0;
}

/* -- measurements -- */

static int number_order(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* Sorts. */
static double median(double *values, uint32_t count)
{
	qsort(values, count, sizeof(*values), number_order);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Rounds that the point has in this run. */
static uint32_t rounds_of(const struct report_model *model, const struct report_step *like)
{
	uint32_t rounds = 0;

	for (uint32_t i = 0; i < model->step_count; i++)
		if (model->steps[i].record->round >= rounds && same_point(&model->steps[i], like))
			rounds = model->steps[i].record->round + 1;
	return rounds;
}

static bool step_counts(const struct report_step *step, const struct report_step *like, uint32_t rounds)
{
	return step->record->status == RUN_COMPLETE && step->record->round + ROUNDS_COUNTED >= rounds &&
	       same_point(step, like);
}

static double figure_of(const struct measured *measured, enum comparison_figure figure)
{
	switch (figure) {
	case COMPARE_IOPS: return measured->iops > 0 ? measured->iops : NAN;
	case COMPARE_MEAN: return measured->mean_ns;
	case COMPARE_P99: return measured->p99_ns;
	default: return measured->p999_ns;
	}
}

/* One direction of one point on one side. */
struct measurements {
	uint32_t count;
	double values[COMPARE_FIGURES][RATIO_RUNS_MAX];
	struct measured single;		/* the last one */
};

/* The rounds of one repeat in one run are one measurement. */
static int run_measurement(const struct report_model *model, const struct report_step *like, enum io_op op,
			   uint32_t repeat, struct measurements *all)
{
	double sums[COMPARE_FIGURES] = { 0 };
	uint32_t count = 0, rounds = rounds_of(model, like);

	for (uint32_t i = 0; i < model->step_count && count < ROUNDS_COUNTED; i++) {
		const struct report_step *step = &model->steps[i];
		int error;

		if (step->record->repeat != repeat || !step_counts(step, like, rounds))
			continue;
		error = measured_read(&all->single, model->store, step, op);
		if (error < 0)
			return error;
		for (int figure = 0; figure < COMPARE_FIGURES && error > 0; figure++)
			sums[figure] += figure_of(&all->single, (enum comparison_figure)figure);
		count += error > 0;
	}
	for (int figure = 0; figure < COMPARE_FIGURES && count; figure++)
		all->values[figure][all->count] = sums[figure] / count;
	all->count += count > 0;
	return 0;
}

static int side_measurements(const struct comparison *comparison, const struct comparison_side *side,
			     const struct report_step *like, enum io_op op, struct measurements *all)
{
	int error = 0;

	all->count = 0;
	for (uint32_t i = 0; i < side->run_count && !error; i++) {
		const struct report_model *model = comparison->models[side->runs[i]];
		uint32_t repeats = 0, rounds = rounds_of(model, like);

		for (uint32_t k = 0; k < model->step_count; k++)
			if (step_counts(&model->steps[k], like, rounds))
				repeats = model->steps[k].family->repeats;
		for (uint32_t repeat = 0; repeat < repeats && all->count < RATIO_RUNS_MAX && !error; repeat++)
			error = run_measurement(model, like, op, repeat, all);
	}
	return error;
}

/* Those that have the figure, in order; returns how many. */
static uint32_t with_figure(const struct measurements *all, enum comparison_figure figure, double *values)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < all->count; i++)
		if (all->values[figure][i] > 0)
			values[count++] = all->values[figure][i];
	return count;
}

static struct comparison_sample sample_of(const struct measurements *all, enum comparison_figure figure)
{
	double values[RATIO_RUNS_MAX];
	struct comparison_sample sample = { .low = NAN, .high = NAN, .value = NAN };

	sample.count = with_figure(all, figure, values);
	if (!sample.count)
		return sample;
	sample.value = median(values, sample.count);
	if (sample.count > 1) {
		sample.low = values[0];
		sample.high = values[sample.count - 1];
	} else if (figure == COMPARE_IOPS) {
		sample.low = all->single.iops_low;
		sample.high = all->single.iops_high;
	}
	return sample;
}

/* -- lines -- */

static int line_make(struct comparison *comparison, struct comparison_line *line,
		     const struct measurements *a, const struct measurements *b)
{
	double first[RATIO_RUNS_MAX], second[RATIO_RUNS_MAX];

	line->reference = sample_of(a, line->figure);
	line->other = sample_of(b, line->figure);
	if (!line->reference.count || !line->other.count)
		return 0;
	with_figure(a, line->figure, first);
	with_figure(b, line->figure, second);
	comparison->line_count++;
	return ratio_compare(first, line->reference.count, second, line->other.count, RATIO_MARGIN,
			     line->figure == COMPARE_IOPS, &line->ratio);
}

/* The verdicts of one figure on all sides, which are wrong together or not at all. */
static int judge_together(struct comparison_line *lines, uint32_t count)
{
	struct ratio ratios[COMPARISON_SIDES_MAX];
	int error;

	for (uint32_t i = 0; i < count; i++)
		ratios[i] = lines[i].ratio;
	error = ratio_judge_together(ratios, count);
	for (uint32_t i = 0; i < count && !error; i++)
		lines[i].ratio = ratios[i];
	return error;
}

/* sides: what each measured of that point. */
static int point_lines(struct comparison *comparison, const struct report_step *step, enum io_op op,
		       const struct measurements *sides)
{
	int error = 0;

	for (int figure = 0; figure < COMPARE_FIGURES && !error; figure++) {
		uint32_t first = comparison->line_count;

		for (uint32_t side = 1; side < comparison->side_count && !error; side++) {
			struct comparison_line *line = &comparison->lines[comparison->line_count];

			*line = (struct comparison_line){ .step = step, .side = side, .op = op,
							  .figure = (enum comparison_figure)figure };
			error = line_make(comparison, line, &sides[0], &sides[side]);
		}
		if (!error && comparison->line_count > first)
			error = judge_together(&comparison->lines[first], comparison->line_count - first);
	}
	return error;
}

static bool step_uses(const struct report_step *step, enum io_op op)
{
	for (uint32_t i = 0; i < step->load_count; i++)
		if (step->loads[i].op[op].used)
			return true;
	return false;
}

static int lines_make(struct comparison *comparison)
{
	size_t most = (size_t)comparison->point_count * comparison->side_count * COMPARE_FIGURES * IO_OPS;
	struct measurements *sides = malloc(comparison->side_count * sizeof(*sides));
	int error = 0;

	comparison->lines = arena_alloc(&comparison->arena, most * sizeof(*comparison->lines) + 1);
	if (!comparison->lines || !sides)
		error = -ENOMEM;
	for (uint32_t i = 0; i < comparison->point_count && !error; i++)
		for (int op = 0; op < IO_OPS && !error; op++) {
			const struct report_step *step = comparison->points[i];

			if (!step_uses(step, (enum io_op)op))
				continue;
			for (uint32_t side = 0; side < comparison->side_count && !error; side++)
				error = side_measurements(comparison, &comparison->sides[side], step,
							  (enum io_op)op, &sides[side]);
			if (!error)
				error = point_lines(comparison, step, (enum io_op)op, sides);
		}
	free(sides);
	return error;
}

int comparison_init(struct comparison *comparison, struct report_model *const *models,
		    const char *const *names, uint32_t count)
{
	int error;

	if (count > COMPARISON_SIDES_MAX)
		return -EINVAL;
	*comparison = (struct comparison){ .models = models, .model_count = count };
	error = sides_make(comparison, names);
	if (!error)
		error = points_find(comparison);
	if (!error)
		error = lines_make(comparison);
	if (error)
		comparison_release(comparison);
	return error;
}

void comparison_release(struct comparison *comparison)
{
	arena_release(&comparison->arena);
	*comparison = (struct comparison){ 0 };
}

/* -- shifts -- */

/* Adds what this side measured, a run of the sample for each of its measurements. */
static int side_pieces(const struct comparison *comparison, const struct comparison_side *side,
		       const struct report_step *like, enum io_op op, struct pieces *pieces)
{
	int error = 0;

	for (uint32_t i = 0; i < side->run_count && !error; i++) {
		const struct report_model *model = comparison->models[side->runs[i]];
		uint32_t rounds = rounds_of(model, like);

		for (uint32_t k = 0; k < model->step_count && !error; k++)
			if (step_counts(&model->steps[k], like, rounds))
				error = pieces_add(pieces, model->store, &model->steps[k], op);
	}
	return error;
}

const double shift_percentiles[SHIFT_POINTS] = { 50, 90, 99, 99.9, 99.99 };

static bool carried(const struct pieces *pieces, double percent)
{
	return pieces_effective(pieces, percent / 100) * (1 - percent / 100) >= MEASURED_EXPECTED_LEAST;
}

static int shift_make(const struct pieces *a, const struct pieces *b, uint32_t resamples,
		      struct comparison_shift *shift)
{
	struct bootstrap_figure figures[SHIFT_POINTS];
	double p[SHIFT_POINTS];
	const struct bootstrap_plan plan = {
		.p = p, .count = SHIFT_POINTS, .resamples = resamples, .seed = 1
	};
	int error;

	for (int i = 0; i < SHIFT_POINTS; i++)
		p[i] = shift_percentiles[i] / 100;
	error = bootstrap_ratios(a->sample, b->sample, &plan, figures);
	if (error)
		return error == -ENODATA ? 0 : error;
	for (int i = 0; i < SHIFT_POINTS; i++) {
		bool both = carried(a, shift_percentiles[i]) && carried(b, shift_percentiles[i]);

		shift->ratio[i] = both ? figures[i] : (struct bootstrap_figure){ NAN, NAN, NAN };
	}
	shift->effective[0] = pieces_effective(a, 0.999);
	shift->effective[1] = pieces_effective(b, 0.999);
	shift->pieces[0] = bootstrap_sample_pieces(a->sample);
	shift->pieces[1] = bootstrap_sample_pieces(b->sample);
	return isfinite(shift->ratio[0].value);
}

/* 1 = told, 0 = too little, or -errno. */
static int side_shift(const struct comparison *comparison, const struct pieces *reference, uint32_t resamples,
		      struct comparison_shift *shift)
{
	struct pieces other;
	int error = pieces_init(&other);

	if (!error)
		error = side_pieces(comparison, &comparison->sides[shift->side], shift->step, shift->op,
				    &other);
	if (!error)
		error = shift_make(reference, &other, resamples, shift);
	pieces_release(&other);
	return error;
}

int comparison_shifts(const struct comparison *comparison, const struct report_step *step, enum io_op op,
		      uint32_t resamples, uint32_t most, struct comparison_shift *ret_shifts,
		      uint32_t *ret_count)
{
	struct pieces reference;
	uint32_t count = 0;
	int error = pieces_init(&reference);

	if (!error)
		error = side_pieces(comparison, &comparison->sides[0], step, op, &reference);
	for (uint32_t side = 1; side < comparison->side_count && count < most && error >= 0; side++) {
		ret_shifts[count] = (struct comparison_shift){ .step = step, .side = side, .op = op };
		error = side_shift(comparison, &reference, resamples, &ret_shifts[count]);
		count += error > 0;
	}
	pieces_release(&reference);
	if (error < 0)
		return error;
	*ret_count = count;
	return 0;
}
