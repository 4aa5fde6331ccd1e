#include <stdlib.h>
#include <string.h>
#include "analyze/consistency.h"
#include "analyze/levels.h"
#include "analyze/numbers.h"
#include "analyze/pelt.h"
#include "analyze/period.h"
#include "base/random.h"
#include "check.h"

static double normal(struct random *random)
{
	return sqrt(-2 * log(1 - random_double(random))) * cos(2 * M_PI * random_double(random));
}

/* -- numbers -- */

static void medians_and_quantiles_are_those_of_the_definition(void **state)
{
	double odd[] = { 5, 1, 3 }, even[] = { 4, 1, 3, 2 };
	const double sorted[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };

	assert_near(numbers_median_of(odd, 3), 3, 0);
	assert_near(numbers_median_of(even, 4), 2.5, 0);
	assert_near(numbers_sorted_quantile(sorted, 10, 0.1), 1, 0);
	assert_near(numbers_sorted_quantile(sorted, 10, 0.11), 2, 0);
	assert_near(numbers_sorted_quantile(sorted, 10, 1), 10, 0);
	assert_true(isnan(numbers_median_of(odd, 0)));
}

static void running_medians_agree_with_sorting_each_window(void **state)
{
	double y[200], out[200];
	struct random random;

	random_init(&random, 1, 0);
	for (int i = 0; i < 200; i++)
		y[i] = floor(10 * random_double(&random));	/* with ties */
	for (uint32_t width = 1; width < 30; width += 2) {
		assert_int_equal(numbers_running_median(y, 200, width, out), 0);
		for (int i = 0; i < 200; i++) {
			const int half = (int)width / 2, from = i > half ? i - half : 0;
			const int to = i + half < 200 ? i + half + 1 : 200;
			double window[30];

			memcpy(window, y + from, (size_t)(to - from) * sizeof(y[0]));
			assert_near(out[i], numbers_median_of(window, (uint32_t)(to - from)), 0);
		}
	}
}

/* -- pelt -- */

#define POINTS 120

/* Optimal partitioning without any pruning. */
static double best_cost(const double *y, uint32_t n, double penalty, uint32_t segment_min)
{
	double best[POINTS + 1];

	best[0] = -penalty;
	for (uint32_t to = 1; to <= n; to++) {
		best[to] = INFINITY;
		for (uint32_t from = 0; from + segment_min <= to; from++) {
			const double mean = numbers_mean(y + from, to - from);
			double cost = 0;

			for (uint32_t i = from; i < to; i++)
				cost += (y[i] - mean) * (y[i] - mean);
			best[to] = fmin(best[to], best[from] + cost + penalty);
		}
	}
	return best[n];
}

static double cost_of(const double *y, const uint32_t *ends, int count, double penalty)
{
	double total = -penalty;

	for (int s = 0; s < count; s++) {
		const uint32_t from = s > 0 ? ends[s - 1] : 0;
		const double mean = numbers_mean(y + from, ends[s] - from);

		total += penalty;
		for (uint32_t i = from; i < ends[s]; i++)
			total += (y[i] - mean) * (y[i] - mean);
	}
	return total;
}

static void pelt_finds_the_cheapest_segmentation(void **state)
{
	struct random random;

	random_init(&random, 2, 0);
	for (int round = 0; round < 150; round++) {
		const uint32_t n = 10 + (uint32_t)random_below(&random, POINTS - 10);
		const uint32_t segment_min = 1 + (uint32_t)random_below(&random, 5);
		const double penalty = 2 + 20 * random_double(&random);
		uint32_t ends[POINTS + 1];
		double y[POINTS], level = 0;
		int count;

		for (uint32_t i = 0; i < n; i++) {
			if (random_below(&random, 15) == 0)
				level = 10 * random_double(&random);
			y[i] = level + normal(&random);
		}
		count = pelt(y, n, penalty, segment_min, ends);
		assert_true(count >= 1);
		assert_int_equal(ends[count - 1], n);
		for (int s = 0; s < count; s++)
			assert_true(ends[s] - (s > 0 ? ends[s - 1] : 0) >= segment_min);
		assert_near(cost_of(y, ends, count, penalty), best_cost(y, n, penalty, segment_min), 1e-6);
	}
}

