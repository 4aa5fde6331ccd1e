/* The intervals of a step as columns for charts. */
#include <math.h>
#include "support.h"
#include "report/series.h"

#define SECOND 1e9
#define COUNT 24u

static double *column(struct series *series)
{
	return arena_alloc(&series->arena, series->capacity * sizeof(double));
}

/* Two seconds of load, three of rest, over and over: a mean of ten seconds has its dot where there was load. */
static void the_mean_of_a_duty_cycle_stands_in_the_load(void **state)
{
	struct series series = { .count = COUNT, .capacity = COUNT };
	double *times, *means;
	uint32_t count, dots = 0;

	series.t_ns = column(&series);
	series.duration_ns = column(&series);
	series.iops = column(&series);
	for (uint32_t i = 0; i < COUNT; i++) {
		series.t_ns[i] = (i + 0.5) * SECOND;
		series.duration_ns[i] = i % 5 < 2 ? SECOND : 0;
		series.iops[i] = i % 5 < 2 ? 100 : NAN;
	}
	count = series_smooth(&series, series.iops, 10 * SECOND, &times, &means);
	for (uint32_t i = 0; i < count; i++) {
		if (isnan(means[i]))
			continue;
		dots++;
		assert_float_equal(means[i], 100, 1e-9);
		assert_true(series.duration_ns[(uint32_t)(times[i] / SECOND)] > 0);
	}
	assert_true(dots >= 2);
	series_release(&series);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_mean_of_a_duty_cycle_stands_in_the_load) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
