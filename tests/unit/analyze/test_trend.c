/* Golden values: exact sums in Python (fractions for slopes, variance and median; erfc for p;
 * NormalDist.inv_cdf for the interval's ranks floor((N - c) / 2) and ceil((N + c) / 2), outwards). */
#include <stdlib.h>
#include "analyze/trend.h"
#include "base/random.h"
#include "check.h"

struct golden {
	uint32_t n;
	double y[48];
	double s, z, p, slope, low, high;
};

static const struct golden goldens[] = {
	{ 24, { 838, 758, 113, 515, 51, 627, 10, 419, 212, 86, 749, 767, 84, 60, 225, 543, 89, 183, 137, 566, 966, 978, 495, 311 },
	  20, 0.47128365713220055, 0.6374381847429542, 4.395833333333333, -21.166666666666668, 21.7 },
	{ 30, { 28, 20, 45, 43, 49, 30, 34, 46, 46, 38, 35, 44, 64, 42, 77, 57, 59, 65, 68, 80, 88, 68, 72, 69, 77, 75, 104, 118, 123, 89 },
	  318, 5.658309053276953, 1.528716703326777e-08, 2.4583333333333335, 1.9375, 3.0 },
	{ 48, { 2, 2, 0, 2, 2, 1, 3, 3, 2, 2, 3, 1, 3, 0, 3, 0, 2, 4, 4, 3, 4, 0, 1, 0, 1, 1, 0, 2, 2, 3, 2, 1, 1, 4, 3, 4, 4, 3, 0, 3,
		3, 1, 3, 3, 0, 2, 1, 1 },
	  33, 0.2920416409577668, 0.7702547861528388, 0, 0, 0.02631578947368421 },
};

static void series_have_their_golden_figures(void **state)
{
	for (size_t i = 0; i < sizeof(goldens) / sizeof(*goldens); i++) {
		const struct golden *golden = &goldens[i];
		const struct trend trend = trend_find(golden->y, golden->n);

		assert_int_equal(trend.batches, golden->n);
		assert_near(trend.s, golden->s, 0);
		assert_near(trend.tau, golden->s / (golden->n * (golden->n - 1) / 2.0), 1e-15);
		assert_near(trend.z, golden->z, 1e-12);
		assert_near(trend.p, golden->p, 1e-9 * golden->p + 1e-15);
		assert_near(trend.slope, golden->slope, 1e-12);
		assert_near(trend.low, golden->low, 1e-12);
		assert_near(trend.high, golden->high, 1e-12);
	}
}

/* On a straight line every pair rises by the same. */
static void a_line_has_its_slope_and_nothing_else(void **state)
{
	double y[40];
	struct trend trend;

	for (int i = 0; i < 40; i++)
		y[i] = 1000 - 2.5 * i;
	trend = trend_find(y, 40);
	assert_near(trend.tau, -1, 0);
	assert_near(trend.z, -779 / sqrt(40 * 39 * 85 / 18.0), 1e-12);
	assert_near(trend.slope, -2.5, 1e-12);
	assert_near(trend.low, -2.5, 1e-12);
	assert_near(trend.high, -2.5, 1e-12);
}

static void what_is_constant_or_short_has_none(void **state)
{
	double y[24];
	struct trend trend;

	for (int i = 0; i < 24; i++)
		y[i] = 7;
	trend = trend_find(y, 24);
	assert_near(trend.p, 1, 0);
	assert_near(trend.slope, 0, 0);
	assert_near(trend.high, 0, 0);
	assert_int_equal(trend_find(y, 23).batches, 0);
	assert_int_equal(trend_find(y, 0).batches, 0);
}

/* Of 2000 series without a trend 5 % seem to have one, and the interval holds the slope in 95 %. */
static void its_errors_are_as_many_as_it_says(void **state)
{
	int seems = 0, holds = 0;
	struct random random;

	random_init(&random, 11, 0);
	for (int i = 0; i < 2000; i++) {
		double y[24];
		struct trend trend;

		for (int j = 0; j < 24; j++)
			y[j] = 3 * j + 100 * random_double(&random);
		trend = trend_find(y, 24);
		holds += trend.low <= 3 && trend.high >= 3;
		for (int j = 0; j < 24; j++)
			y[j] -= 3 * j;
		seems += trend_find(y, 24).p < 0.05;
	}
	print_message("# %d of 2000 without a trend seem to have one; %d intervals hold the slope\n", seems,
		      holds);
	assert_in_range(seems, 70, 130);
	assert_in_range(holds, 1870, 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(series_have_their_golden_figures),
		cmocka_unit_test(a_line_has_its_slope_and_nothing_else),
		cmocka_unit_test(what_is_constant_or_short_has_none),
		cmocka_unit_test(its_errors_are_as_many_as_it_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
