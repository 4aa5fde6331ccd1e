/* Series with known truth. TRACES of each of ten kinds; SSDASSAY_TRACES in the environment makes it more (200 at
 * night). */
#include <stdlib.h>
#include "analyze/snia.h"
#include "analyze/steady.h"
#include "base/random.h"
#include "check.h"
#include "traces.h"

#define TRACES 60

struct outcome {
	int traces, stopped, wrong, covered;
};

static int traces_wanted(void)
{
	const char *wanted = getenv("SSDASSAY_TRACES");

	return wanted ? atoi(wanted) : TRACES;
}

static struct steady_verdict run(const double *y, uint32_t seconds, double first_check_s, bool *ret_stopped)
{
	struct steady_config config = steady_config_default;
	struct steady steady;
	struct steady_verdict verdict;
	int stopped = 0;

	config.first_check_s = first_check_s;
	steady_init(&steady, &config);
	for (uint32_t t = 0; t < seconds && stopped == 0; t++)
		stopped = steady_feed(&steady, y[t]);
	assert_true(stopped >= 0);
	assert_int_equal(steady_finish(&steady, true, &verdict), 0);
	assert_int_equal(verdict.met, stopped);
	steady_release(&steady);
	*ret_stopped = stopped;
	return verdict;
}

static struct outcome run_kind(enum trace_kind kind, double first_check_s)
{
	static double y[TRACE_SECONDS];
	struct outcome outcome = { .traces = traces_wanted() };

	for (int i = 0; i < outcome.traces; i++) {
		const double truth = trace_make(kind, (uint64_t)i + 1, y);
		bool stopped;
		const struct steady_verdict verdict = run(y, TRACE_SECONDS, first_check_s, &stopped);
		const double off = fabs(verdict.mean / truth - 1);

		if (!stopped)
			continue;
		outcome.stopped++;
		outcome.wrong += isnan(truth) || off > 0.10;
		outcome.covered += off <= verdict.mean_half_width + 0.02;
	}
	return outcome;
}

static void outcome_tell(enum trace_kind kind, const struct outcome *outcome)
{
	print_message("# %s: %d of %d stopped, %d of them wrong, %d intervals hold the truth\n",
		      trace_names[kind], outcome->stopped, outcome->traces, outcome->wrong, outcome->covered);
}

static void check_kind(enum trace_kind kind, double wrong_max, double stopped_min)
{
	const struct outcome outcome = run_kind(kind, 3600);

	outcome_tell(kind, &outcome);
	if (outcome.wrong > wrong_max * outcome.traces || outcome.stopped < stopped_min * outcome.traces ||
	    outcome.covered < 0.95 * (outcome.stopped - outcome.wrong))
		fail_msg("%s: %d traces, %d stopped, %d wrong, %d covered", trace_names[kind], outcome.traces,
			 outcome.stopped, outcome.wrong, outcome.covered);
}

static void decays_stop_at_the_plateau(void **state) { check_kind(TRACE_DECAY, 0.02, 0.95); }
static void oscillations_stop_with_the_right_mean(void **state) { check_kind(TRACE_GC, 0.02, 0.95); }
static void short_regimes_are_not_taken_for_steady(void **state) { check_kind(TRACE_BIMODAL, 0.02, 0); }
static void declines_never_stop(void **state) { check_kind(TRACE_DECLINE, 0, 0); }
static void hyperbolic_declines_never_stop(void **state) { check_kind(TRACE_HYPERBOLIC, 0, 0); }
static void a_gated_cliff_is_flat(void **state) { check_kind(TRACE_CLIFF, 0.02, 0.95); }
static void noise_alone_stops_in_the_end(void **state) { check_kind(TRACE_NOISY, 0.02, 0.95); }
static void thermal_sawteeth_stop(void **state) { check_kind(TRACE_SAWTOOTH, 0.02, 0.9); }
static void flat_series_stop(void **state) { check_kind(TRACE_FLAT, 0.02, 1); }

static void long_regimes_need_a_late_start(void **state)
{
	const struct outcome outcome = run_kind(TRACE_BIMODAL_LONG, 7200);

	outcome_tell(TRACE_BIMODAL_LONG, &outcome);
	if (outcome.wrong > fmax(2, 0.10 * outcome.traces))
		fail_msg("%d wrong of %d", outcome.wrong, outcome.traces);
}

