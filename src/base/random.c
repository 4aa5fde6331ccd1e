#include "base/random.h"

static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

void random_init(struct random *random, uint64_t seed, uint64_t stream)
{
	uint64_t state = seed;

	state = splitmix(&state) ^ (stream * 0xd1b54a32d192ed03ull);
	for (int i = 0; i < 4; i++)
		random->state[i] = splitmix(&state);
}
