/* When a step has settled: the work gate, the detector's verdict, scaled time, and what the verdict looks like
 * as JSON. */
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "../plan/fixture.h"
#include "base/random.h"
#include "run/settle.h"
#include "run/steady_text.h"

#define SECOND 1000000000ull
#define CAPACITY (1000ull * 1000000)

static struct settle_config config_of(enum settle_gate gate)
{
	return (struct settle_config){ .gate = gate, .capacity_bytes = CAPACITY, .scale = 1, .stops = true };
}

/* Feeds intervals of `step_s` until it is steady or `seconds` have passed: iops(t) = start * (1 + slope * t /
 * 3600), with 2 % noise; 4 KiB written by each. Returns the seconds fed. */
static double feed(struct settle *settle, double seconds, double step_s, double start, double slope)
{
	struct random random;
	double t = 0;

	random_init(&random, 7, 0);
	while (t < seconds) {
		double noise = 1 + 0.02 * (2 * random_double(&random) - 1);
		uint64_t ios = (uint64_t)(start * (1 + slope * t / 3600) * noise * step_s);
		int met = settle_feed(settle, (uint64_t)(t * 1e9), (uint64_t)((t + step_s) * 1e9), ios,
				      ios * 4096);

		assert_true(met >= 0);
		t += step_s;
		if (met)
			break;
	}
	return t;
}

static enum steady_kind finish(struct settle *settle)
{
	struct settle_outcome outcome;

	assert_int_equal(settle_finish(settle, &outcome), 0);
	return outcome.verdict.kind;
}

static void an_even_speed_is_steady_an_hour_after_the_gate(void **state)
{
	struct settle_config config = config_of(SETTLE_RANDOM);
	struct settle settle;
	double t;

	settle_init(&settle, &config);
	t = feed(&settle, 10000, 1, 1000, 0);
	/* twice the capacity at 4.096 MB/s takes 488 s, an hour follows */
	assert_true(t > 488 + 3595 && t < 488 + 3610);
	assert_int_equal(finish(&settle), STEADY);
	settle_release(&settle);
}

static void a_speed_that_declines_is_drifting(void **state)
{
	struct settle_config config = config_of(SETTLE_RANDOM);
	struct settle settle;

	settle_init(&settle, &config);
	assert_true(feed(&settle, 7200, 1, 1000, -0.25) >= 7200);
	assert_int_equal(finish(&settle), STEADY_DRIFTING);
	settle_release(&settle);
}

static void a_step_that_ends_before_the_gate_is_time_limited(void **state)
{
	struct settle_config config = config_of(SETTLE_RANDOM);
	struct settle settle;

	settle_init(&settle, &config);
	feed(&settle, 480, 1, 1000, 0);
	assert_false(settle.gate_open);
	assert_int_equal(finish(&settle), STEADY_TIME_LIMITED);
	settle_release(&settle);
}

static void what_must_be_written_depends_on_the_load(void **state)
{
	static const struct { enum settle_gate gate; uint64_t bytes; } rows[] = {
		{ SETTLE_READS, 0 }, { SETTLE_SEQUENTIAL, CAPACITY }, { SETTLE_RANDOM, 2 * CAPACITY },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct settle_config config = config_of(rows[i].gate);
		struct settle settle;

		settle_init(&settle, &config);
		assert_int_equal(settle.gate_bytes, rows[i].bytes);
		assert_int_equal(settle.gate_ns, rows[i].bytes ? 0 : 60 * SECOND);
		settle_release(&settle);
	}
}

static void a_step_after_a_verified_one_finds_the_gate_open(void **state)
{
	struct settle_config config = config_of(SETTLE_RANDOM);
	struct settle settle;

	config.settled = true;
	settle_init(&settle, &config);
	assert_true(feed(&settle, 10000, 1, 1000, 0) < 3605);
	assert_int_equal(finish(&settle), STEADY);
	settle_release(&settle);
}

static void time_and_gate_shrink_with_the_plan(void **state)
{
	struct settle_config config = config_of(SETTLE_RANDOM);
	struct settle settle;
	double t;

	config.scale = 0.1;
	settle_init(&settle, &config);
	t = feed(&settle, 10000, 0.1, 1000, 0);
	assert_true(t > 48 + 359 && t < 48 + 362);
	assert_int_equal(finish(&settle), STEADY);
	settle_release(&settle);
}

static void long_intervals_and_gaps_are_laid_on_seconds(void **state)
{
	struct settle_config config = config_of(SETTLE_READS);
	struct settle settle;

	settle_init(&settle, &config);
	assert_int_equal(settle_feed(&settle, 0, 60 * SECOND, 60000, 0), 0);	/* opens the gate */
	assert_int_equal(settle_feed(&settle, 60 * SECOND, 65 * SECOND, 5000, 0), 0);
	assert_int_equal(settle_feed(&settle, 67 * SECOND, 67 * SECOND + SECOND / 2, 250, 0), 0);
	assert_int_equal(settle_feed(&settle, 67 * SECOND + SECOND / 2, 68 * SECOND, 750, 0), 0);
	assert_int_equal(settle.steady.count, 8);
	assert_true(settle.steady.seconds[4] == 1000);
	assert_true(isnan(settle.steady.seconds[5]) && isnan(settle.steady.seconds[6]));
	assert_true(fabs(settle.steady.seconds[7] - 1000) < 1e-9);
	settle_release(&settle);
}