static void declines_are_called_drifting(void **state)
{
	static double y[TRACE_SECONDS];
	struct steady_verdict verdict;
	bool stopped;

	trace_make(TRACE_DECLINE, 1, y);
	verdict = run(y, TRACE_SECONDS, 3600, &stopped);
	assert_false(stopped);
	assert_int_equal(verdict.kind, STEADY_DRIFTING);
	assert_near(verdict.drift_per_hour, -0.1625, 0.02);
	assert_string_equal(steady_kind_name(verdict.kind), "drifting");
}

/* Real: falls from 79.6 k to 58.9 k over eight minutes and comes back to 79.8 k (axboe/fio issue 687). */
static void a_dip_of_minutes_is_not_steady_while_it_lasts(void **state)
{
	static double y[7200];
	struct random random;
	struct steady_config config = steady_config_default;
	struct steady_verdict verdict;

	random_init(&random, 1, 0);
	for (int t = 0; t < 7200; t++) {
		const double in = fmin(fmax((t - 3000) / 480.0, 0),
				       1), out = fmin(fmax((t - 3480) / 60.0, 0), 1);

		y[t] = 79600 - 20700 * in + 20900 * out + 800 * (random_double(&random) - 0.5);
	}
	for (uint32_t t = 3300; t <= 3600; t += 60) {
		assert_int_equal(steady_evaluate(&config, y, t, &verdict), 0);
		assert_false(verdict.met);
	}
}

static void a_square_wave_has_its_period_and_levels(void **state)
{
	static double y[14400];
	struct steady_verdict verdict;
	bool stopped;

	for (int t = 0; t < 14400; t++)
		y[t] = t % 240 < 160 ? 50000 : 20000;
	verdict = run(y, 14400, 3600, &stopped);
	assert_true(stopped);
	assert_int_equal(verdict.kind, STEADY_OSCILLATING);
	assert_near(verdict.period_s, 240, 12);
	assert_near(verdict.levels.high, 50000, 1500);
	assert_near(verdict.levels.low, 20000, 600);
	assert_near(verdict.mean, 40000, 800);
	assert_near(verdict.amplitude, 0.375, 0.02);
}

static void constants_give_no_nan(void **state)
{
	static double y[4000];
	struct steady_verdict verdict;
	bool stopped;

	for (int t = 0; t < 4000; t++)
		y[t] = 12345;
	verdict = run(y, 4000, 3600, &stopped);
	assert_true(stopped);
	assert_int_equal(verdict.kind, STEADY);
	assert_near(verdict.mean, 12345, 1e-6);
	assert_near(verdict.mean_half_width, 0, 1e-9);
	assert_near(verdict.drift_per_hour, 0, 1e-9);
	assert_near(verdict.unseen_every_s, 600, 1);
	for (int t = 0; t < 4000; t++)
		y[t] = 0;
	verdict = run(y, 4000, 3600, &stopped);
	assert_false(stopped);
	assert_int_equal(verdict.kind, STEADY_NOT);
}

/* A drive that is silent for 10 s every half hour: the mean of the window says so, whatever the verdict. */
static void short_silences_are_in_the_mean(void **state)
{
	static double y[TRACE_SECONDS];
	struct random random;
	struct steady_verdict verdict;
	bool stopped;

	random_init(&random, 2, 0);
	for (int t = 0; t < TRACE_SECONDS; t++)
		y[t] = t % 1800 < 10 ? 0 : 20000 * (0.98 + 0.04 * random_double(&random));
	verdict = run(y, TRACE_SECONDS, 3600, &stopped);
	assert_near(verdict.mean, 20000 * 1790.0 / 1800, 120);
}

/* The same series at half the speed of time, with all times of the rule doubled, stops at twice the time. */
static void time_scales(void **state)
{
	static double y[TRACE_SECONDS], slow[2 * TRACE_SECONDS];
	const struct steady_config doubled = steady_config_scaled(&steady_config_default, 2);
	struct steady_verdict fast_verdict, slow_verdict;
	struct steady steady;
	bool stopped;

	trace_make(TRACE_DECAY, 3, y);
	for (int t = 0; t < 2 * TRACE_SECONDS; t++)
		slow[t] = y[t / 2];
	fast_verdict = run(y, TRACE_SECONDS, 3600, &stopped);
	assert_true(stopped);
	steady_init(&steady, &doubled);
	for (uint32_t t = 0; t < 2 * TRACE_SECONDS && steady_feed(&steady, slow[t]) == 0; t++)
		;
	assert_int_equal(steady_finish(&steady, true, &slow_verdict), 0);
	assert_true(slow_verdict.met);
	assert_near(slow_verdict.judged_s, 2.0 * fast_verdict.judged_s, 0.11 * slow_verdict.judged_s);
	assert_near(slow_verdict.mean, fast_verdict.mean, 0.01 * fast_verdict.mean);
	steady_release(&steady);
}

