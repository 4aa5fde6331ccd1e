/* credit: a serial resource (channel, link) that is reserved for future moments in no particular order.
 *
 * Time is cut into buckets; each holds as much busy time as it is long. A reservation takes credit from the
 * bucket of its start onwards. A plain "next free" time would block the resource for the whole time that an
 * early caller waits for something else. The ring remembers `SIM_CREDIT_BUCKETS` buckets; an entry of an
 * older lap counts as empty, so reservations further apart than the ring do not see each other. Throughput is
 * exact; a moment is exact within one bucket. */
#pragma once
#include <stdint.h>

#define SIM_CREDIT_BUCKETS 8192u

struct sim_credit_bucket {
	uint64_t number;	/* time / width */
	uint32_t used_ns;
	uint32_t skip;		/* this many buckets from here are known to be full; 0: not known */
};

struct sim_credit {
	struct sim_credit_bucket *buckets;	/* owned */
	uint32_t shift;				/* width = 2^shift ns */
};

/* Bucket width: the smallest power of two that holds `grain_ns`, one typical reservation. 0 or -ENOMEM. */
int sim_credit_init(struct sim_credit *credit, uint64_t grain_ns);
void sim_credit_release(struct sim_credit *credit);
/* Takes `need_ns` of the resource at start_ns or later; returns when the use ends. */
uint64_t sim_credit_reserve(struct sim_credit *credit, uint64_t start_ns, uint64_t need_ns);
