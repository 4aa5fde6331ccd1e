#include "sim/credit.h"

#include <errno.h>
#include <stdlib.h>

int sim_credit_init(struct sim_credit *credit, uint64_t grain_ns)
{
	credit->shift = 11;
	while ((1ull << credit->shift) < grain_ns && credit->shift < 30)
		credit->shift++;
	credit->buckets = calloc(SIM_CREDIT_BUCKETS, sizeof(*credit->buckets));
	return credit->buckets ? 0 : -ENOMEM;
}

void sim_credit_release(struct sim_credit *credit)
{
	free(credit->buckets);
	credit->buckets = NULL;
}

#define BUCKETS_AHEAD 32u	/* what the next reservations will need, some of them later than this one */

static inline struct sim_credit_bucket *bucket_at(struct sim_credit *credit, uint64_t number)
{
	struct sim_credit_bucket *bucket = &credit->buckets[number % SIM_CREDIT_BUCKETS];

	if (bucket->number != number)
		*bucket = (struct sim_credit_bucket){ .number = number };
	return bucket;
}

/* The bucket after a full one, jumping over neighbours known to be full (path halving). */
static uint64_t bucket_after(struct sim_credit *credit, struct sim_credit_bucket *bucket)
{
	const uint64_t next = bucket->number + (bucket->skip ? bucket->skip : 1);
	const struct sim_credit_bucket *there = &credit->buckets[next % SIM_CREDIT_BUCKETS];

	bucket->skip = (uint32_t)(next - bucket->number);
	if (there->number == next && there->skip && there->used_ns >> credit->shift)
		bucket->skip += there->skip;
	return next;
}

uint64_t sim_credit_reserve(struct sim_credit *credit, uint64_t start_ns, uint64_t need_ns)
{
	const uint32_t width_ns = 1u << credit->shift;
	const uint64_t last = (start_ns >> credit->shift) + SIM_CREDIT_BUCKETS - 2;
	uint64_t number = start_ns >> credit->shift, end_ns = start_ns + need_ns;

	__builtin_prefetch(&credit->buckets[(number + BUCKETS_AHEAD) % SIM_CREDIT_BUCKETS], 1);
	while (need_ns && number <= last) {
		struct sim_credit_bucket *bucket = bucket_at(credit, number);
		uint64_t take_ns = width_ns - bucket->used_ns, used_until_ns;

		if (!take_ns) {
			number = bucket_after(credit, bucket);
			continue;
		}
		if (take_ns > need_ns)
			take_ns = need_ns;
		bucket->used_ns += (uint32_t)take_ns;
		need_ns -= take_ns;
		used_until_ns = (number << credit->shift) + bucket->used_ns;
		if (used_until_ns > end_ns)
			end_ns = used_until_ns;
		number++;
	}
	return need_ns ? (last << credit->shift) + need_ns : end_ns;
}
