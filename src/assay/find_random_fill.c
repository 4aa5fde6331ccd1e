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
#define SECONDS_MIN 20.0	/* for all of it: shorter ones are drives of a test's size */

struct random_fill {
	const struct step_record *step;
	struct store_series series;
	double range, written;		/* bytes */
	uint32_t marks;
	double iops[MARKS];		/* around 0, 50, 100, 150, 200 % of the range */
	double last;			/* over the last twentieth of the range that was written */
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
	fill->last = iops_between(&fill->series, fill->written - 0.05 * fill->range, fill->written);
}

/* 1 = the step filled an empty drive at random, once or more; 0 = it did not; -errno. Release the series in
 * any case. */
static int random_fill_of(const struct evidence *evidence, const struct step_record *step, struct random_fill *fill)
{
	const struct load_record *load;
	double seconds = 0;
	uint32_t count;
	int error;

	*fill = (struct random_fill){ .step = step };
	load = evidence_loads(evidence, step, &count);
	if (count != 1 || !step_measured(evidence, step) || strcmp(step_word(evidence, step, "rw"), "randwrite") ||
	    !load->range_bytes || filled_before(evidence, step, load->target) > EMPTY_SHARE)
		return 0;
	error = store_step_series(evidence->store, step->id, STORE_ALL, IO_WRITE, LATENCY_SERVICE, &fill->series);
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
	data_real(data, "range_bytes", fill->range);
	data_real(data, "written_bytes", fill->written);
	return data;
}

static int random_fill_tell(const struct evidence *evidence, const struct random_fill *fill)
{
	struct finding_record finding = { .kind = "random_fill", .unit = "iops", .value = fill->last, .low = NAN, .high = NAN };
	struct saying marks = { 0 };

	for (uint32_t i = 0; i < fill->marks; i++)
		saying_add(&marks, i ? ", %.0f at %.0f %%" : "%.0f IOPS at the start", fill->iops[i],
			   100 * i * MARK_EVERY);
	return finding_put(
		evidence, fill->step, &finding, random_fill_json(fill),
		"Random writes of step '%s' to the empty drive: %p of the range written; %.0f IOPS at the "
		"end, when %.2f times the range was written.",
		fill->step->name, &marks, fill->last, fill->written / fill->range);
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
