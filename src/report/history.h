/* history: when did a drive change, over many runs of one plan? Runs in the order they were started, a
 * figure of each; changes by analyze/divisive.h. Only where every side of a comparison is a run, and there
 * are DIVISIVE_RUNS_MIN or more. */
#pragma once
#include "analyze/divisive.h"
#include "report/comparison.h"

struct history_change {
	const struct report_step *step;
	enum io_op op;
	enum comparison_figure figure;
	uint32_t side;			/* the first run after the change */
	double before, after, p;	/* medians; struct divisive_change */
};

#define HISTORY_CHANGES_MAX 64u
/* Of IOPS, mean and p99 at every point. Returns how many, or -ENOMEM; 0 too where there is no history. */
int history_find(const struct comparison *comparison, struct history_change ret_changes[HISTORY_CHANGES_MAX]);
