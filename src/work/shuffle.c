#include "work/shuffle.h"

static uint32_t bits_for(uint64_t count)
{
	return count <= 2 ? 1 : 64 - (uint32_t)__builtin_clzll(count - 1);
}

void shuffle_init(struct shuffle *shuffle, uint64_t count, struct random *random)
{
	uint32_t bits = bits_for(count);

	shuffle->count = count;
	shuffle->mask = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
	shuffle->shift = (bits + 1) / 2;
	for (int i = 0; i < SHUFFLE_ROUNDS; i++) {
		shuffle->multiply[i] = random_u64(random) | 1;
		shuffle->add[i] = random_u64(random);
	}
}
