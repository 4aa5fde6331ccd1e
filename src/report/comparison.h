/* comparison: is one drive (or one state of it) faster than another, point by point, and how sure is that?
 *
 * Sides: runs of the same drive are one side; when all are of one drive, each run is a side (before and
 * after). A run with several drives comes as one model for each. The first side is the reference, what the
 * others are compared with. The unit is the measurement: a repeat of a step in a run, or the step in another
 * run of that side; never the second. Rounds of a group are one measurement, the mean of the last five. A
 * step whose steady state was verified counts in its verified window only. Points are the same when the
 * plan's name, the step's name and all values agree; preparations are not compared.
 *
 * Lines hold verdicts on the figure of whole measurements (analyze/ratio.h); the verdicts of one figure of
 * one point are judged together by Holm's correction. Shifts hold how far percentiles differ, with
 * intervals from a hierarchical bootstrap over runs and pieces of ten seconds (analyze/bootstrap.h);
 * percentiles that the effective sample count (analyze/effective.h) of either side does not carry are NaN. */
#pragma once
#include "analyze/bootstrap.h"
#include "analyze/ratio.h"
#include "base/arena.h"
#include "report/model.h"

#define COMPARISON_SIDES_MAX 64u

enum comparison_figure { COMPARE_IOPS, COMPARE_MEAN, COMPARE_P99, COMPARE_P999, COMPARE_FIGURES };
/* "iops" "mean" "p99" "p99.9" */
extern const char *const comparison_figure_name[COMPARE_FIGURES];

struct comparison_side {
	const char *name;
	uint32_t runs[COMPARISON_SIDES_MAX], run_count;		/* indices of the models */
};

/* What one side measured of one figure. */
struct comparison_sample {
	uint32_t count;			/* measurements */
	double value;			/* their median */
	/* lowest and highest of them; of a single one its own 95 % interval, where it has one */
	double low, high;
};

struct comparison_line {
	const struct report_step *step;	/* of the reference */
	uint32_t side;
	enum io_op op;
	enum comparison_figure figure;
	struct comparison_sample reference, other;
	struct ratio ratio;		/* other / reference, after Holm's correction */
};

#define SHIFT_POINTS 5
extern const double shift_percentiles[SHIFT_POINTS];	/* in percent: 50 ... 99.99 */

struct comparison_shift {
	const struct report_step *step;
	uint32_t side;
	enum io_op op;
	/* I/Os of reference and other that the p99.9 is worth; NaN = unknown */
	double effective[2];
	uint32_t pieces[2];
	struct bootstrap_figure ratio[SHIFT_POINTS];	/* other / reference; NaN where not carried */
};

struct comparison {
	struct arena arena;
	struct report_model *const *models;		/* borrowed */
	uint32_t model_count;
	struct comparison_side sides[COMPARISON_SIDES_MAX];
	uint32_t side_count;
	uint32_t point_count, line_count;
	const struct report_step **points;		/* of the reference, in order */
	struct comparison_line *lines;			/* by point, direction, figure, side */
};

/* Borrows models and names. 0, -ENOMEM, -EINVAL (more than COMPARISON_SIDES_MAX models), or the store's
 * -errno. */
int comparison_init(struct comparison *comparison, struct report_model *const *models,
		    const char *const *names, uint32_t count);
void comparison_release(struct comparison *comparison);

/* How the percentiles of the other sides differ at one point, with so many draws (0 =
 * BOOTSTRAP_RESAMPLES): at most `most` of them, those that have something to tell. 0 or -errno. */
int comparison_shifts(const struct comparison *comparison, const struct report_step *step, enum io_op op,
		      uint32_t resamples, uint32_t most, struct comparison_shift *ret_shifts,
		      uint32_t *ret_count);
