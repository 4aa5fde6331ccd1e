/* littles_law: throughput x mean latency = I/Os in flight. Agreement says that clocks and counts are right;
 * a difference between asked and reached depth says who could not keep up. Pure functions. */
#pragma once
#include <stdbool.h>
#include "measure/tally.h"

struct littles_law {
	double reached;		/* I/Os in flight, mean over time, from their integral */
	double computed;	/* I/Os per second x mean service time */
	double difference;	/* |reached - computed| / reached; NaN when nothing was in flight */
	/* difference <= 5 %, or too few I/Os to tell (those in flight at both ends count) */
	bool agrees;
};

/* Over one load's tally, errors left out of `computed`. */
struct littles_law littles_law_of(const struct tally *tally);

/* The share of the I/Os `asked` for that was in flight while a load that lasted was to send, 0..1. At its end nothing
 * new is sent and what is in flight comes back, for as long as the drive takes for so many at the rate it had, or as
 * its slowest I/O took: half of that is no lack of the sender's. What is still under way when a pause begins does not
 * make it more than all. */
double littles_share(const struct tally *tally, double asked);
