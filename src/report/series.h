/* series: the intervals of one step as columns, all loads together, for charts. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/io.h"
#include "report/model.h"

#define SERIES_INTERVALS_MAX                                                                                 \
	(1u << 20) /* more than a run file may sensibly have; later ones are counted in `beyond` */

struct series_op {
	bool used;
	double *iops, *rate;		/* per second; 0 in an empty interval */
	double *mean_ns, *max_ns;	/* NaN in an empty interval; all but the longest also with several loads */
	double *deviation_ns;
	double *p50_ns, *p99_ns, *p999_ns;
};

struct series {
	struct arena arena;
	uint32_t count, capacity, beyond;
	double *t_ns;			/* middle of the interval, since the start of the run */
	double *duration_ns;		/* in which I/O was to be sent; 0 = none was, or the interval isn't in the file */
	double *iops, *rate;		/* all directions; NaN when the interval isn't in the file, or it isn't told */
	double *in_flight;		/* I/Os, mean over the interval, all loads together; likewise */
	struct series_op op[IO_OPS];
};

/* 0, -ENOMEM or the store's -errno. */
int series_init(struct series *series, struct store *store, const struct report_step *step);
void series_release(struct series *series);
/* Means over `width_ns` of a column, weighted by duration, into new columns of the series' arena, NaN
 * where nothing was to be sent; returns their length. Each stands at an interval in which something was. */
uint32_t series_smooth(struct series *series, const double *column, double width_ns, double **ret_t_ns,
		       double **ret_means);
