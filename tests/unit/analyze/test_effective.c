#include <stdlib.h>
#include "analyze/confidence.h"
#include "analyze/effective.h"
#include "base/random.h"
#include "check.h"

/* numpy: d = y - mean, rho_l = sum(d[l:] d[:-l]) / sum(d d), pairs rho_2k + rho_2k+1 while positive and cut
 * to the least so far, tau = 2 * sum - 1. */
static void inflation_is_geyers(void **state)
{
	double waves[200], scattered[200], follows[300] = { 0 };

	for (int i = 0; i < 200; i++) {
		waves[i] = sin(0.9 * i) + 3 * sin(0.05 * pow(i, 1.1));
		scattered[i] = i * 7919 % 1000 / 1000.0;
	}
	for (int i = 1; i < 300; i++)
		follows[i] = 0.8 * follows[i - 1] + i * 7919 % 1000 / 1000.0 - 0.5;
	assert_near(effective_inflation(waves, 200), 20.006205180794836, 1e-9);
	assert_near(effective_inflation(scattered, 200), 2.176853399013033, 1e-9);
	assert_near(effective_inflation(follows, 300), 3.58497601394591, 1e-9);
	assert_near(effective_count(follows, 300), 300 / 3.58497601394591, 1e-6);
}

static void nothing_to_correlate_is_no_inflation(void **state)
{
	const double same[] = { 5, 5, 5, 5, 5, 5 }, few[] = { 1, 2, 3 };

	assert_near(effective_inflation(same, 6), 1, 0);
	assert_near(effective_inflation(few, 3), 1, 0);
	assert_near(effective_inflation(few, 0), 1, 0);
}

/* AR(1) with coefficient r: tau = (1 + r) / (1 - r). */
static void known_correlation_is_found(void **state)
{
	static const double coefficients[] = { 0, 0.5, 0.9 };

	for (size_t k = 0; k < COUNT(coefficients); k++) {
		const double r = coefficients[k], truth = (1 + r) / (1 - r);
		double *y = malloc(100000 * sizeof(*y)), last = 0;
		struct random random;

		random_init(&random, 7, k);
		for (int i = 0; i < 100000; i++)
			y[i] = last = r * last + random_double(&random) - 0.5;
		assert_near(effective_inflation(y, 100000), truth, 0.06 * truth);
		free(y);
	}
}

/* n I/Os of which `slow` take about 100 ms, the others about 100 us. */
static struct histogram *block(uint32_t n, uint32_t slow)
{
	struct histogram *histogram = calloc(1, sizeof(*histogram));

	histogram_clear(histogram);
	for (uint32_t i = 0; i < n; i++)
		histogram_record(histogram, i < slow ? 100000000 : 100000);
	return histogram;
}

/* numpy: K / N = q; d = k - q n; n_eff = N / (m / (m - 1) sum d^2 tau(d) / (N q (1 - q))). */
static void samples_that_come_together_count_less(void **state)
{
	static const uint32_t n[] = { 1000, 900, 1100, 1000, 950, 1050, 1000, 1000, 980, 1020 };
	static const uint32_t slow[] = { 1, 0, 40, 35, 2, 0, 1, 0, 30, 1 };
	struct histogram *blocks[12] = { NULL };

	for (int i = 0; i < 10; i++)
		blocks[i] = block(n[i], slow[i]);
	blocks[11] = block(0, 0);		/* an interval without I/O, and [10] a missing one */
	assert_near(effective_samples((const struct histogram *const *)blocks, 12, 1000000),
		    342.1356088560886, 1e-6);
	assert_near(effective_samples((const struct histogram *const *)blocks, 12, 200000000), 10000, 0);	/* none beyond */
	assert_near(effective_samples((const struct histogram *const *)blocks, 3, 1000000), 3000, 0);	/* too few blocks */
	for (int i = 0; i < 12; i++)
		free(blocks[i]);
}

