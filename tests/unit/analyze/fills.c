#include <math.h>
#include "base/random.h"
#include "fills.h"

const char *const fill_names[FILL_KINDS] = {
	"three", "wide", "short", "cyclic", "small_cache", "tiny_cache", "flat", "noisy", "dips",
};

struct shape {
	uint32_t bins, knee[FILL_KNEES];
	double rate[FILL_KNEES + 1];	/* MB/s; ends with 0 */
	double cv, dips;
};

static const struct shape shapes[FILL_KINDS] = {
	[FILL_THREE] = { 2000, { 592, 1300 }, { 3500, 2200, 1000 }, 0.03, 0.01 },
	[FILL_WIDE] = { 2000, { 200, 1600 }, { 5000, 3500, 1500 }, 0.03, 0.01 },
	[FILL_SHORT] = { 1000, { 280, 500 }, { 4500, 2000, 500 }, 0.04, 0.01 },
	[FILL_CYCLIC] = { 1000, { 150, 600 }, { 2000, 500, 400 }, 0.04, 0.01 },
	[FILL_SMALL_CACHE] = { 1000, { 47 }, { 1900, 1100 }, 0.04, 0.01 },
	[FILL_TINY_CACHE] = { 1000, { 24 }, { 3000, 1000 }, 0.04, 0.01 },
	[FILL_FLAT] = { 1000, { 0 }, { 1500 }, 0.05, 0.02 },
	[FILL_NOISY] = { 1000, { 200, 600 }, { 3000, 1800, 900 }, 0.12, 0.01 },
	[FILL_DIPS] = { 1000, { 200, 600 }, { 3000, 1700, 800 }, 0.20, 0.05 },
};

static double normal(struct random *random)
{
	return sqrt(-2 * log(1 - random_double(random))) * cos(2 * M_PI * random_double(random));
}

/* After the last knee of a cyclic drive: 8 GB fast, 12 GB slow, in turn. */
static double cycle(enum fill_kind kind, uint32_t stage, uint32_t bin)
{
	if (kind != FILL_CYCLIC || stage < 2)
		return 1;
	return bin % 20 < 8 ? 1.6 : 0.8;
}

struct fill_truth fill_make(enum fill_kind kind, uint64_t seed, double *rate)
{
	const struct shape *shape = &shapes[kind];
	struct fill_truth truth = { .bins = shape->bins };
	struct random random;
	uint32_t stage = 0;

	random_init(&random, seed, kind);
	while (shape->knee[truth.knee_count] > 0) {	/* moved by up to 5 % */
		const double moved = shape->knee[truth.knee_count] * (0.95 + 0.1 * random_double(&random));

		truth.knee[truth.knee_count++] = (uint32_t)moved;
	}
	for (uint32_t i = 0; i < shape->bins; i++) {
		if (stage < truth.knee_count && i == truth.knee[stage])
			stage++;
		rate[i] = shape->rate[stage] * cycle(kind, stage, i) * exp(shape->cv * normal(&random));
		if (random_double(&random) < shape->dips)
			rate[i] *= 0.3;
	}
	return truth;
}
