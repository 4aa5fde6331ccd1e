#include <errno.h>
#include "analyze/confidence.h"
#include "base/random.h"
#include "check.h"

/* scipy 1.10: low = largest l with binom.cdf(l - 1, n, p) <= 0.025, high = smallest u with binom.cdf(u - 1,
 * n, p) >= 0.975, coverage = binom.cdf(u - 1, n, p) - binom.cdf(l - 1, n, p). */
static const struct { uint64_t n; double p; uint64_t low, high; double coverage; } golden_ranks[] = {
	{ 10, 0.5, 2, 9, 0.978515625 },
	{ 6, 0.5, 1, 6, 0.96875 },
	{ 100, 0.5, 40, 61, 0.9647997998 },
	{ 1000, 0.05, 37, 65, 0.9580952682 },
	{ 500, 0.01, 1, 11, 0.9801859499 },
	{ 123456, 0.75, 92294, 92891, 0.9502322693 },
	{ 368, 0.99, 360, 368, 0.9624158204 },
	{ 1000, 0.99, 983, 997, 0.9760947635 },
	{ 10000, 0.99, 9880, 9920, 0.9557546828 },
	{ 3688, 0.999, 3680, 3688, 0.9616237518 },
	{ 10000, 0.999, 9983, 9997, 0.9754574619 },
	{ 100000, 0.999, 99880, 99920, 0.9547890568 },
	{ 100000, 0.9999, 99983, 99997, 0.9753934511 },
	{ 1000000, 0.9999, 999880, 999920, 0.9546922529 },
	{ 10000000, 0.99999, 9999880, 9999920, 0.9546825702 },
};

static void ranks_are_those_of_the_binomial(void **state)
{
	for (size_t i = 0; i < COUNT(golden_ranks); i++) {
		uint64_t low = 0, high = 0;

		assert_int_equal(confidence_ranks(golden_ranks[i].n, golden_ranks[i].p, &low, &high), 0);
		assert_int_equal(low, golden_ranks[i].low);
		assert_int_equal(high, golden_ranks[i].high);
		assert_near(confidence_coverage(golden_ranks[i].n, golden_ranks[i].p, low, high),
			    golden_ranks[i].coverage, 1e-8);
	}
}

static void too_few_samples_have_no_interval(void **state)
{
	static const struct { uint64_t n; double p; } few[] = {
		{ 0, 0.5 }, { 1, 0.5 }, { 5, 0.5 }, { 20, 0.9 }, { 367, 0.99 }, { 3687, 0.999 }, { 36886, 0.9999 },
	};
	uint64_t low, high;

	for (size_t i = 0; i < COUNT(few); i++)
		assert_int_equal(confidence_ranks(few[i].n, few[i].p, &low, &high), -ERANGE);
	assert_int_equal(confidence_ranks(100, 1, &low, &high), -ERANGE);
	assert_int_equal(confidence_ranks(100, NAN, &low, &high), -ERANGE);
}

static void very_many_samples_are_no_trouble(void **state)
{
	uint64_t low, high;

	assert_int_equal(confidence_ranks(100000000000, 0.5, &low, &high), 0);
	assert_near((double)low, 5e10 - 309897.0, 2);		/* 1.95996 * sqrt(n) / 2 */
	assert_near((double)high, 5e10 + 309897.0, 2);
	assert_int_equal(confidence_ranks(100000000000, 0.999999, &low, &high), 0);	/* E = 100 000: summed exactly */
	assert_near((double)(high - low), 2 * 1.95996 * 316.2, 3);
}

static void coverage_is_what_is_promised(void **state)
{
	struct random random;
	const uint64_t n = 2000;
	uint64_t low, high;
	int covered = 0;

	random_init(&random, 1, 0);
	assert_int_equal(confidence_ranks(n, 0.99, &low, &high), 0);
	for (int trial = 0; trial < 2000; trial++) {
		uint64_t below = 0;

		for (uint64_t i = 0; i < n; i++)
			below += random_double(&random) < 0.99;
		covered += below >= low && below < high;	/* X_(low) <= q < X_(high) */
	}
	assert_in_range(covered, 1890, 1980);
}

static void the_print_rule_says_how_many_more_are_needed(void **state)
{
	struct percentile_confidence confidence = confidence_percentile(1000, 0.999);

	assert_int_equal(confidence.grade, CONFIDENCE_REFUSED);
	assert_false(confidence.bounded);
	assert_int_equal(confidence.needs, 2688);
	confidence = confidence_percentile(3688, 0.999);
	assert_int_equal(confidence.grade, CONFIDENCE_REFUSED);	/* E = 3.688 < 3.6889 */
	assert_int_equal(confidence.needs, 1);
	confidence = confidence_percentile(5000, 0.999);
	assert_int_equal(confidence.grade, CONFIDENCE_FEW);
	confidence = confidence_percentile(10000, 0.999);
	assert_int_equal(confidence.grade, CONFIDENCE_GOOD);
	assert_int_equal(confidence.high_rank, 9997);
}

/* scipy 1.10: chi2.ppf(0.025, 2k) / 2 / T, chi2.ppf(0.975, 2k + 2) / 2 / T. */
static void poisson_intervals_are_garwoods(void **state)
{
	static const struct { uint64_t count; double exposure, low, high; } golden[] = {
		{ 1, 1, 0.025317807984289876, 5.571643390938898 },
		{ 3, 2, 0.3093360614478007, 4.383636534871162 },
		{ 10, 5, 0.9590777392264866, 3.678071208403556 },
		{ 100, 10, 8.136399125092314, 12.162679379242638 },
	};

	for (size_t i = 0; i < COUNT(golden); i++) {
		const struct bounds bounds = confidence_poisson_rate(golden[i].count, golden[i].exposure);

		assert_near(bounds.low, golden[i].low, 1e-9);
		assert_near(bounds.high, golden[i].high, 1e-9);
	}
	assert_near(confidence_poisson_rate(0, 10).low, 0, 0);
	assert_near(confidence_poisson_rate(0, 10).high, 0.29957322735539910, 1e-12);
	assert_near(confidence_never_seen(1000), 0.0029957322735539910, 1e-15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_are_those_of_the_binomial),
		cmocka_unit_test(too_few_samples_have_no_interval),
		cmocka_unit_test(very_many_samples_are_no_trouble),
		cmocka_unit_test(coverage_is_what_is_promised),
		cmocka_unit_test(the_print_rule_says_how_many_more_are_needed),
		cmocka_unit_test(poisson_intervals_are_garwoods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
