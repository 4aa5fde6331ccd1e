/* arrival: when each I/O of an open loop should start. An absolute schedule in fixed point (ns and 2^-64
 * ns): never dropped, never moved, whatever the drive does, and without drift: after n constant arrivals
 * it is off by less than n x 2^-64 ns plus the rounding of the rate to 53 bits. Poisson gaps are -ln(U) x
 * mean, in steps of 2^-16 ns. One schedule per worker; N workers with rate R / N together make R: constant
 * ones interleave by their phase, the superposition of Poisson ones is Poisson. */
#pragma once
#include <stdint.h>
#include "base/fault.h"
#include "base/random.h"
#include "plan/load.h"

struct arrival {
	enum load_arrival kind;
	uint64_t next_ns;		/* relative to start_ns; read it by arrival_next_ns */
	uint64_t next_fraction;		/* of a ns, in 2^-64 */
	uint64_t gap_ns, gap_fraction;	/* constant: the gap */
	double gap_ns16;		/* mean gap in 2^-16 ns */
	uint64_t start_ns;
	struct random random;
};

/* rate: I/O per second of this worker (> 0; below 1 is fine). `phase` 0..1 offsets the first constant
 * arrival by a share of the gap; the first Poisson arrival is one random gap after start_ns. Gaps beyond
 * 2^62 ns end the schedule: the next arrival is then UINT64_MAX. */
void arrival_init(struct arrival *arrival, enum load_arrival kind, double rate, double phase,
		  uint64_t start_ns, uint64_t seed, uint64_t stream);
static inline uint64_t arrival_next_ns(const struct arrival *arrival)	/* when the next I/O is due */
{
	return arrival->start_ns + arrival->next_ns;
}
void arrival_advance(struct arrival *arrival);			/* to the one after it */
