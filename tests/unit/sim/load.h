/* load: a small generator and recorder for tests and benchmarks of the simulated drive alone: one thread,
 * closed or open loop, a heap of completions and a log-linear histogram (1/64 resolution). */
#pragma once
#include <stdint.h>
#include "base/random.h"
#include "sim/sim.h"

enum load_pattern { LOAD_UNIFORM, LOAD_SEQUENTIAL, LOAD_PERMUTATION /* every block once per pass */ };

#define LOAD_BUCKETS 4096

struct load {
	enum load_pattern pattern;
	uint32_t bytes;			/* of each I/O */
	uint32_t depth;			/* in flight; open loop: at most */
	double write_share;		/* 0 reads only, 1 writes only */
	double range;			/* share of the drive addressed; 0 = all */
	uint64_t count;			/* I/Os to do; 0 = until_ns decides */
	uint64_t until_ns;		/* no I/O starts later; 0 = count decides */
	double rate;			/* open loop, Poisson arrivals per second; 0 = closed loop */
	uint64_t think_ns;		/* host time between a completion and the next I/O of that slot */
	uint64_t seed;
	uint64_t interval_ns;		/* series: one row of `series` per interval; 0 = none */
	struct load_row *series;	/* borrowed */
	uint32_t series_rows;
};

struct load_row {
	uint64_t ios, sum_ns, max_ns;
};

struct load_result {
	uint64_t start_ns, end_ns;	/* first submission, last completion */
	uint64_t ios, errors;
	uint64_t max_ns, min_ns;
	double sum_ns, square_ns;	/* latencies, from the host's issue */
	double flight_ns;		/* integral of I/Os in flight over time */
	uint64_t checksum;		/* over all completions in order: same seed, same value */
	uint32_t histogram[LOAD_BUCKETS];
};

/* Starts at start_ns (not before the drive's last command). Aborts the process when out of memory. */
void load_run(struct sim_drive *drive, const struct load *load, uint64_t start_ns,
	      struct load_result *ret_result);
double load_iops(const struct load_result *result);
double load_mean_ns(const struct load_result *result);
double load_stddev_ns(const struct load_result *result);
double load_percentile_ns(const struct load_result *result, double share);