/* A busy computer: what came in ten minutes is one number. It is no evidence that each second was like it. */
static void an_interval_over_most_of_the_time_is_not_judged(void **state)
{
	struct settle_config config = config_of(SETTLE_READS);
	struct settle settle;

	config.stops = false;
	settle_init(&settle, &config);
	feed(&settle, 120, 1, 1000, 0);
	assert_int_equal(settle_feed(&settle, 120 * SECOND, 4000 * SECOND, 3880000, 0), 0);
	assert_true(settle_is_coarse(&settle));
	assert_int_equal(finish(&settle), STEADY_TIME_LIMITED);
	settle_release(&settle);

	/* one second that lasted ten says little against an hour of them */
	settle_init(&settle, &config);
	feed(&settle, 120, 1, 1000, 0);
	assert_true(settle_feed(&settle, 120 * SECOND, 130 * SECOND, 10075, 0) >= 0);
	for (uint32_t t = 130; t < 4000; t++)
		assert_true(settle_feed(&settle, t * SECOND, (t + 1) * SECOND, 1000 + (t * 2654435761u >> 28),
					0) >= 0);
	assert_false(settle_is_coarse(&settle));
	assert_int_equal(finish(&settle), STEADY);
	settle_release(&settle);
}

static void the_verdict_is_json_with_its_numbers(void **state)
{
	struct settle_config config = config_of(SETTLE_RANDOM);
	struct settle_outcome outcome;
	struct settle settle;
	json_t *object;
	char *text;

	settle_init(&settle, &config);
	feed(&settle, 10000, 1, 1000, 0);
	assert_int_equal(settle_finish(&settle, &outcome), 0);
	text = steady_step_json(&settle, &outcome, NULL);
	object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(object);
	assert_string_equal(json_string_value(json_object_get(object, "verdict")), "steady");
	assert_true(json_is_true(json_object_get(json_object_get(object, "snia"), "met")));
	assert_true(json_is_null(json_object_get(object, "period")));
	assert_true(fabs(json_number_value(json_object_get(object, "mean")) - 1000) < 5);
	/* the figures beside it agree: even from the gate on, without a trend */
	assert_true(json_is_true(json_object_get(json_object_get(object, "mser5"), "valid")));
	assert_true(fabs(json_number_value(json_object_get(json_object_get(object, "mser5"), "mean")) - 1000) < 5);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(object, "trend"), "batches")), 24);
	assert_true(fabs(json_number_value(json_object_get(json_object_get(object, "trend"), "per_hour"))) < 0.02);
	json_decref(object);
	free(text);
	settle_release(&settle);
}

/* A thousandth of the speed is lost every 36 s: 10 % in the first hour, of a mean that is less by then. */
static void a_decline_is_seen_by_the_trend_too(void **state)
{
	struct settle_config config = config_of(SETTLE_READS);
	struct settle_outcome outcome;
	struct settle settle;
	double per_hour;
	json_t *object;
	char *text;

	settle_init(&settle, &config);
	for (uint32_t t = 0; t < 5000; t++)
		assert_true(settle_feed(&settle, t * SECOND, (t + 1) * SECOND, 100000 - t * 100 / 36, 0) >= 0);
	assert_int_equal(settle_finish(&settle, &outcome), 0);
	text = steady_step_json(&settle, &outcome, NULL);
	object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	per_hour = json_number_value(json_object_get(json_object_get(object, "trend"), "per_hour"));
	assert_true(fabs(per_hour - -10000 / outcome.verdict.mean) < 0.001);
	assert_true(json_number_value(json_object_get(json_object_get(object, "trend"), "p")) < 1e-6);
	assert_float_equal(outcome.trend.tau, -1, 0);
	assert_false(outcome.mser.valid);
	json_decref(object);
	free(text);
	settle_release(&settle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_even_speed_is_steady_an_hour_after_the_gate),
		cmocka_unit_test(a_speed_that_declines_is_drifting),
		cmocka_unit_test(a_step_that_ends_before_the_gate_is_time_limited),
		cmocka_unit_test(what_must_be_written_depends_on_the_load),
		cmocka_unit_test(a_step_after_a_verified_one_finds_the_gate_open),
		cmocka_unit_test(time_and_gate_shrink_with_the_plan),
		cmocka_unit_test(long_intervals_and_gaps_are_laid_on_seconds),
		cmocka_unit_test(an_interval_over_most_of_the_time_is_not_judged),
		cmocka_unit_test(the_verdict_is_json_with_its_numbers),
		cmocka_unit_test(a_decline_is_seen_by_the_trend_too),
	};

	return cmocka_run_group_tests_name("settle", tests, NULL, NULL);
}
