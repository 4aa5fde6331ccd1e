/* The arrays of a step agree with merging everything by hand. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "fixture.h"

#define INTERVALS 5
#define LOADS 3

struct made {
	struct store *store;
	struct tally *tally[LOADS][INTERVALS];
};

static void make(struct made *made, const char *path)
{
	struct random random;

	random_init(&random, 11, 12);
	assert_int_equal(store_create(path, &made->store, NULL), 0);
	for (uint32_t i = 0; i < INTERVALS; i++) {
		for (uint32_t load = 0; load < LOADS; load++) {
			struct interval_record interval = {
				.step = 4, .load = load, .index = i, .ramp = i == 0
			};

			made->tally[load][i] = tally_new();
			tally_fill(made->tally[load][i], &random, i, i == 3 ? 0 : 100 + load, load == 1);
			interval.tally = made->tally[load][i];
			assert_int_equal(store_put_interval(made->store, &interval), 0);
		}
	}
	assert_int_equal(store_commit(made->store), 0);
}

static void release(struct made *made)
{
	for (uint32_t load = 0; load < LOADS; load++)
		for (uint32_t i = 0; i < INTERVALS; i++)
			free(made->tally[load][i]);
	store_close(made->store);
}

static void assert_near(double value, double expected, double share)
{
	if (!(fabs(value - expected) <= share * expected))
		fail_msg("%g is not near %g", value, expected);
}

/* One element against the loads' tallies of that interval. */
static void check_element(const struct made *made, const struct store_series *series, uint32_t i,
			  int32_t load, int32_t op)
{
	struct histogram *merged = calloc(1, sizeof(*merged));
	double ios = 0, bytes = 0, errors = 0;

	histogram_clear(merged);
	for (uint32_t k = 0; k < LOADS; k++) {
		for (int o = 0; o < IO_OPS; o++) {
			const struct op_tally *tally = &made->tally[k][i]->op[o];

			if ((load >= 0 && (uint32_t)load != k) || (op >= 0 && op != o))
				continue;
			histogram_add(merged, &tally->service);
			ios += (double)tally->ios;
			bytes += (double)tally->bytes;
			errors += (double)tally->errors;
		}
	}
	assert_true(series->ios[i] == ios && series->bytes[i] == bytes && series->errors[i] == errors);
	assert_true(series->in_flight[i] == 31.5 * (load < 0 ? LOADS : 1));
	assert_true(series->start_s[i] == i && series->duration_s[i] == 1);
	assert_int_equal(series->ramp[i], i == 0);
	if (ios > 0) {
		assert_true(series->min_ns[i] == (double)merged->moments.min_ns);
		assert_true(series->max_ns[i] == (double)merged->moments.max_ns);
		assert_near(series->mean_ns[i], histogram_mean_ns(merged), 1e-9);
		assert_near(series->p50_ns[i], (double)histogram_percentile(merged, 0.5), 0.017);
		assert_near(series->p99_ns[i], (double)histogram_percentile(merged, 0.99), 0.017);
		assert_near(series->p999_ns[i], (double)histogram_percentile(merged, 0.999), 0.017);
	} else {
		assert_true(isnan(series->p99_ns[i]) && isnan(series->mean_ns[i]) &&
			    isnan(series->max_ns[i]));
	}
	free(merged);
}

static void arrays_agree_with_merging_by_hand(void **state)
{
	static const struct {
		int32_t load, op;
	} chosen[] = {
		{ STORE_ALL, STORE_ALL }, { STORE_ALL, IO_READ }, { STORE_ALL, IO_WRITE },
		{ 1, STORE_ALL },         { 2, IO_READ },
	};
	struct fixture *fixture = *state;
	struct made made;

	make(&made, fixture->path);
	for (size_t k = 0; k < sizeof(chosen) / sizeof(chosen[0]); k++) {
		struct store_series series;

		assert_int_equal(store_step_series(made.store, 4, chosen[k].load, chosen[k].op,
						   LATENCY_SERVICE, &series),
				 0);
		assert_int_equal(series.count, INTERVALS);
		for (uint32_t i = 0; i < INTERVALS; i++)
			check_element(&made, &series, i, chosen[k].load, chosen[k].op);
		store_series_release(&series);
	}
	release(&made);
}

static void response_is_there_for_open_loops_only(void **state)
{
	struct fixture *fixture = *state;
	struct store_series series;
	struct made made;

	make(&made, fixture->path);
	assert_int_equal(store_step_series(made.store, 4, 1, IO_READ, LATENCY_RESPONSE, &series), 0);
	assert_true(series.max_ns[0] == (double)made.tally[1][0]->op[IO_READ].response.moments.max_ns);
	store_series_release(&series);
	assert_int_equal(store_step_series(made.store, 4, 0, IO_READ, LATENCY_RESPONSE, &series), 0);
	assert_int_equal(series.count, INTERVALS);
	assert_true(isnan(series.max_ns[0]) && series.ios[0] == 100);
	store_series_release(&series);
	assert_int_equal(store_step_series(made.store, 4, STORE_ALL, STORE_ALL, LATENCY_LATENESS, &series),
			 0);
	assert_true(series.max_ns[0] == (double)made.tally[1][0]->op[IO_READ].lateness.moments.max_ns);
	store_series_release(&series);
	release(&made);
}

static void an_unknown_step_has_no_intervals(void **state)
{
	struct fixture *fixture = *state;
	struct store_series series;
	struct made made;

	make(&made, fixture->path);
	assert_int_equal(store_step_series(made.store, 99, STORE_ALL, STORE_ALL, LATENCY_SERVICE, &series),
			 0);
	assert_int_equal(series.count, 0);
	store_series_release(&series);
	release(&made);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(arrays_agree_with_merging_by_hand),
		TEST(response_is_there_for_open_loops_only),
		TEST(an_unknown_step_has_no_intervals),
	};

	return cmocka_run_group_tests_name("run file, series", tests, NULL, NULL);
}
