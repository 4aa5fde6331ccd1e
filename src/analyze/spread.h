/* spread: how many I/Os took longer than given values in each stretch of time, and so how many independent
 * ones they are worth (analyze/effective.h). For the values of many percentiles at once, without keeping a
 * histogram of each stretch. */
#pragma once
#include <stdint.h>
#include "measure/histogram.h"

#define SPREAD_STRETCHES 60u	/* a run is cut into so many, by whole intervals */

struct spread {
	uint32_t value_count;
	uint64_t *value_ns;		/* owned */
	uint32_t runs;
	uint64_t start_ns, stretch_ns;	/* of the last run */
	double *ios;			/* owned; by stretch, all runs' */
	double *beyond;			/* owned; by stretch, then value */
};

/* value_ns: `count` of them, rising; copied. 0 or -ENOMEM. Release in any case. */
int spread_init(struct spread *spread, const uint64_t *value_ns, uint32_t count);
void spread_release(struct spread *spread);
/* What is added next belongs to another run of time, start_ns .. start_ns + duration_ns. 0 or -ENOMEM. */
int spread_run(struct spread *spread, uint64_t start_ns, uint64_t duration_ns);
/* The I/Os of an interval of the last run that began at start_ns (>= the run's). */
void spread_add(struct spread *spread, uint64_t start_ns, const struct histogram *histogram);
/* How many independent I/Os n of them are worth around value_ns[value], when the n are spread like those
 * that were added: at most n; n where fewer than four stretches have any (as in runs without intervals);
 * NaN when there is no memory. */
double spread_effective(const struct spread *spread, uint32_t value, uint64_t n);
