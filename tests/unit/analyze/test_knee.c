/* Fills with known knees (SSDASSAY_TRACES of each of nine shapes, 25 by default: 225), and recovery after
 * idle. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/knee.h"
#include "analyze/recovery.h"
#include "base/random.h"
#include "check.h"
#include "fills.h"

#define FILLS 25

struct score {
	int fills, right, borders, covered;
	double error_max;
};

static void score_fill(const struct knees *knees, const struct fill_truth *truth, struct score *score)
{
	if (knees->stage_count != truth->knee_count + 1)
		return;
	score->right++;
	for (uint32_t i = 0; i < truth->knee_count; i++) {
		const struct stage *stage = &knees->stage[i + 1];

		score->borders++;
		score->covered += stage->from_low <= truth->knee[i] && truth->knee[i] <= stage->from_high;
		score->error_max = fmax(score->error_max, fabs((double)stage->from - truth->knee[i]));
	}
}

static void knees_of_known_fills_are_found(void **state)
{
	static double rate[FILL_BINS_MAX];
	const char *wanted = getenv("SSDASSAY_TRACES");
	struct score all = { 0 };

	for (enum fill_kind kind = 0; kind < FILL_KINDS; kind++) {
		struct score score = { .fills = wanted ? atoi(wanted) : FILLS };

		for (int i = 0; i < score.fills; i++) {
			const struct fill_truth truth = fill_make(kind, (uint64_t)i + 1, rate);
			struct knees knees;

			assert_int_equal(knee_find(rate, truth.bins, &knees), 0);
			score_fill(&knees, &truth, &score);
		}
		if (score.right < 0.95 * score.fills || score.covered < 0.95 * score.borders ||
		    score.error_max > 10)
			fail_msg("%s: %d of %d right, %d of %d intervals cover, error up to %g bins",
				 fill_names[kind],
				 score.right, score.fills, score.covered, score.borders, score.error_max);
		all.fills += score.fills;
		all.right += score.right;
		all.borders += score.borders;
		all.covered += score.covered;
		all.error_max = fmax(all.error_max, score.error_max);
	}
	print_message("# knees: right number in %d of %d fills, %d of %d intervals hold the truth, error up to %g bins\n", all.right,
		      all.fills, all.covered, all.borders, all.error_max);
}

static void stages_have_rates_and_labels(void **state)
{
	static double rate[1000];
	struct knees knees;
	double cache, low, high;

	for (int i = 0; i < 1000; i++)
		rate[i] = i < 100 ? 3000 : i < 400 ? 500 : 1500;
	assert_int_equal(knee_find(rate, 1000, &knees), 0);
	assert_int_equal(knees.stage_count, 3);
	assert_int_equal(knees.stage[0].label, STAGE_BURST);
	assert_int_equal(knees.stage[1].label, STAGE_FOLDING);	/* slower than what comes later */
	assert_int_equal(knees.stage[2].label, STAGE_DIRECT);
	assert_near(knees.stage[1].rate, 500, 1e-9);
	assert_near(knees.stage[2].rate_median, 1500, 1e-9);
	assert_near(knees.rate, 1000 / (100 / 3000.0 + 300 / 500.0 + 600 / 1500.0), 1e-9);
	assert_true(knee_cache(&knees, &cache, &low, &high));
	assert_near(cache, 100, 2);
	assert_true(low <= 100 && high >= 100);
	for (int i = 0; i < 1000; i++)
		rate[i] = 1500;
	assert_int_equal(knee_find(rate, 1000, &knees), 0);
	assert_int_equal(knees.stage_count, 1);
	assert_int_equal(knees.stage[0].label, STAGE_ONLY);
	assert_false(knee_cache(&knees, &cache, &low, &high));
	assert_int_equal(knee_find(rate, KNEE_BINS_MIN - 1, &knees), -ERANGE);
}

static void a_cycling_stage_has_its_period(void **state)
{
	static double rate[FILL_BINS_MAX];
	const struct fill_truth truth = fill_make(FILL_CYCLIC, 1, rate);
	struct knees knees;

	assert_int_equal(knee_find(rate, truth.bins, &knees), 0);
	assert_int_equal(knees.stage_count, 3);
	assert_true(knees.stage[2].cycling);
	assert_int_equal(knees.stage[2].label, STAGE_CYCLING);
	assert_near(knees.stage[2].period, 20, 1);
	assert_near(knees.stage[2].rate, 400, 15);
}