static void ranks_are_those_of_fewer_samples_stretched(void **state)
{
	struct percentile_confidence all = effective_percentile(10000, 10000, 0.99), few;

	assert_int_equal(all.low_rank, 9880);			/* as confidence_ranks */
	assert_int_equal(all.high_rank, 9920);
	few = effective_percentile(10000, 1000, 0.99);
	assert_int_equal(few.grade, CONFIDENCE_GOOD);
	assert_int_equal(few.low_rank, 9825);			/* 983rd and 997th of 1000 */
	assert_int_equal(few.high_rank, 9965);
	assert_int_equal(effective_percentile(10000, 500, 0.99).grade, CONFIDENCE_FEW);
	assert_int_equal(effective_percentile(10000, NAN, 0.99).low_rank, 9880);	/* unknown: all of them */
	assert_int_equal(effective_percentile(10000, 1e9, 0.99).low_rank, 9880);	/* never more than there are */
}

/* 368 independent samples carry a p99; of samples worth 300 in 10000 it takes 68 / 300 of 10000 more. */
static void what_is_missing_is_told_in_samples_of_the_same_worth(void **state)
{
	struct percentile_confidence confidence = effective_percentile(10000, 300, 0.99);

	assert_int_equal(confidence.grade, CONFIDENCE_REFUSED);
	assert_int_equal(confidence.needs,
			 (uint64_t)ceil((double)(confidence_needed(0.99) - 300) * 10000 / 300));
	assert_int_equal(effective_percentile(10000, 0, 0.99).grade, CONFIDENCE_REFUSED);
	assert_int_equal(effective_percentile(0, 0, 0.99).needs, confidence_needed(0.99));
}

/* Seconds with a stall (one in ten, a fifth of their I/Os slow) and without. */
static struct histogram *stalling_second(struct random *random, int *ret_stalled)
{
	struct histogram *histogram = calloc(1, sizeof(*histogram));

	*ret_stalled = random_double(random) < 0.1;
	histogram_clear(histogram);
	for (int i = 0; i < 500; i++) {
		const int slow = *ret_stalled && random_double(random) < 0.2;

		histogram_record(histogram, (uint64_t)((slow ? 1e7 : 1e5) * (1 + random_double(random))));
	}
	return histogram;
}

/* 99th percentile of 2 % slow I/Os, uniform over 10 .. 20 ms: 15 ms. With independent I/Os assumed its 95 %
 * interval covers the truth far too seldom. */
static void coverage_holds_when_slow_ios_come_together(void **state)
{
	const uint64_t truth = 15000000;
	int covered = 0, naive = 0, trials = 200;
	struct random random;

	random_init(&random, 3, 0);
	for (int trial = 0; trial < trials; trial++) {
		struct histogram *blocks[200], *all = calloc(1, sizeof(*all));
		struct percentile_confidence sure;
		uint64_t low, high;
		int stalled;

		histogram_clear(all);
		for (int i = 0; i < 200; i++) {
			blocks[i] = stalling_second(&random, &stalled);
			histogram_add(all, blocks[i]);
		}
		confidence_ranks(all->moments.n, 0.99, &low, &high);
		naive += histogram_rank_value(all, low) <= truth && histogram_rank_value(all, high) >= truth;
		sure = effective_percentile(all->moments.n,
					    effective_samples((const struct histogram *const *)blocks, 200,
							      histogram_percentile(all, 0.99)), 0.99);
		covered += histogram_rank_value(all, sure.low_rank) <= truth &&
			   histogram_rank_value(all, sure.high_rank) >= truth;
		for (int i = 0; i < 200; i++)
			free(blocks[i]);
		free(all);
	}
	print_message("# p99 of clustered slow I/Os: covered in %d of %d, %d when taken as independent\n",
		      covered, trials, naive);
	assert_true(covered >= trials * 92 / 100);
	assert_true(naive < trials * 60 / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inflation_is_geyers),
		cmocka_unit_test(nothing_to_correlate_is_no_inflation),
		cmocka_unit_test(known_correlation_is_found),
		cmocka_unit_test(samples_that_come_together_count_less),
		cmocka_unit_test(ranks_are_those_of_fewer_samples_stretched),
		cmocka_unit_test(what_is_missing_is_told_in_samples_of_the_same_worth),
		cmocka_unit_test(coverage_holds_when_slow_ios_come_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
