#include <stdlib.h>
#include "analyze/drop.h"
#include "analyze/littles_law.h"
#include "check.h"

static void a_fall_below_the_share_ends_it(void **state)
{
	struct drop drop = { 0 };

	for (int i = 0; i < 50; i++)
		assert_false(drop_feed(&drop, 1000, 1e9, 0.3));
	for (int i = 0; i < 3; i++)
		assert_false(drop_feed(&drop, 650, 1e9, 0.3));
	assert_true(drop_feed(&drop, 650, 1e9, 0.3));
	assert_near(drop.best_per_ns, 1000e-9, 1e-15);
	assert_near(drop.now_per_ns, 650e-9, 1e-15);
}

static void one_bad_interval_or_a_slow_start_does_not(void **state)
{
	struct drop drop = { 0 };

	for (int i = 0; i < 10; i++)
		assert_false(drop_feed(&drop, 10 * i, 1e9, 0.3));
	for (int i = 0; i < 50; i++)
		assert_false(drop_feed(&drop, i == 25 ? 0 : 1000, 1e9, 0.3));
	assert_false(drop_feed(&drop, 0, 0, 0.3));
}

static void a_silent_drive_never_had_a_best(void **state)
{
	struct drop drop = { 0 };

	for (int i = 0; i < 10; i++)
		assert_false(drop_feed(&drop, 0, 1e9, 0.3));
}

static void depth_reached_agrees_with_rate_times_latency(void **state)
{
	struct tally *tally = calloc(1, sizeof(*tally));
	struct littles_law law;

	assert_non_null(tally);
	tally_clear(tally);
	tally->end_ns = 1000000000;
	for (int i = 0; i < 32000; i++)
		histogram_record(&tally->op[IO_READ].service, 1000000);
	tally->op[IO_READ].ios = 32000;
	tally->in_flight_ns = 32e9;
	law = littles_law_of(tally);
	assert_near(law.reached, 32, 1e-9);
	assert_near(law.computed, 32, 1e-9);
	assert_true(law.agrees);
	tally->in_flight_ns = 40e9;
	assert_false(littles_law_of(tally).agrees);
	tally->end_ns = 0;
	assert_true(isnan(littles_law_of(tally).reached));
	free(tally);
}

/* 56 of 64 in two seconds: while they came back at the end nothing was sent, for as long as the slowest took. */
static void what_comes_back_at_the_end_is_no_lack_of_depth(void **state)
{
	struct tally *tally = calloc(1, sizeof(*tally));

	tally_clear(tally);
	tally->end_ns = 2000000000;
	tally->spans = 1;
	tally->in_flight_ns = 56 * 2e9;
	tally->op[IO_WRITE].ios = 1100;
	for (int i = 0; i < 1099; i++)
		histogram_record(&tally->op[IO_WRITE].service, 1000000);
	assert_near(littles_share(tally, 64), 56.0 / 64 / (1 - 64.0 / 2200), 1e-9);
	assert_true(littles_share(tally, 64) > 0.9);
	tally->in_flight_ns = 52 * 2e9;
	assert_true(littles_share(tally, 64) < 0.9);
	histogram_record(&tally->op[IO_WRITE].service, 750000000);
	assert_near(littles_share(tally, 64), 1, 1e-9);
	tally->in_flight_ns = 40 * 2e9;
	assert_near(littles_share(tally, 64), 40.0 / 64 / (1 - 0.75 / 4), 1e-9);
	free(tally);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fall_below_the_share_ends_it),
		cmocka_unit_test(one_bad_interval_or_a_slow_start_does_not),
		cmocka_unit_test(a_silent_drive_never_had_a_best),
		cmocka_unit_test(depth_reached_agrees_with_rate_times_latency),
		cmocka_unit_test(what_comes_back_at_the_end_is_no_lack_of_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
