#include "sim/credit.h"

#include <errno.h>
#include <stdlib.h>

int sim_credit_init(struct sim_credit *credit, uint64_t grain_ns, uint32_t buckets)
{
	*credit = (struct sim_credit){ .shift = 11, .mask = buckets - 1 };
	while ((1ull << credit->shift) < grain_ns && credit->shift < 30)
		credit->shift++;
	credit->buckets = calloc(buckets, sizeof(*credit->buckets));
	return credit->buckets ? 0 : -ENOMEM;
}

void sim_credit_release(struct sim_credit *credit)
{
	free(credit->buckets);
	credit->buckets = NULL;
}

#define BUCKETS_AHEAD 32u	/* what the next reservations will need, some of them later than this one */

/* Of a bucket that is entered for the first time. */
static uint32_t used_beyond(const struct sim_credit *credit, uint64_t number)
{
	const uint64_t start_ns = number << credit->shift, width_ns = 1ull << credit->shift;

	if (start_ns < credit->beyond_from_ns || start_ns >= credit->beyond_to_ns)
		return 0;
	return (uint32_t)(credit->beyond_to_ns - start_ns < width_ns ? credit->beyond_to_ns - start_ns : width_ns);
}

static inline struct sim_credit_bucket *bucket_at(struct sim_credit *credit, uint64_t number)
{
	struct sim_credit_bucket *bucket = &credit->buckets[number & credit->mask];

	if (bucket->number != number)
		*bucket = (struct sim_credit_bucket){ .number = number, .used_ns = used_beyond(credit, number) };
	return bucket;
}

/* The queue is longer than the ring. */
static uint64_t take_beyond(struct sim_credit *credit, uint64_t end_ns, uint64_t need_ns)
{
	if (credit->beyond_to_ns < end_ns)
		credit->beyond_from_ns = credit->beyond_to_ns = end_ns;
	credit->beyond_to_ns += need_ns;
	return credit->beyond_to_ns;
}

/* The bucket after a full one, jumping over neighbours known to be full (path halving). */
static uint64_t bucket_after(struct sim_credit *credit, struct sim_credit_bucket *bucket)
{
	const uint64_t next = bucket->number + (bucket->skip ? bucket->skip : 1);
	const struct sim_credit_bucket *there = &credit->buckets[next & credit->mask];

	bucket->skip = (uint32_t)(next - bucket->number);
	if (there->number == next && there->skip && there->used_ns >> credit->shift)
		bucket->skip += there->skip;
	return next;
}

uint64_t sim_credit_reserve(struct sim_credit *credit, uint64_t start_ns, uint64_t need_ns)
{
	const uint32_t width_ns = 1u << credit->shift;
	const uint64_t last = (start_ns >> credit->shift) + credit->mask - 1;
	uint64_t number = start_ns >> credit->shift, end_ns = start_ns + need_ns;

	__builtin_prefetch(&credit->buckets[(number + BUCKETS_AHEAD) & credit->mask], 1);
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
	return need_ns ? take_beyond(credit, (last + 1) << credit->shift, need_ns) : end_ns;
}
