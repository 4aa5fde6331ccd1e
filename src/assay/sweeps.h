/* sweeps: what was measured along one key of a step's points: the median at each of its values, the other
 * keys being the same. */
#pragma once
#include "assay/evidence.h"

#define SWEEP_POINTS_MAX 128u

struct sweep {
	const struct step_record *step; /* the first one */
	const char *key;		/* "iodepth" "bs" "numjobs" */
	bool bytes;			/* judged by throughput, else by IOPS */
	uint32_t count;
	double value[SWEEP_POINTS_MAX];	 /* ascending */
	double figure[SWEEP_POINTS_MAX]; /* medians of what was measured there */
	bool told;			 /* by find_peak */
};

struct sweeps {
	struct sweep *sweep; /* owned */
	uint32_t count, capacity;
};

/* All sweeps of a run with enough points to say something. 0 or -ENOMEM; release in either case. */
int sweeps_find(const struct evidence *evidence, struct sweeps *ret_sweeps);
void sweeps_release(struct sweeps *sweeps);

double sweep_best(const struct sweep *sweep);
/* Index of the first point with that share of the best. */
uint32_t sweep_reaches(const struct sweep *sweep, double share, double best);
/* The curve has not flattened within what was tried: where its peak is, is not known. */
bool sweep_still_rises(const struct sweep *sweep, double best);