static void missing_seconds_change_little(void **state)
{
	static double y[TRACE_SECONDS];
	struct random random;
	struct steady_verdict whole, holed;
	bool stopped;

	random_init(&random, 3, 0);
	trace_make(TRACE_FLAT, 4, y);
	whole = run(y, TRACE_SECONDS, 3600, &stopped);
	for (int t = 0; t < TRACE_SECONDS; t++)
		if (random_below(&random, 20) == 0 || (t > 2500 && t < 2600))
			y[t] = NAN;
	holed = run(y, TRACE_SECONDS, 3600, &stopped);
	assert_true(stopped);
	assert_int_equal(holed.kind, whole.kind);
	assert_near(holed.mean, whole.mean, 0.005 * whole.mean);
}

static void a_closed_gate_is_time_limited(void **state)
{
	struct steady steady;
	struct steady_verdict verdict;

	steady_init(&steady, &steady_config_default);
	for (int t = 0; t < 100; t++)
		assert_int_equal(steady_feed(&steady, 1000), 0);
	assert_int_equal(steady_finish(&steady, false, &verdict), 0);
	assert_int_equal(verdict.kind, STEADY_TIME_LIMITED);
	assert_false(verdict.met);
	steady_release(&steady);
	steady_init(&steady, &steady_config_default);
	assert_int_equal(steady_finish(&steady, true, &verdict), 0);	/* nothing fed at all */
	assert_int_equal(verdict.kind, STEADY_TIME_LIMITED);
	steady_release(&steady);
}

/* A constant series is as steady as any, and yet a step that ends too soon can't know. */
static void a_short_step_is_time_limited(void **state)
{
	static const struct { int seconds; enum steady_kind kind; } rows[] = {
		{ 240, STEADY_TIME_LIMITED }, { 1199, STEADY_TIME_LIMITED }, { 1200, STEADY }, { 3599, STEADY },
	};
	const struct steady_config half = steady_config_scaled(&steady_config_default, 0.5);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct steady steady, scaled;
		struct steady_verdict verdict;

		steady_init(&steady, &steady_config_default);
		steady_init(&scaled, &half);
		for (int t = 0; t < rows[i].seconds; t++)
			assert_int_equal(steady_feed(&steady, 1000), 0);
		for (int t = 0; t < rows[i].seconds / 2; t++)
			assert_int_equal(steady_feed(&scaled, 1000), 0);
		assert_int_equal(steady_finish(&steady, true, &verdict), 0);
		assert_int_equal(verdict.kind, rows[i].kind);
		assert_int_equal(verdict.met, rows[i].kind == STEADY);
		assert_int_equal(steady_finish(&scaled, true, &verdict), 0);
		assert_int_equal(verdict.kind, rows[i].kind);
		steady_release(&steady);
		steady_release(&scaled);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decays_stop_at_the_plateau),
		cmocka_unit_test(oscillations_stop_with_the_right_mean),
		cmocka_unit_test(short_regimes_are_not_taken_for_steady),
		cmocka_unit_test(long_regimes_need_a_late_start),
		cmocka_unit_test(declines_never_stop),
		cmocka_unit_test(hyperbolic_declines_never_stop),
		cmocka_unit_test(a_gated_cliff_is_flat),
		cmocka_unit_test(noise_alone_stops_in_the_end),
		cmocka_unit_test(thermal_sawteeth_stop),
		cmocka_unit_test(a_short_step_is_time_limited),
		cmocka_unit_test(flat_series_stop),
		cmocka_unit_test(declines_are_called_drifting),
		cmocka_unit_test(a_dip_of_minutes_is_not_steady_while_it_lasts),
		cmocka_unit_test(a_square_wave_has_its_period_and_levels),
		cmocka_unit_test(constants_give_no_nan),
		cmocka_unit_test(short_silences_are_in_the_mean),
		cmocka_unit_test(time_scales),
		cmocka_unit_test(missing_seconds_change_little),
		cmocka_unit_test(a_closed_gate_is_time_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
