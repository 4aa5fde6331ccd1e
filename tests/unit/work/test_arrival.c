#include "fixture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "work/arrival.h"

static void rates_are_right_to_a_thousandth_at_any_speed(void **state)
{
	const double rates[] = { 100, 1000, 10000, 100000, 1e6, 333333.3 };
	const enum load_arrival kinds[] = { ARRIVAL_CONSTANT, ARRIVAL_POISSON };
	const uint64_t count = 2000000;

	for (int r = 0; r < 6; r++) {
		for (int k = 0; k < 2; k++) {
			struct arrival arrival;
			uint64_t first, last;
			double rate;

			arrival_init(&arrival, kinds[k], rates[r], 0, 5000, 1, (uint64_t)r);
			first = arrival_next_ns(&arrival);
			for (uint64_t i = 0; i < count; i++)
				arrival_advance(&arrival);
			last = arrival_next_ns(&arrival);
			rate = (double)count * 1e9 / (double)(last - first);
			/* Poisson: four deviations of the sum of two million gaps are 0.28 % */
			assert_true(fabs(rate / rates[r] - 1) < (k ? 0.0028 : 1e-6));
		}
	}
}

/* The chance of a Poisson schedule is in its seed; the generator itself must have no bias: 64 million
 * gaps. */
static void the_mean_gap_has_no_bias(void **state)
{
	const double rates[] = { 100, 1e6 };

	for (int r = 0; r < 2; r++) {
		struct arrival arrival;
		double rate;

		arrival_init(&arrival, ARRIVAL_POISSON, rates[r], 0, 0, 3, 3);
		for (uint32_t i = 1; i < 64000000; i++)
			arrival_advance(&arrival);
		rate = 64e6 * 1e9 / (double)arrival_next_ns(&arrival);
		assert_true(fabs(rate / rates[r] - 1) < 0.0005);	/* four deviations */
	}
}

static void constant_arrivals_do_not_drift(void **state)
{
	const double rates[] = { 3, 7, 1e6 / 3, 700001 };

	for (int r = 0; r < 4; r++) {
		struct arrival arrival;

		arrival_init(&arrival, ARRIVAL_CONSTANT, rates[r], 0, 0, 1, 1);
		for (uint64_t i = 0; i < 30000000; i++) {
			if (i % 999983 == 0) {
				long double expected = (long double)i * 1e9L / (long double)rates[r];

				assert_true(fabsl((long double)arrival_next_ns(&arrival) - expected) < 1 +
					    expected * 2e-16L);
			}
			arrival_advance(&arrival);
		}
	}
}

static int upwards(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return left < right ? -1 : left > right;
}

/* Kolmogorov-Smirnov statistic x sqrt(n) of gaps against the exponential law. */
static double exponential_ks(double *gaps, uint32_t count, double mean)
{
	double distance = 0;

	qsort(gaps, count, sizeof(*gaps), upwards);
	for (uint32_t i = 0; i < count; i++) {
		double law = 1 - exp(-gaps[i] / mean);

		distance = fmax(distance, fmax(fabs(law - (double)i / count), fabs(law - (i + 1.0) / count)));
	}
	return distance * sqrt(count);
}

static void poisson_gaps_are_exponential(void **state)
{
	const double rates[] = { 100, 1000, 10000, 100000, 1e6 };
	const uint32_t count = 1000000;
	double *gaps = test_malloc(count * sizeof(*gaps));

	for (int r = 0; r < 5; r++) {
		struct arrival arrival;
		uint64_t before;

		arrival_init(&arrival, ARRIVAL_POISSON, rates[r], 0, 0, 2, (uint64_t)r);
		for (uint32_t i = 0; i < count; i++) {
			before = arrival_next_ns(&arrival);
			arrival_advance(&arrival);
			/* whole ns are seen; half of one is lost on average */
			gaps[i] = (double)(arrival_next_ns(&arrival) - before);
		}
		/* 1.95: 1 in 1000; gaps in whole ns add up to sqrt(n) x 1 ns / mean */
		assert_true(exponential_ks(gaps, count, 1e9 / rates[r]) < 1.95 + 1000 * rates[r] / 1e9);
	}
	test_free(gaps);
}

static int upwards_u64(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

static uint64_t *merged(enum load_arrival kind, uint32_t workers, uint32_t each, double rate)
{
	uint64_t *times = test_malloc((size_t)workers * each * sizeof(*times));

	for (uint32_t worker = 0; worker < workers; worker++) {
		struct arrival arrival;

		arrival_init(&arrival, kind, rate / workers, (double)worker / workers, 0, 1, worker);
		for (uint32_t i = 0; i < each; i++) {
			times[worker * each + i] = arrival_next_ns(&arrival);
			arrival_advance(&arrival);
		}
	}
	qsort(times, (size_t)workers * each, sizeof(*times), upwards_u64);
	return times;
}

static void poisson_workers_superpose_to_poisson(void **state)
{
	enum { WORKERS = 16, EACH = 60000, USED = 800000 };
	uint64_t *times = merged(ARRIVAL_POISSON, WORKERS, EACH, 100000);
	double *gaps = test_malloc(USED * sizeof(*gaps));

	for (uint32_t i = 0; i < USED; i++)
		gaps[i] = (double)(times[i + 1] - times[i]);
	assert_true(exponential_ks(gaps, USED, 10000) < 1.95);
	test_free(gaps);
	test_free(times);
}

static void constant_workers_interleave_evenly(void **state)
{
	uint64_t *times = merged(ARRIVAL_CONSTANT, 4, 1000, 1000);

	for (uint32_t i = 0; i < 4000; i++)
		assert_in_range(times[i], i * 1000000ull - (i > 0), i * 1000000ull + 1);
	test_free(times);
}

static void start_and_phase_shift_the_schedule(void **state)
{
	struct arrival arrival;

	arrival_init(&arrival, ARRIVAL_CONSTANT, 1000, 0.25, 1000000000, 1, 0);
	assert_int_equal(arrival_next_ns(&arrival), 1000250000);
	arrival_advance(&arrival);
	assert_int_equal(arrival_next_ns(&arrival), 1001250000);
}

/* B05: rates below one I/O per second, down to never. */
static void slow_rates_are_honoured(void **state)
{
	struct arrival arrival;

	arrival_init(&arrival, ARRIVAL_CONSTANT, 50.0 / 4096, 0, 0, 1, 0);
	arrival_advance(&arrival);
	assert_int_equal(arrival_next_ns(&arrival), 81920000000ull);
	for (int k = 0; k < 2; k++) {
		arrival_init(&arrival, k ? ARRIVAL_POISSON : ARRIVAL_CONSTANT, 1e-300, 0, 77, 1, 0);
		arrival_advance(&arrival);
		assert_int_equal(arrival_next_ns(&arrival), UINT64_MAX);
		arrival_advance(&arrival);
		assert_int_equal(arrival_next_ns(&arrival), UINT64_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_right_to_a_thousandth_at_any_speed),
		cmocka_unit_test(the_mean_gap_has_no_bias),
		cmocka_unit_test(constant_arrivals_do_not_drift),
		cmocka_unit_test(poisson_gaps_are_exponential),
		cmocka_unit_test(poisson_workers_superpose_to_poisson),
		cmocka_unit_test(constant_workers_interleave_evenly),
		cmocka_unit_test(start_and_phase_shift_the_schedule),
		cmocka_unit_test(slow_rates_are_honoured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
