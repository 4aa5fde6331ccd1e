/* jitter: what makes equal operations unequal, so that statistics of a simulated drive do not degenerate.
 *
 * Page types: lower pages read faster than upper ones; the factors of each cell kind have the mean 1.
 * Lognormal: a factor exp(sigma * z - sigma^2 / 2), mean 1, drawn from a table of its quantiles. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/random.h"

#define SIM_JITTER_STEPS 4096u

struct sim_jitter {
	bool on;				/* sigma > 0 */
	uint32_t factors[SIM_JITTER_STEPS];	/* 16.16 fixed point */
	uint32_t types[4];			/* page types, 16.16 fixed point */
};

/* sigma 0: no lognormal part. `bits` per cell 1..4; page_types false: all types read alike. */
void sim_jitter_init(struct sim_jitter *jitter, double sigma, uint32_t bits, bool page_types);

static inline uint64_t sim_jitter_apply(const struct sim_jitter *jitter, struct random *random,
					uint64_t time_ns)
{
	if (!jitter->on)
		return time_ns;
	return (time_ns * jitter->factors[random_u64(random) % SIM_JITTER_STEPS]) >> 16;
}

static inline uint64_t sim_jitter_type(const struct sim_jitter *jitter, uint32_t type, uint64_t time_ns)
{
	return (time_ns * jitter->types[type & 3]) >> 16;
}
