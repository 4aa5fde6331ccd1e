/* tally: what happened to one load, in one interval or in total: merged from its workers' recorders. */
#pragma once
#include <stdint.h>
#include "base/io.h"
#include "measure/histogram.h"

#define SLOW_BUCKETS 8		/* >= 10, 20, 30, 50, 100, 200, 500 ms, 1 s: exact, cumulative */
extern const uint64_t slow_bucket_ns[SLOW_BUCKETS];
extern const char *const slow_bucket_name[SLOW_BUCKETS];	/* "ge_10ms" ... "ge_1s" */

struct op_tally {
	uint64_t ios;			/* completed without error */
	uint64_t bytes;
	uint64_t errors;
	/* by service time in closed loops, response time in open ones; errors included */
	uint64_t slow[SLOW_BUCKETS];
	struct histogram service;	/* submit -> completion */
	struct histogram response;	/* intended start -> completion; n == 0 in closed loops */
	struct histogram lateness;	/* intended start -> submit; n == 0 in closed loops */
};

struct tally {
	uint64_t start_ns, end_ns;	/* target's clock, since the start of the step */
	uint64_t rest_ns;		/* of these, in which the load was told not to send (measure/pauses.h) */
	double in_flight_ns;		/* integral of I/Os in flight over time */
	uint64_t spans;			/* intervals covered: 1, more when a worker was late */
	struct op_tally op[IO_OPS];
};

void tally_clear(struct tally *tally);		/* large: clears only what was used */
void tally_add(struct tally *tally, const struct tally *other);
/* The time in which I/O was to be sent: what rates and depths are taken over. */
uint64_t tally_sent_ns(const struct tally *tally);
double tally_seconds(const struct tally *tally);	/* the same, in seconds */
/* I/Os in flight, averaged over it; NaN when there is none. What is still under way when a rest begins counts,
 * so that many short cycles may come to a little more than was asked. */
double tally_depth(const struct tally *tally);
uint64_t tally_ios(const struct tally *tally);
uint64_t tally_bytes(const struct tally *tally);
uint64_t tally_errors(const struct tally *tally);
