#include <stdlib.h>
#include "analyze/effective.h"
#include "analyze/spread.h"
#include "base/random.h"
#include "check.h"

#define SECOND 1000000000ull
#define FAST 100000u
#define SLOW 100000000u
#define LIMIT 1000000u

/* n I/Os, `slow` of them slow. */
static void interval(struct histogram *histogram, uint32_t n, uint32_t slow)
{
	histogram_clear(histogram);
	for (uint32_t i = 0; i < n; i++)
		histogram_record(histogram, i < slow ? SLOW : FAST);
}

static void a_spread_says_what_the_histograms_would(void **state)
{
	static const uint64_t values[] = { 50000, LIMIT, 2 * SLOW };
	struct histogram *blocks[60] = { NULL };
	struct random random;
	struct spread spread;
	uint64_t n = 0;

	random_init(&random, 1, 0);
	assert_int_equal(spread_init(&spread, values, 3), 0);
	assert_int_equal(spread_run(&spread, 5 * SECOND, 120 * SECOND), 0);	/* stretches of 2 s */
	for (uint32_t i = 0; i < 120; i++) {
		struct histogram second;

		interval(&second, 100 + (uint32_t)random_below(&random, 50),
			 (uint32_t)random_below(&random, 9));
		spread_add(&spread, (5 + i) * SECOND, &second);
		if (!blocks[i / 2]) {
			blocks[i / 2] = malloc(sizeof(second));
			histogram_clear(blocks[i / 2]);
		}
		histogram_add(blocks[i / 2], &second);
	}
	for (uint32_t i = 0; i < 60; i++)
		n += blocks[i]->moments.n;
	for (uint32_t k = 0; k < 3; k++)
		assert_near(spread_effective(&spread, k, n),
			    effective_samples((const struct histogram *const *)blocks, 60, values[k]), 1e-9);
	spread_release(&spread);
	for (uint32_t i = 0; i < 60; i++)
		free(blocks[i]);
}

/* Mean of the estimate over `trials` spreads of 60 intervals of n I/Os; slow(random, *state) of them are slow. */
static double mean_effective(uint32_t trials, uint32_t n,
			     uint32_t (*slow)(struct random *random, double *state))
{
	static const uint64_t limit = LIMIT;
	struct histogram *second = malloc(sizeof(*second));
	struct random random;
	double sum = 0;

	random_init(&random, 11, 0);
	for (uint32_t trial = 0; trial < trials; trial++) {
		struct spread spread;
		double state = 0;

		spread_init(&spread, &limit, 1);
		spread_run(&spread, 0, 60 * SECOND);
		for (uint32_t i = 0; i < 60; i++) {
			interval(second, n, slow(&random, &state));
			spread_add(&spread, i * SECOND, second);
		}
		sum += n * 60.0 / spread_effective(&spread, 0, n * 60);
		spread_release(&spread);
	}
	free(second);
	return sum / trials;
}

static uint32_t each_for_itself(struct random *random, double *state)
{
	uint32_t slow = 0;

	for (int i = 0; i < 2000; i++)
		slow += random_double(random) < 0.02;
	return slow;
}

/* A stall in one interval of four; 160 I/Os wait for it. */
static uint32_t in_stalls(struct random *random, double *state)
{
	return random_double(random) < 0.25 ? 160 : 0;
}

/* Their share follows an AR(1) with r = 0.5: x' = r x + e, e uniform in +-0.5: variance 1/12 / (1 - r^2). */
static uint32_t in_waves(struct random *random, double *state)
{
	*state = 0.5 * *state + random_double(random) - 0.5;
	return (uint32_t)(100 + 60 * *state + 0.5);
}

/* Design effects, var(sum of slow ones) / (N p (1 - p)): independent: 1 (the estimate is never below 1, so a
 * little above on average); stalls of s = 160 with probability q = 1/4 in intervals of n = 2000: p = q s / n,
 * effect = s^2 q (1 - q) / (n p (1 - p)); waves: var = 60^2 / 12 / (1 - r^2), tau = (1 + r) / (1 - r) = 3, p
 * = 100 / 2000, effect = 3 var / (n p (1 - p)). */
static void effects_are_those_of_closed_forms(void **state)
{
	const double p = 0.25 * 160 / 2000, stalls = 160 * 160 * 0.25 * 0.75 / (2000 * p * (1 - p));
	const double waves = 3 * 3600 / 12.0 / 0.75 / (2000 * 0.05 * 0.95);
	double seen = mean_effective(100, 2000, each_for_itself);

	print_message("# independent: effect 1, seen %.3f\n", seen);
	assert_true(seen >= 1 && seen < 1.6);
	seen = mean_effective(200, 2000, in_stalls);
	print_message("# stalls: effect %.1f, seen %.1f\n", stalls, seen);
	assert_true(seen > 0.85 * stalls && seen < 1.45 * stalls);	/* tau is estimated from 60 values: a little above 1 */
	seen = mean_effective(200, 2000, in_waves);
	print_message("# waves: effect %.2f, seen %.2f\n", waves, seen);
	assert_true(seen > 0.8 * waves && seen < 1.25 * waves);
}

/* Two runs that are even in themselves, and differ: what they share is worth little. */
static void runs_are_kept_apart(void **state)
{
	static const uint64_t limit = LIMIT;
	struct histogram second;
	struct spread spread, alone;

	spread_init(&spread, &limit, 1);
	spread_init(&alone, &limit, 1);
	for (uint32_t run = 0; run < 2; run++) {
		spread_run(&spread, 0, 60 * SECOND);
		if (!run)
			spread_run(&alone, 0, 60 * SECOND);
		for (uint32_t i = 0; i < 60; i++) {
			interval(&second, 1000, run ? 40 : 10);
			spread_add(&spread, i * SECOND, &second);
			if (!run)
				spread_add(&alone, i * SECOND, &second);
		}
	}
	assert_near(spread_effective(&alone, 0, 60000), 60000, 0);
	assert_true(spread_effective(&spread, 0, 120000) < 12000);
	spread_release(&spread);
	spread_release(&alone);
}

/* Without intervals nothing is known of how they came. */
static void what_is_not_spread_counts_in_full(void **state)
{
	static const uint64_t limit = LIMIT;
	struct spread spread;

	spread_init(&spread, &limit, 1);
	assert_near(spread_effective(&spread, 0, 500), 500, 0);
	spread_run(&spread, 0, 0);
	assert_near(spread_effective(&spread, 0, 500), 500, 0);
	assert_near(spread_effective(&spread, 0, 0), 0, 0);
	spread_release(&spread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_spread_says_what_the_histograms_would),
		cmocka_unit_test(effects_are_those_of_closed_forms),
		cmocka_unit_test(runs_are_kept_apart),
		cmocka_unit_test(what_is_not_spread_counts_in_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
