/* tail: a percentile of one load with the interval that its I/Os carry. Slow I/Os come together, so their
 * count says too much: their spread over stretches of time tells how many independent I/Os they are worth
 * (analyze/spread.h). */
#pragma once
#include "assay/evidence.h"

struct tail {
	double value_ns;		/* nearest rank of all I/Os of the measured part */
	double low_ns, high_ns;		/* 95 % */
	double effective;		/* 1 .. n; n where fewer than 4 stretches hold I/Os */
};

/* Of the service times, 0 < p < 1. 1; 0 = the effective count carries no interval (below 3.69 expected
 * beyond); -ENOMEM or the store's -errno. */
int tail_of(const struct evidence *evidence, const struct load_record *load, enum io_op op, double p,
	    struct tail *ret_tail);

/* The same percentile without the I/Os that the host may have delayed (LOGGED_HOST); those are kept one by
 * one only when they are slow. *ret_ios: how many were left out. 0, -ENOMEM or the store's -errno. */
int tail_without_host(const struct evidence *evidence, const struct load_record *load, enum io_op op, double p,
		      double *ret_ns, uint64_t *ret_ios);

#define TAIL_VALUES_MAX 4u
struct tail_values {
	uint32_t count;
	uint64_t ns[TAIL_VALUES_MAX]; /* rising */
};
/* How many independent I/Os n of a step are worth around each of these values: of one load and direction,
 * or of all (STORE_ALL); service times. 0, -ENOMEM or the store's -errno. */
int tail_effective(const struct evidence *evidence, const struct step_record *step, int32_t load, int op,
		   const struct tail_values *values, uint64_t n, double *ret_effective);