static void pelt_of_next_to_nothing(void **state)
{
	const double y[] = { 1, 9, 1 };
	uint32_t ends[4];

	assert_int_equal(pelt(y, 0, 1, 2, ends), 0);
	assert_int_equal(pelt(y, 3, 1, 2, ends), 1);
	assert_int_equal(ends[0], 3);
	assert_int_equal(pelt(y, 3, 1, 1, ends), 3);
}

/* -- period -- */

static void periods_are_found_within_five_percent(void **state)
{
	static const double periods[] = { 5, 8.5, 12, 37.3, 90 };
	double y[1440];
	struct random random;
	struct period period;

	random_init(&random, 3, 0);
	for (size_t p = 0; p < COUNT(periods); p++) {
		for (int i = 0; i < 1440; i++)
			y[i] = 100 + 0.02 * i + (fmod(i, periods[p]) < periods[p] / 2 ? 20 : -20) + 5 * normal(&random);
		assert_int_equal(period_find(y, 1440, 8, &period), 0);
		assert_true(period.found);
		assert_near(period.points, periods[p], 0.05 * periods[p]);
	}
}

static void noise_trends_and_constants_have_no_period(void **state)
{
	double y[1000];
	struct random random;
	struct period period;

	random_init(&random, 4, 0);
	for (int round = 0; round < 30; round++) {
		double walk = 0;

		for (int i = 0; i < 1000; i++) {
			walk = 0.9 * walk + normal(&random);
			y[i] = round == 0 ? 7 : round == 1 ? i : walk;
		}
		assert_int_equal(period_find(y, 1000, 8, &period), 0);
		assert_false(period.found);
	}
	assert_int_equal(period_find(y, 3, 8, &period), 0);
	assert_false(period.found);
}

static void too_few_periods_do_not_count(void **state)
{
	double y[400];
	struct period period;

	for (int i = 0; i < 400; i++)
		y[i] = sin(2 * M_PI * i / 60);
	assert_int_equal(period_find(y, 400, 8, &period), 0);
	assert_false(period.found);
	assert_int_equal(period_find(y, 400, 6, &period), 0);
	assert_true(period.found);
}

/* -- levels -- */

static void two_levels_are_told_from_one(void **state)
{
	double y[1000];
	struct random random;
	struct levels levels;

	random_init(&random, 5, 0);
	for (int i = 0; i < 1000; i++)
		y[i] = (i / 50 % 4 == 0 ? 100 : 300) * (1 + 0.05 * normal(&random));
	assert_int_equal(levels_find(y, 1000, &levels), 0);
	assert_true(levels.bimodal);
	assert_near(levels.low, 100, 3);
	assert_near(levels.high, 300, 9);
	assert_near(levels.share_low, 0.25, 1e-9);
	assert_near(levels.dwell_low, 50, 1e-9);
	assert_near(levels.dwell_high, 150, 1e-9);
	assert_int_equal(levels.switches, 9);
	for (int i = 0; i < 1000; i++)
		y[i] = i == 500 ? 0 : 300 * (1 + 0.05 * normal(&random));
	assert_int_equal(levels_find(y, 1000, &levels), 0);
	assert_false(levels.bimodal);			/* one bad second is no level */
	for (int i = 0; i < 1000; i++)
		y[i] = 5;
	assert_int_equal(levels_find(y, 1000, &levels), 0);
	assert_false(levels.bimodal);
	assert_near(levels.low, 5, 0);
}

/* -- consistency -- */

