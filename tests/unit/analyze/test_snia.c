#include "analyze/snia.h"
#include "check.h"

static void golden_windows(void **state)
{
	static const struct { double y[5]; bool met; double range, slope; } golden[] = {
		{ { 100, 100, 100, 100, 100 }, true, 0, 0 },
		{ { 90, 95, 100, 105, 110 }, false, 20, 5 },		/* range passes, slope 20 of 10 fails */
		{ { 109, 91, 100, 91, 109 }, true, 18, 0 },
		{ { 111, 90, 100, 90, 109 }, false, 21, -0.4 },
		{ { 95, 97.5, 100, 102.5, 105 }, true, 10, 2.5 },	/* exactly 10 % of slope passes */
		{ { 95, 97.5, 100, 102.5, 105.1 }, false, 10.1, 2.52 },
		{ { 90, 110, 100, 110, 90 }, true, 20, 0 },		/* exactly 20 % of range passes */
		{ { 0.09, 0.11, 0.1, 0.11, 0.09 }, true, 0.02, 0 },
		{ { 0, 0, 0, 0, 0 }, false, 0, 0 },			/* a dead drive is not steady */
	};

	for (size_t i = 0; i < COUNT(golden); i++) {
		struct snia_verdict verdict;

		snia_evaluate(golden[i].y, 5, &verdict);
		assert_int_equal(verdict.met, golden[i].met);
		assert_near(verdict.range, golden[i].range, 1e-9);
		assert_near(verdict.slope, golden[i].slope, 1e-9);
		assert_near(verdict.slope_excursion, 4 * fabs(golden[i].slope), 1e-9);
	}
}

static void every_reported_number_is_there(void **state)
{
	static const double rounds[] = { 7, 300, 90, 95, 100, 105, 110 };
	struct snia_verdict verdict;

	snia_evaluate(rounds, COUNT(rounds), &verdict);
	assert_int_equal(verdict.last_round, 7);
	assert_near(verdict.y[0], 90, 0);
	assert_near(verdict.average, 100, 1e-12);
	assert_near(verdict.range_allowed, 20, 1e-12);
	assert_near(verdict.slope_allowed, 10, 1e-12);
	assert_near(verdict.intercept, 85, 1e-12);
}

static void fewer_than_five_rounds_are_never_steady(void **state)
{
	static const double rounds[] = { 100, 100, 100, 100, NAN };
	struct snia_verdict verdict;

	for (uint32_t count = 0; count <= 5; count++) {
		snia_evaluate(rounds, count, &verdict);
		assert_false(verdict.met);
		assert_false(verdict.complete);
	}
}

static void the_first_steady_window_is_found_up_to_round_25(void **state)
{
	double rounds[30];
	struct snia_verdict verdict;

	for (int i = 0; i < 30; i++)
		rounds[i] = i < 10 ? 1000 - 80 * i : 200;
	snia_search(rounds, 30, &verdict);
	assert_true(verdict.met);
	assert_int_equal(verdict.last_round, 15);
	for (int i = 0; i < 30; i++)
		rounds[i] = i < 25 ? 1000 - 30 * i : 200;
	snia_search(rounds, 30, &verdict);
	assert_false(verdict.met);
	assert_int_equal(verdict.last_round, 25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_windows),
		cmocka_unit_test(every_reported_number_is_there),
		cmocka_unit_test(fewer_than_five_rounds_are_never_steady),
		cmocka_unit_test(the_first_steady_window_is_found_up_to_round_25),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
