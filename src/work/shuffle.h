/* shuffle: a keyed permutation of 0 .. count-1 that needs no memory: every number comes exactly once, in
 * an order that looks random. Five rounds of multiply (odd), add and xor-shift, each a bijection of the
 * next power of two; results beyond count are sent through again ("cycle walking", fewer than two turns on
 * average), so that what remains is a bijection of 0 .. count-1. Not a cipher. Read-only after
 * shuffle_init. */
#pragma once
#include <stdint.h>
#include "base/random.h"

#define SHUFFLE_ROUNDS 5

struct shuffle {
	uint64_t count, mask;
	uint32_t shift;
	uint64_t multiply[SHUFFLE_ROUNDS], add[SHUFFLE_ROUNDS];
};

/* count >= 1. Draws its keys from `random`: another state, another order. */
void shuffle_init(struct shuffle *shuffle, uint64_t count, struct random *random);

static inline uint64_t shuffle_at(const struct shuffle *shuffle, uint64_t index)
{
	do {
		for (int i = 0; i < SHUFFLE_ROUNDS; i++) {
			index = (index * shuffle->multiply[i] + shuffle->add[i]) & shuffle->mask;
			index ^= index >> shuffle->shift;
		}
	} while (index >= shuffle->count);
	return index;
}