static void consistency_figures_are_those_of_the_definitions(void **state)
{
	static double iops[4000];
	struct consistency consistency;

	for (int i = 0; i < 4000; i++)
		iops[i] = 1000;
	for (int i = 0; i < 10; i++)
		iops[100 * i] = 50 * i;			/* 0, 50 ... 450: all below half, two below a tenth */
	iops[3001] = 0;
	iops[3502] = 0;
	assert_int_equal(consistency_of(iops, 4000, &consistency), 0);
	assert_near(consistency.median, 1000, 0);
	assert_near(consistency.floor_iops, 50, 0);	/* rank 4 of 4000: 0, 0, 0, 50 */
	assert_near(consistency.ratio, 50 / consistency.mean, 1e-12);
	assert_near(consistency.floor_low, 0, 0);
	assert_near(consistency.floor_high, 300, 0);	/* ranks 1 and 9: scipy binom(4000, 0.001) */
	assert_near(consistency.below_half, 12.0 / 4000, 1e-12);
	assert_near(consistency.below_tenth, 4.0 / 4000, 1e-12);
	assert_near(consistency.silent, 3.0 / 4000, 1e-12);
	assert_int_equal(consistency.longest_below_half_s, 1);
	assert_int_equal(consistency.longest_silent_s, 1);
	assert_near(consistency.robust_variation, 0, 0);
	assert_near(consistency.effective_seconds, 4000, 2);
	assert_int_equal(consistency.needs_seconds, 0);
}

/* The same seconds, the silent ones in a row: they are one event, and carry no interval. */
static void slow_seconds_in_a_row_are_fewer(void **state)
{
	static double iops[4000];
	struct consistency consistency;

	for (int i = 0; i < 4000; i++)
		iops[i] = 1000 + i % 3;
	for (int i = 0; i < 4; i++)
		iops[2000 + i] = 0;
	assert_int_equal(consistency_of(iops, 4000, &consistency), 0);
	assert_near(consistency.floor_iops, 0, 0);
	assert_int_equal(consistency.longest_silent_s, 4);
	/* tau = 1 + 2 (3 + 2 + 1) / 4 = 4, but for the mean's share */
	assert_near(consistency.effective_seconds, 1000, 20);
	assert_true(isnan(consistency.floor_low) && isnan(consistency.floor_high));
}

static void too_few_seconds_are_refused_with_how_many_more(void **state)
{
	double iops[1200];
	struct consistency consistency;

	for (int i = 0; i < 1200; i++)
		iops[i] = 1000 + i % 7;
	assert_int_equal(consistency_of(iops, 0, &consistency), 0);
	assert_true(isnan(consistency.mean));
	assert_int_equal(consistency.needs_seconds, 1000);
	assert_int_equal(consistency_of(iops, 200, &consistency), 0);
	assert_true(isnan(consistency.ratio) && isnan(consistency.variation));
	assert_int_equal(consistency.needs_seconds, 800);
	assert_true(consistency.c99 > 0.99);
	assert_int_equal(consistency_of(iops, 1200, &consistency), 0);
	assert_false(isnan(consistency.ratio));
	assert_true(isnan(consistency.floor_low));	/* no interval below 3688 s */
	iops[3] = NAN;
	assert_int_equal(consistency_of(iops, 1000, &consistency), 0);
	assert_int_equal(consistency.needs_seconds, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(medians_and_quantiles_are_those_of_the_definition),
		cmocka_unit_test(running_medians_agree_with_sorting_each_window),
		cmocka_unit_test(pelt_finds_the_cheapest_segmentation),
		cmocka_unit_test(pelt_of_next_to_nothing),
		cmocka_unit_test(periods_are_found_within_five_percent),
		cmocka_unit_test(noise_trends_and_constants_have_no_period),
		cmocka_unit_test(too_few_periods_do_not_count),
		cmocka_unit_test(two_levels_are_told_from_one),
		cmocka_unit_test(consistency_figures_are_those_of_the_definitions),
		cmocka_unit_test(slow_seconds_in_a_row_are_fewer),
		cmocka_unit_test(too_few_seconds_are_refused_with_how_many_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
