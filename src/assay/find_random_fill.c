/* What random writes do to an empty drive: IOPS while it fills up and its garbage collection begins, against
 * what was written. */
#include <math.h>
#include <string.h>
#include "assay/fill.h"
#include "assay/finding.h"
#include "base/units.h"

#define EMPTY_SHARE 0.01	/* written before, at most: of the capacity */
#define MARK_EVERY 0.5		/* of the range */
#define MARKS 5u		/* start to twice the range */
#define MARK_WIDTH 0.02		/* of the range, around each mark */
#define PLATEAU_PART 0.5	/* of the range, at the end; its two halves are compared */
#define PLATEAU_APART 0.1	/* by which they may differ */
#define SECONDS_MIN 20.0	/* for all of it: shorter ones are drives of a test's size */

struct random_fill {
	const struct step_record *step;
	struct store_series series;
	double range, written;		/* bytes */
	uint32_t marks;
	double iops[MARKS];		/* around 0, 50, 100, 150, 200 % of the range */
	/* the last part: mean, lowest and highest of its pieces as wide as a mark; and of its halves */
	double last, lowest, highest, before_last_half, last_half;
};

/* IOPS while the bytes from .. to were written; intervals count as a whole when they touch them. */
static double iops_between(const struct store_series *series, double from, double to)
{
	double at = 0, ios = 0, seconds = 0;

	for (uint32_t i = 0; i < series->count && at <= to; i++) {
		const double end = at + series->bytes[i];

		if (end >= from && series->duration_s[i] > 0) {
			ios += series->ios[i];
			seconds += series->duration_s[i];
		}
		at = end;
	}
	return seconds > 0 ? ios / seconds : NAN;
}

static void marks_take(struct random_fill *fill)
{
	const double half = MARK_WIDTH / 2 * fill->range;

	for (; fill->marks < MARKS; fill->marks++) {
		double at = fill->marks * MARK_EVERY * fill->range, from = at - half, to = at + half;

		if (at > fill->written * 1.001)
			break;
		if (to > fill->written) {
			from -= to - fill->written;
			to = fill->written;
		}
		fill->iops[fill->marks] = iops_between(&fill->series, fmax(from, 0), fill->marks ? to : 2 * half);
	}
}

static void last_take(struct random_fill *fill)
{
	const double part = PLATEAU_PART * fill->range, from = fill->written - part, width = MARK_WIDTH * fill->range;
	const uint32_t pieces = (uint32_t)lround(PLATEAU_PART / MARK_WIDTH);

	fill->last = iops_between(&fill->series, from, fill->written);
	fill->before_last_half = iops_between(&fill->series, from, from + part / 2);
	fill->last_half = iops_between(&fill->series, from + part / 2, fill->written);
	fill->lowest = fill->highest = NAN;
	for (uint32_t i = 0; i < pieces; i++) {
		double iops = iops_between(&fill->series, from + i * width, from + (i + 1) * width);

		fill->lowest = fmin(fill->lowest, iops);
		fill->highest = fmax(fill->highest, iops);
	}
}

static bool is_level(const struct random_fill *fill)
{
	return fabs(fill->last_half / fill->before_last_half - 1) <= PLATEAU_APART;
}

/* 1 = the step filled an empty drive at random, once or more; 0 = it did not; -errno. Release the series in
 * any case. */
static int random_fill_of(const struct evidence *evidence, const struct step_record *step,
			  struct random_fill *fill)
{
	const struct load_record *load;
	double seconds = 0;
	uint32_t count;
	int error;

	*fill = (struct random_fill){ .step = step };
	load = evidence_loads(evidence, step, &count);
	if (count != 1 || !step_measured(evidence, step) ||
	    strcmp(step_word(evidence, step, "rw"), "randwrite") ||
	    !load->range_bytes || filled_before(evidence, step, load->target) > EMPTY_SHARE)
		return 0;
	error = store_step_series(evidence->store, step->id, STORE_ALL, IO_WRITE, LATENCY_SERVICE,
				  &fill->series);
	if (error)
		return error;
	fill->range = (double)load->range_bytes;
	for (uint32_t i = 0; i < fill->series.count; i++) {
		fill->written += fill->series.bytes[i];
		seconds += fill->series.duration_s[i];
	}
	if (fill->written < fill->range || seconds < SECONDS_MIN)
		return 0;
	marks_take(fill);
	last_take(fill);
	return 1;
}

static json_t *random_fill_json(const struct random_fill *fill)
{
	json_t *data = json_object(), *marks = json_array();

	for (uint32_t i = 0; i < fill->marks; i++) {
		json_t *mark = json_object();

		data_real(mark, "written_share", i * MARK_EVERY);
		data_real(mark, "iops", fill->iops[i]);
		json_array_append_new(marks, mark);
	}
	json_object_set_new(data, "marks", marks);
	json_object_set_new(data, "plateau", json_boolean(is_level(fill)));
	data_real(data, "last_iops", fill->last);
	data_real(data, "last_iops_lowest", fill->lowest);
	data_real(data, "last_iops_highest", fill->highest);
	data_real(data, "range_bytes", fill->range);
	data_real(data, "written_bytes", fill->written);
	return data;
}

static int random_fill_tell(const struct evidence *evidence, const struct random_fill *fill)
{
	struct finding_record finding = { .kind = "random_fill",
					  .unit = "iops",
					  .value = is_level(fill) ? fill->last : fill->last_half,
					  .low = NAN,
					  .high = NAN };
	struct saying marks = { 0 };

	for (uint32_t i = 0; i < fill->marks; i++)
		saying_add(&marks, i ? ", %.0f at %.0f %%" : "%.0f IOPS at the start", fill->iops[i],
			   100 * i * MARK_EVERY);
	if (!is_level(fill))
		return finding_put(evidence, fill->step, &finding, random_fill_json(fill),
				   "Random writes of step '%s' to the empty drive: %p of the range written; no "
				   "plateau: %.0f IOPS over the last quarter of the range, %.0f over the quarter before.",
				   fill->step->name, &marks, fill->last_half, fill->before_last_half);
	finding.low = fill->lowest;
	finding.high = fill->highest;
	return finding_put(evidence, fill->step, &finding, random_fill_json(fill),
			   "Random writes of step '%s' to the empty drive: %p of the range written; plateau "
			   "%.0f IOPS over the last half of the range (%.0f to %.0f from one fiftieth of it to the next).",
			   fill->step->name, &marks, fill->last, fill->lowest, fill->highest);
}

int find_random_fill(const struct evidence *evidence)
{
	int error = 0;

	for (uint32_t i = 0; i < evidence->step_count && error >= 0; i++) {
		struct random_fill fill;

		error = random_fill_of(evidence, &evidence->steps[i], &fill);
		if (error > 0)
			error = random_fill_tell(evidence, &fill);
		store_series_release(&fill.series);
	}
	return error < 0 ? error : 0;
}
