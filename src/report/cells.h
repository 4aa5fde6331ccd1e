/* report_cell: one point of one section, all its repeats and rounds together: what headlines and sweeps show.
 *
 * Figures of a cell: the median over its measurements (repeats), or the mean over the last five rounds; low
 * and high are the lowest and highest of them. Latency is merged from all their histograms: response time
 * in open loops, service time in closed ones. */
#pragma once
#include "report/counted.h"

#define CELL_ROUNDS 5u
#define CELL_ALL COUNTED_ALL

struct cell_op {
	bool used;
	uint64_t errors;
	double iops, iops_low, iops_high;
	double rate, rate_low, rate_high;	/* bytes per second */
	struct report_latency latency; /* without a histogram of its own: percentile[] and moments only */
	uint64_t slow[SLOW_BUCKETS];
	double seconds;				/* measured, all measurements together */
};

struct report_cell {
	const struct report_family *family;
	const struct report_step *last;		/* the latest measurement: names and values */
	uint32_t count;				/* measurements in the figures */
	const struct report_step **steps;
	const struct counted_load *loads;	/* of all steps: for counted_merge, counted_spread */
	uint32_t load_count;
	bool open_loop;
	struct cell_op op[IO_OPS + 1];		/* [CELL_ALL] too */
};

/* The cells of a family with I/O, in the order of the plan, from arena. 0, -ENOMEM or the store's -errno. */
int report_cells(const struct report_family *family, struct store *store, struct arena *arena,
		 struct report_cell **ret_cells, uint32_t *ret_count);
const struct report_value *report_cell_value(const struct report_cell *cell, const char *key);
