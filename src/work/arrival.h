/* arrival: when each I/O of an open loop should start. An absolute schedule in 2^-16 ns fixed point: never dropped,
 * never moved, whatever the drive does. Poisson gaps are -ln(U) * mean. */
#pragma once
#include <stdint.h>
#include "base/random.h"
#include "plan/load.h"

struct arrival {
	enum load_arrival kind;
	uint64_t next_ns16_high;	/* next time = high + low / 65536, relative to start_ns */
	uint32_t next_ns16_low;
	double gap_ns16;		/* mean gap in 2^-16 ns */
	uint64_t start_ns;
	struct random random;
};

/* rate: I/O per second of this worker (> 0). `phase` 0..1 offsets the first arrival by a share of the gap. */
void arrival_init(struct arrival *arrival, enum load_arrival kind, double rate, double phase, uint64_t start_ns,
		  uint64_t seed, uint64_t stream);
uint64_t arrival_next_ns(const struct arrival *arrival);	/* when the next I/O is due */
void arrival_advance(struct arrival *arrival);			/* to the one after it */
