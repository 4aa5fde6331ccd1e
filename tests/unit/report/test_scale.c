#include "support.h"

#include <math.h>
#include "report/scale.h"

static void steps_are_one_two_two_and_a_half_and_five(void **state)
{
	static const double rough[] = { 0.9, 1, 1.1, 2.1, 2.6, 5.1, 130, 0.003 };
	static const double step[] = { 1, 1, 2, 2.5, 5, 10, 200, 0.005 };

	for (uint32_t i = 0; i < 8; i++)
		assert_float_equal(scale_step(rough[i]), step[i], 1e-9);
}

static void time_steps_are_those_of_clocks(void **state)
{
	static const double rough_s[] = { 1, 7, 11, 16, 31, 61, 400, 1000, 2000, 5000, 50000, 100000 };
	static const double step_s[] = { 1, 10, 15, 30, 60, 120, 600, 1800, 3600, 7200, 86400, 172800 };

	for (uint32_t i = 0; i < 12; i++)
		assert_float_equal(scale_time_step(rough_s[i] * 1e9), step_s[i] * 1e9, 1);
}

static void an_axis_ends_at_or_above_the_highest_value(void **state)
{
	for (double value = 1e-3; value < 1e9; value *= 1.37) {
		double top = scale_round_up(value, 6);

		assert_true(top >= value * (1 - 1e-9));
		assert_true(top <= value * 1.5);
	}
	assert_float_equal(scale_round_up(0, 6), 1, 0);
	assert_float_equal(scale_round_up(NAN, 6), 1, 0);
}

static void places_are_linear_in_the_transformed_value(void **state)
{
	struct scale linear = { SCALE_LINEAR, 0, 10, 0, 1000 }, decades = { SCALE_LOG10, 1, 1000, 300, 0 };
	struct scale doublings = { SCALE_LOG2, 1, 256, 0, 8 }, nines = { SCALE_NINES, 0, 0.999, 0, 3 };

	assert_float_equal(scale_place(&linear, 2.5), 250, 1e-9);
	assert_float_equal(scale_place(&linear, 11), 1000, 1e-9);
	assert_float_equal(scale_place(&decades, 10), 200, 1e-9);
	assert_float_equal(scale_place(&doublings, 32), 5, 1e-9);
	assert_float_equal(scale_place(&nines, 0.99), 2, 1e-9);
	assert_true(isnan(scale_place(&linear, NAN)));
}

static void check_ticks(const struct scale *scale, enum scale_unit unit, const char *const *labels)
{
	struct tick ticks[TICKS_MAX];
	uint32_t count = scale_ticks(scale, unit, 6, ticks), labelled = 0;

	for (uint32_t i = 0; i < count; i++) {
		assert_true(ticks[i].value >= scale->low * (1 - 1e-9) &&
			    ticks[i].value <= scale->high * (1 + 1e-9));
		if (ticks[i].minor)
			continue;
		assert_non_null(labels[labelled]);
		assert_string_equal(ticks[i].label, labels[labelled++]);
	}
	assert_null(labels[labelled]);
}

static void ticks_carry_round_numbers_with_units(void **state)
{
	check_ticks(&(struct scale){ SCALE_LINEAR, 0, 100000 }, UNIT_COUNT,
		    (const char *[]){ "0", "20 k", "40 k", "60 k", "80 k", "100 k", NULL });
	check_ticks(&(struct scale){ SCALE_LINEAR, 0, 3600e9 }, UNIT_TIME,
		    (const char *[]){ "0 min", "10 min", "20 min", "30 min", "40 min", "50 min", "60 min",
				      NULL });
	check_ticks(&(struct scale){ SCALE_LINEAR, 0, 200e9 }, UNIT_TIME,
		    (const char *[]){ "0 min", "1 min", "2 min", "3 min", NULL });
	check_ticks(
		&(struct scale){ SCALE_LOG10, 1e4, 1e9 }, UNIT_LATENCY,
		(const char *[]){ "10 \xc2\xb5s", "100 \xc2\xb5s", "1 ms", "10 ms", "100 ms", "1 s", NULL });
	check_ticks(&(struct scale){ SCALE_LOG10, 0.7, 1.5 }, UNIT_NUMBER,
		    (const char *[]){ "0.8", "1", "1.2", "1.4", NULL });
	check_ticks(&(struct scale){ SCALE_LOG2, 512, 4194304 }, UNIT_BYTES,
		    (const char *[]){ "512 B", "4 KiB", "32 KiB", "256 KiB", "2 MiB", NULL });
	check_ticks(&(struct scale){ SCALE_LOG10, 1e-7, 1 }, UNIT_SHARE,
		    (const char *[]){ "0.1 ppm", "10 ppm", "0.1 %", "10 %", NULL });
	check_ticks(&(struct scale){ SCALE_LINEAR, 0, 3.9e9 }, UNIT_TIME,
		    (const char *[]){ "0 s", "1 s", "2 s", "3 s", NULL });
	check_ticks(&(struct scale){ SCALE_LINEAR, 0, 2.4e9 }, UNIT_TIME,
		    (const char *[]){ "0 s", "0.5 s", "1 s", "1.5 s", "2 s", NULL });
	check_ticks(&(struct scale){ SCALE_NINES, 0, 0.9999 }, UNIT_SHARE,
		    (const char *[]){ "0 %", "50 %", "90 %", "99 %", "99.9 %", "99.99 %", NULL });
}

static void ticks_never_overflow_their_list(void **state)
{
	struct tick ticks[TICKS_MAX];

	for (double high = 1e-6; high < 1e15; high *= 7.3) {
		struct scale linear = { SCALE_LINEAR, 0, high }, decades = { SCALE_LOG10, high / 1e12, high };

		assert_in_range(scale_ticks(&linear, UNIT_NUMBER, 9, ticks), 2, TICKS_MAX);
		assert_in_range(scale_ticks(&decades, UNIT_LATENCY, 6, ticks), 2, TICKS_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_one_two_two_and_a_half_and_five),
		cmocka_unit_test(time_steps_are_those_of_clocks),
		cmocka_unit_test(an_axis_ends_at_or_above_the_highest_value),
		cmocka_unit_test(places_are_linear_in_the_transformed_value),
		cmocka_unit_test(ticks_carry_round_numbers_with_units),
		cmocka_unit_test(ticks_never_overflow_their_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