static void bins_count_data_not_time(void **state)
{
	const double amount[] = { 2.5, 0, 1, 0.5, 3 }, duration[] = { 1, 1, 1, 1, 1 };
	double rate[10];

	assert_int_equal(knee_bins(amount, duration, COUNT(amount), 1, rate, 10), 7);
	assert_near(rate[0], 2.5, 1e-12);
	assert_near(rate[1], 2.5, 1e-12);
	assert_near(rate[2], 1 / (0.2 + 1 + 0.5), 1e-12);	/* the silent second counts */
	assert_near(rate[3], 1 / (0.5 + 1), 1e-12);
	assert_near(rate[6], 3, 1e-12);
	assert_int_equal(knee_bins(amount, duration, COUNT(amount), 1, rate, 2), 2);
}

/* -- recovery -- */

/* 3 a second up to 100, then 1 a second; intervals of half a second, of which one sees both. */
static void a_knee_inside_an_interval_is_found_by_its_balance(void **state)
{
	double amount[400], duration[400], knee, low, high;

	for (int i = 0; i < 400; i++) {
		double from = i * 0.5, to = from + 0.5, end = 100.0 / 3;

		duration[i] = 0.5;
		amount[i] = 3 * (fmin(fmax(end, from), to) - from) + (to - fmin(fmax(end, from), to));
	}
	assert_true(knee_sharpen(amount, duration, 400, 97, &knee, &low, &high));	/* seen two intervals too early */
	assert_near(knee, 100, 1e-9);
	assert_true(low <= 100 && high >= 100 && high - low <= 1.5);
	assert_false(knee_sharpen(amount, duration, 400, 1, &knee, &low, &high));	/* nothing before it */
	assert_false(knee_sharpen(amount, duration, 68, 100, &knee, &low, &high));	/* nothing behind it */
}

/* A knee at the edge of an interval is not known to the byte: an interval a little slower counts as unmixed. */
static void a_knee_between_intervals_has_an_interval_of_its_own(void **state)
{
	double amount[40], duration[40], knee, low, high;

	for (int i = 0; i < 40; i++) {
		duration[i] = 0.5;
		amount[i] = i < 20 ? 1.5 : 0.5;
	}
	amount[20] = 0.5 + 0.02;	/* 1 % of the interval was still fast: the cache is so much larger than 30 */
	assert_true(knee_sharpen(amount, duration, 40, 30, &knee, &low, &high));
	assert_near(knee, 30.03, 0.001);
	assert_true(low < 30 && high > 30.04 && high - low < 0.2);
}

static void recovery_follows_its_exponential(void **state)
{
	static const double idles[] = { 0, 10, 30, 60, 300, 1800 };
	double idle[18], amount[18];
	struct random random;
	struct recovery recovery;
	uint32_t count = 0;

	random_init(&random, 1, 0);
	for (int repeat = 0; repeat < 3; repeat++) {
		for (size_t i = 0; i < COUNT(idles); i++) {
			idle[count] = idles[i];
			amount[count++] = 80 * (1 - exp(-idles[i] / 120)) + (random_double(&random) - 0.5);
		}
	}
	recovery_fit(idle, amount, count, &recovery);
	assert_int_equal(recovery.point_count, 6);
	assert_int_equal(recovery.point[3].repeats, 3);
	assert_near(recovery.point[3].idle_s, 60, 0);
	assert_true(recovery.point[3].half_width < 3);
	assert_near(recovery.amount_infinite, 80, 1);
	assert_near(recovery.tau_s, 120, 5);
	assert_near(recovery.rate_initial, 80 / 120.0, 0.03);
	assert_near(recovery.idle_90_s, 276, 12);
	assert_true(recovery.misfit < 0.01);
}

static void no_recovery_is_no_number(void **state)
{
	const double idle[] = { 0, 10, 30 }, none[] = { 0, 0, 0 };
	struct recovery recovery;

	recovery_fit(idle, none, 3, &recovery);
	assert_int_equal(recovery.point_count, 3);
	assert_true(isnan(recovery.tau_s) && isnan(recovery.amount_infinite));
	recovery_fit(idle, none, 0, &recovery);
	assert_int_equal(recovery.point_count, 0);
}

static void a_burst_ends_where_it_stays_slow(void **state)
{
	const double amount[] = { 10, 10, 10, 2, 10, 10, 4, 4, 4 }, duration[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };

	assert_near(recovery_amount(amount, duration, COUNT(amount)), 52, 1e-12);
	assert_near(recovery_amount(amount, duration, 0), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knees_of_known_fills_are_found),
		cmocka_unit_test(stages_have_rates_and_labels),
		cmocka_unit_test(a_cycling_stage_has_its_period),
		cmocka_unit_test(bins_count_data_not_time),
		cmocka_unit_test(a_knee_inside_an_interval_is_found_by_its_balance),
		cmocka_unit_test(a_knee_between_intervals_has_an_interval_of_its_own),
		cmocka_unit_test(recovery_follows_its_exponential),
		cmocka_unit_test(no_recovery_is_no_number),
		cmocka_unit_test(a_burst_ends_where_it_stays_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
