#include "analyze/exceedance.h"
#include "base/random.h"
#include "check.h"

#define INTERVALS 50

/* One probe of INTERVALS intervals of `n` I/Os; in each of them a share of I/Os exceeds, in clusters of
 * `cluster`. */
static enum exceedance_verdict probe(struct random *random, double allowed, double share, uint64_t n,
				     uint64_t cluster)
{
	struct exceedance test;

	exceedance_init(&test, allowed, n * INTERVALS);
	for (int i = 0; i < INTERVALS; i++) {
		uint64_t exceeding = 0, marked = 0;

		for (uint64_t k = 0; k < n / cluster; k++)
			if (random_double(random) < 20 * share) {
				marked += cluster;
				exceeding += random_below(random, 20) ? 0 : cluster;
			}
		if (exceedance_feed(&test, n, exceeding, marked) != EXCEEDANCE_OPEN)
			break;
	}
	return test.verdict;
}

static uint32_t count(double allowed, double share, uint64_t n, uint64_t cluster,
		      enum exceedance_verdict verdict)
{
	struct random random;
	uint32_t found = 0;

	random_init(&random, 7, 0);
	for (int i = 0; i < 1000; i++)
		found += probe(&random, allowed, share, n, cluster) == verdict;
	return found;
}

static void at_the_limit_it_is_wrong_as_rarely_as_promised(void **state)
{
	/* 1000 probes: each direction at most 2.5 %, with four standard deviations of room */
	assert_true(count(0.001, 0.001, 2000, 1, EXCEEDANCE_BELOW) <= 45);
	assert_true(count(0.001, 0.001, 2000, 1, EXCEEDANCE_ABOVE) <= 45);
	assert_true(count(0.01, 0.01, 500, 1, EXCEEDANCE_BELOW) <= 45);
	assert_true(count(0.01, 0.01, 500, 1, EXCEEDANCE_ABOVE) <= 45);
}

static void clusters_do_not_make_it_rash(void **state)
{
	/* ten I/Os are slow at once: as independent ones they would be taken for proof in every other probe */
	assert_true(count(0.001, 0.001, 2000, 10, EXCEEDANCE_BELOW) <= 60);
	assert_true(count(0.001, 0.001, 2000, 10, EXCEEDANCE_ABOVE) <= 60);
}

static void far_from_the_limit_it_decides(void **state)
{
	assert_true(count(0.001, 0.0005, 2000, 1, EXCEEDANCE_BELOW) >= 990);
	assert_true(count(0.001, 0.002, 2000, 1, EXCEEDANCE_ABOVE) >= 990);
}

static void an_overloaded_drive_is_told_at_the_first_look(void **state)
{
	struct exceedance test;
	int fed = 0;

	exceedance_init(&test, 0.001, 100000);
	while (exceedance_feed(&test, 2000, 1900, 2000) == EXCEEDANCE_OPEN && fed < INTERVALS)
		fed++;
	assert_int_equal(test.verdict, EXCEEDANCE_ABOVE);
	assert_int_equal(fed + 1, EXCEEDANCE_INTERVALS_MIN);
	assert_int_equal(exceedance_feed(&test, 100000, 0, 0), EXCEEDANCE_ABOVE);	/* it stays */
}

static void tails_are_those_of_the_binomial(void **state)
{
	struct exceedance test;

	/* P(X <= 12) and P(X >= 12) of binomial(10000, 0.001), its masses added one by one */
	exceedance_init(&test, 0.001, 10000);
	for (int i = 0; i < 4; i++) {
		test.n += 2500;
		test.exceeding += 3;
	}
	assert_near(exceedance_tail_low(&test), 0.7916513, 1e-5);
	assert_near(exceedance_tail_high(&test), 0.3031669, 1e-5);
}

static void without_any_io_nothing_is_said(void **state)
{
	struct exceedance test;

	exceedance_init(&test, 0.001, 0);
	for (int i = 0; i < 100; i++)
		assert_int_equal(exceedance_feed(&test, 0, 0, 0), EXCEEDANCE_OPEN);
	assert_near(exceedance_dispersion(&test), 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_the_limit_it_is_wrong_as_rarely_as_promised),
		cmocka_unit_test(clusters_do_not_make_it_rash),
		cmocka_unit_test(far_from_the_limit_it_decides),
		cmocka_unit_test(an_overloaded_drive_is_told_at_the_first_look),
		cmocka_unit_test(tails_are_those_of_the_binomial),
		cmocka_unit_test(without_any_io_nothing_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
