/* window: the part of a step that was verified to be steady, and its series second by second. Figures of
 * consistency are taken from there and nowhere else. */
#pragma once
#include "assay/evidence.h"
#include "measure/histogram.h"

struct window {
	uint64_t start_ns, end_ns; /* since the step's start */
	bool inherited; /* verified in the step before it; this one went on at once and did not drift */
};

/* The window of the step's own verdict; without one, all of a step whose state was verified before it. False:
 * it has none. */
bool window_of(const struct evidence *evidence, const struct step_record *step, struct window *ret_window);
/* The window of the step's own verdict only. */
bool window_verified(const struct evidence *evidence, const struct step_record *step,
		     struct window *ret_window);
double window_seconds(const struct window *window);

/* Completions per second of each second in the window (of scaled plans: of each equally scaled piece), all
 * loads together. NaN where nothing is stored. *ret_iops is malloc'ed. 0, -ERANGE (intervals are longer than
 * a second), -ENOMEM, store's. */
int window_iops(const struct evidence *evidence, const struct step_record *step, const struct window *window,
		double **ret_iops, uint32_t *ret_count, double *ret_unit_s);

/* Service times of a part of a step, all loads together, by op, and how many independent ones the values of
 * window_percentiles are worth in it (analyze/spread.h). */
#define WINDOW_PERCENTILES 5u
extern const double window_percentiles[WINDOW_PERCENTILES]; /* in percent: 50 ... 99.999 */
struct window_part {
	struct histogram times[IO_OPS];
	double effective[IO_OPS][WINDOW_PERCENTILES];
};
/* Of the window and of what lies before it (ramp left out). */
struct window_times {
	struct window_part inside, before;
};
int window_times(const struct evidence *evidence, const struct step_record *step, const struct window *window,
		 struct window_times *times);

/* What one load did in the window, as its total has it for all of the step: counts, service and response
 * times, and the time that its intervals cover (start_ns .. end_ns, from 0). 0, -ENOMEM or the store's
 * -errno. */
int window_tally(const struct evidence *evidence, const struct load_record *load, const struct window *window,
		 struct tally *ret_tally);
