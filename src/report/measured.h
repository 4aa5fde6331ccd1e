/* measured: what one step measured of one kind of I/O, all loads together: of the part that counts
 * (report/counted.h). And the same cut into pieces of time, for the bootstrap.
 *
 * Latency is response time in open loops, else service time. */
#pragma once
#include <stdbool.h>
#include "analyze/bootstrap.h"
#include "report/model.h"

/* effective I/Os beyond a percentile that is told (report/latency.h) */
#define MEASURED_EXPECTED_LEAST 3.69

struct measured {
	double iops;
	double iops_low, iops_high;	/* 95 % interval of the mean of the intervals; NaN: too few */
	double mean_ns, p99_ns, p999_ns;	/* NaN where the effective count of I/Os doesn't carry it */
};

/* 1, 0 = nothing of that kind, or -errno. */
int measured_read(struct measured *ret_measured, struct store *store, const struct report_step *step,
		  enum io_op op);

/* Pieces of ten seconds, at most PIECES_OF_STEP a step (longer ones then). */
#define PIECE_NS 10000000000u
#define PIECES_OF_STEP 60u

struct pieces {
	struct bootstrap_sample *sample;	/* owned */
	struct histogram *total;		/* owned; of all pieces */
	struct histogram **blocks;		/* owned; the pieces themselves */
	uint32_t count, capacity;
};

/* 0 or -ENOMEM. */
int pieces_init(struct pieces *pieces);
void pieces_release(struct pieces *pieces);
/* The step is another run of the sample. 0 or -errno. */
int pieces_add(struct pieces *pieces, struct store *store, const struct report_step *step, enum io_op op);
/* How many independent I/Os the p-quantile is worth (analyze/effective.h); 0 when empty. */
double pieces_effective(const struct pieces *pieces, double p);
