#include <errno.h>
#include <stdlib.h>
#include "analyze/divisive.h"
#include "base/random.h"
#include "check.h"

static double normal(struct random *random)
{
	return sqrt(-2 * log(1 - random_double(random))) * cos(2 * M_PI * random_double(random));
}

/* numpy, all places and ends tried: D = |y_i - y_j|, E = 2 mean(D[:at, at:end]) - sum(D[:at, :at]) / (a (a - 1)) -
 * sum(D[at:end, at:end]) / (b (b - 1)), largest a b / (a + b) E. */
static void best_division_is_that_of_the_energy_distance(void **state)
{
	double one[30], two[30], statistic;
	uint32_t at;

	for (int k = 0; k < 15; k++) {
		one[k] = 100 + k * 37 % 11;
		one[15 + k] = 108 + k * 37 % 11;
	}
	for (int k = 0; k < 30; k++)
		two[k] = k < 10 ? 100 + k * 37 % 11 : k < 22 ? 60 + (k - 10) * 53 % 7 : 100 + (k - 22) * 29 % 11;
	assert_int_equal(divisive_best(one, 30, 4, &at, &statistic), 0);
	assert_int_equal(at, 16);
	assert_near(statistic, 65.6183908045977, 1e-9);
	assert_int_equal(divisive_best(two, 30, 4, &at, &statistic), 0);
	assert_int_equal(at, 10);
	assert_near(statistic, 422.87603305785115, 1e-9);
	assert_int_equal(divisive_best(two, 7, 4, &at, &statistic), -ERANGE);
	assert_int_equal(divisive_best(two, 30, 1, &at, &statistic), -ERANGE);
}

static void a_history_with_two_changes_has_two(void **state)
{
	struct divisive_change changes[8];
	struct random random;
	double y[60];

	random_init(&random, 1, 0);
	for (int i = 0; i < 60; i++)
		y[i] = (i < 25 ? 100 : i < 40 ? 90 : 97) + normal(&random);
	y[10] = 60;		/* one bad run is no change */
	assert_int_equal(divisive_find(y, 60, 1, changes, 8), 2);
	assert_int_equal(changes[0].at, 25);
	assert_int_equal(changes[1].at, 40);
	assert_near(changes[0].before, 100, 1);
	assert_near(changes[0].after, 90, 1);
	assert_near(changes[1].after, 97, 1);
	assert_true(changes[0].p <= DIVISIVE_SIGNIFICANCE && changes[1].p <= DIVISIVE_SIGNIFICANCE);
	assert_int_equal(divisive_find(y, 60, 1, changes, 1), 1);
	assert_int_equal(changes[0].at, 25);
}

/* Not only the mean counts. */
static void a_change_of_spread_is_a_change(void **state)
{
	struct divisive_change changes[8];
	struct random random;
	double y[120];

	random_init(&random, 2, 0);
	for (int i = 0; i < 120; i++)
		y[i] = 100 + (i < 60 ? 1 : 12) * normal(&random);
	assert_int_equal(divisive_find(y, 120, 1, changes, 8), 1);
	assert_in_range(changes[0].at, 52, 68);
}

static void false_alarms_are_as_rare_as_promised(void **state)
{
	struct divisive_change changes[8];
	int alarms = 0, found = 0, trials = 200;
	struct random random;

	random_init(&random, 3, 0);
	for (int trial = 0; trial < trials; trial++) {
		double y[30];

		for (int i = 0; i < 30; i++)
			y[i] = 1000 * exp(0.03 * normal(&random));
		alarms += divisive_find(y, 30, (uint64_t)trial, changes, 8) > 0;
		for (int i = 15; i < 30; i++)
			y[i] *= 0.93;
		found += divisive_find(y, 30, (uint64_t)trial, changes, 8) == 1 && abs((int)changes[0].at - 15) <= 2;
	}
	print_message("# histories of 30 runs: false alarms in %d of %d, a step of 7 %% at 3 %% noise found in %d\n", alarms, trials,
		      found);
	assert_true(alarms <= trials * 9 / 100);	/* 5 % and three deviations */
	assert_true(found >= trials * 80 / 100);
}

static void what_is_no_history_is_refused(void **state)
{
	double y[DIVISIVE_RUNS_MAX + 1] = { 0 };
	struct divisive_change changes[4];

	assert_int_equal(divisive_find(y, DIVISIVE_RUNS_MIN - 1, 1, changes, 4), -ERANGE);
	assert_int_equal(divisive_find(y, DIVISIVE_RUNS_MAX + 1, 1, changes, 4), -ERANGE);
	assert_int_equal(divisive_find(y, 40, 1, changes, 4), 0);	/* all the same */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(best_division_is_that_of_the_energy_distance),
		cmocka_unit_test(a_history_with_two_changes_has_two),
		cmocka_unit_test(a_change_of_spread_is_a_change),
		cmocka_unit_test(false_alarms_are_as_rare_as_promised),
		cmocka_unit_test(what_is_no_history_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
