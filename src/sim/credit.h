/* credit: a serial resource (channel, link) that is reserved for future moments in no particular order.
 *
 * Time is cut into buckets; each holds as much busy time as it is long. A reservation takes credit from the
 * bucket of its start onwards. A plain "next free" time would block the resource for the whole time that an
 * early caller waits for something else. The ring remembers some thousands of buckets; an entry of an older
 * lap counts as empty, so reservations further apart than the ring do not see each other. What a long queue
 * needs beyond the ring's end is taken there in one piece, one reservation after the other. Throughput is
 * exact; a moment is exact within one bucket. */
#pragma once
#include <stdint.h>

#define SIM_CREDIT_CHANNEL 8192u	/* buckets: 16 ms and more */
#define SIM_CREDIT_LINK (1u << 17)	/* 0.25 s and more: a queue of dozens of I/Os of 16 MiB */

struct sim_credit_bucket {
	uint64_t number;	/* time / width */
	uint32_t used_ns;
	uint32_t skip;		/* this many buckets from here are known to be full; 0: not known */
};

struct sim_credit {
	struct sim_credit_bucket *buckets;	/* owned */
	uint64_t mask;				/* buckets - 1 */
	uint32_t shift;				/* width = 2^shift ns */
	uint64_t beyond_from_ns, beyond_to_ns;	/* taken beyond the ring's end; buckets there begin as used */
};

/* Bucket width: the smallest power of two that holds `grain_ns`, one typical reservation. `buckets` is a power of
 * two. 0 or -ENOMEM. */
int sim_credit_init(struct sim_credit *credit, uint64_t grain_ns, uint32_t buckets);
void sim_credit_release(struct sim_credit *credit);
/* Takes `need_ns` of the resource at start_ns or later; returns when the use ends. */
uint64_t sim_credit_reserve(struct sim_credit *credit, uint64_t start_ns, uint64_t need_ns);
