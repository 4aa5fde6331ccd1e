/* random: seeded random numbers, xoshiro256++ (Blackman & Vigna, "Scrambled linear pseudorandom number
 * generators"), seeded by splitmix64. One state per owner; same seed and stream, same numbers, on every
 * machine. */
#pragma once
#include <stdint.h>

struct random {
	uint64_t state[4];
};

/* `stream` separates owners that share a seed (worker number, purpose). */
void random_init(struct random *random, uint64_t seed, uint64_t stream);

static inline uint64_t random_rotate(uint64_t value, int bits)
{
	return (value << bits) | (value >> (64 - bits));
}

static inline uint64_t random_u64(struct random *random)
{
	uint64_t *s = random->state;
	const uint64_t result = random_rotate(s[0] + s[3], 23) + s[0];
	const uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = random_rotate(s[3], 45);
	return result;
}

/* 0 <= result < bound, by multiply-shift: no division; bias below bound / 2^64. bound 0 gives 0. */
static inline uint64_t random_below(struct random *random, uint64_t bound)
{
	return (uint64_t)(((unsigned __int128)random_u64(random) * bound) >> 64);
}

/* 0 <= result < 1, 53 bits. */
static inline double random_double(struct random *random)
{
	return (double)(random_u64(random) >> 11) * (1.0 / 9007199254740992.0);
}
