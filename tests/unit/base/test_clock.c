#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"

#define SECOND 1000000000ull
#define TICKS_PER_SECOND 2000000000.0	/* of the imagined processor */

/* A clock that was calibrated at second 100 of an imagined machine. */
static void imagine(struct clock *clock)
{
	clock_init_vdso(clock);
	clock->source = CLOCK_TSC;
	clock->first = (struct clock_sample){ 0, 100 * SECOND, 100 * SECOND, 20 };
	clock->last = (struct clock_sample){ 4000000, 100 * SECOND + 2000000, 100 * SECOND + 2000000, 20 };
	for (uint32_t i = 0; i < CLOCK_LINES; i++)
		clock->lines[i] = (struct clock_line){ .tsc_base = 4000000, .ns_base = 100 * SECOND + 2000000,
						       .mult = (int64_t)1 << 31 };
}

/* The machine `seconds` after that, its counter fast by ppm against both of the kernel's clocks. */
static struct clock_sample moment(double seconds, double ppm)
{
	return (struct clock_sample){
		.tsc = 4000000 + (uint64_t)(seconds * TICKS_PER_SECOND * (1 + ppm * 1e-6)),
		.monotonic_ns = 100 * SECOND + 2000000 + (uint64_t)(seconds * 1e9),
		.raw_ns = 100 * SECOND + 2000000 + (uint64_t)(seconds * 1e9), .doubt_ns = 20,
	};
}

static int64_t error_ns(const struct clock *clock, const struct clock_sample *sample)
{
	return (int64_t)(clock_tsc_ns(clock, clock->line, sample->tsc) - sample->monotonic_ns);
}

static void test_a_virtual_clock_shows_what_it_was_set_to(void **state)
{
	struct clock clock;

	clock_init_virtual(&clock);
	assert_int_equal(clock_now_ns(&clock), 0);
	clock_set(&clock, 42);
	assert_int_equal(clock_now_ns(&clock), 42);
	assert_int_equal(clock_recheck(&clock, NULL), 0);
	assert_string_equal(clock_source_name(clock.source), "virtual");
}

static void test_the_counter_clock_agrees_with_the_kernel_or_says_why_it_is_not_used(void **state)
{
	struct fault fault = { 0 };
	struct clock clock;
	uint64_t start_ns = clock_monotonic_ns(), before_ns, now_ns, slack_ns;
	int err = clock_init_tsc(&clock, &fault);

	if (err < 0) {
		assert_int_equal(err, -EOPNOTSUPP);
		assert_true(fault.text[0]);
		assert_int_equal(clock.source, CLOCK_VDSO);
		print_message("# no counter clock here: %s\n", fault.text);
	}
	before_ns = clock_monotonic_ns();
	now_ns = clock_now_ns(&clock);
	slack_ns = 20000 + (clock_monotonic_ns() - start_ns) / 10000;	/* 100 ppm of what passed since, and a bit */
	assert_true(now_ns + slack_ns > before_ns);
	assert_true(now_ns < clock_monotonic_ns() + slack_ns);
	assert_true(before_ns - start_ns < 30 * SECOND);
	assert_true(clock_cost_ns(&clock) > 0);
}

/* As if the last recheck were longer ago, so that the next one installs a new line. */
static void look_back(struct clock *clock)
{
	clock->last.raw_ns -= 200000000;
	clock->last.monotonic_ns -= 200000000;
	clock->last.tsc -= (uint64_t)(0.2 * 4294967296.0 * 1e9 / (double)clock->lines[0].mult);
}

static void test_it_never_steps_back_for_a_reader_while_it_is_rechecked(void **state)
{
	struct clock clock;
	uint64_t last_ns = 0;

	if (clock_init_tsc(&clock, NULL) < 0)
		skip();
	for (int i = 0; i < 20 && clock.source == CLOCK_TSC; i++) {
		const uint32_t line = clock.line;

		look_back(&clock);
		do {
			const uint64_t now_ns = clock_now_ns(&clock);

			assert_true(now_ns >= last_ns);
			last_ns = now_ns;
			clock_recheck(&clock, NULL);
		} while (clock.line == line && clock.source == CLOCK_TSC);
	}
}

static void test_rechecks_bring_a_slightly_wrong_rate_back_to_the_kernel(void **state)
{
	struct clock clock;
	struct clock_sample sample;

	imagine(&clock);
	for (int second = 1; second <= 5; second++) {
		sample = moment(second, 30);	/* the first calibration was wrong by 30 ppm */
		if (second == 1)
			assert_in_range(error_ns(&clock, &sample), 29900, 30100);
		assert_int_equal(clock_recheck_sample(&clock, &sample, NULL), 0);
	}
	assert_in_range(error_ns(&clock, &sample) + 100, 0, 200);
	assert_int_equal(clock.source, CLOCK_TSC);
}

/* Whoever reads between the measuring and the installing, or was kept from running for long, reads the old
 * line until the new one starts: there they meet, and on both sides time goes forward. */
static void new_line_joins_the_old_one(double ppm)
{
	struct clock clock;
	struct clock_sample sample = moment(1, ppm);
	struct clock_line old;
	uint64_t start_tsc, last_ns = 0;

	imagine(&clock);
	old = clock.lines[clock.line % CLOCK_LINES];
	assert_int_equal(clock_recheck_sample(&clock, &sample, NULL), 0);
	start_tsc = clock.lines[clock.line % CLOCK_LINES].tsc_base;
	assert_in_range((start_tsc - sample.tsc) / (TICKS_PER_SECOND / 1e6), 19900, 20100);	/* us */
	for (uint64_t tsc = sample.tsc; tsc < start_tsc + 40000000; tsc += 997) {
		const uint64_t now_ns = clock_tsc_ns(&clock, clock.line, tsc);

		assert_true(now_ns >= last_ns);
		if (tsc < start_tsc)
			assert_int_equal(now_ns, clock_line_ns(&old, tsc));
		last_ns = now_ns;
	}
	assert_int_equal(clock_tsc_ns(&clock, clock.line, start_tsc), clock_line_ns(&old, start_tsc));
	assert_int_not_equal(clock_tsc_ns(&clock, clock.line, start_tsc + 40000000),
			     clock_line_ns(&old, start_tsc + 40000000));
}

static void test_a_new_line_starts_where_the_old_one_is_then(void **state)
{
	new_line_joins_the_old_one(60);
	new_line_joins_the_old_one(-60);
}

static void test_a_counter_that_drifts_is_given_up_and_time_goes_on(void **state)
{
	struct fault fault = { 0 };
	struct clock clock;
	struct clock_sample sample;

	imagine(&clock);
	sample = moment(1, 10);
	assert_int_equal(clock_recheck_sample(&clock, &sample, &fault), 0);
	sample = moment(2, 200);
	assert_int_equal(clock_recheck_sample(&clock, &sample, &fault), -ESTALE);
	assert_non_null(strstr(fault.text, "drifted"));
	assert_int_equal(clock.source, CLOCK_VDSO);
	assert_int_equal((int64_t)clock.lead_ns, error_ns(&clock, &sample));
	assert_in_range(clock.lead_ns, 300000, 420000);
}

static void test_a_counter_that_runs_backwards_is_given_up(void **state)
{
	struct fault fault = { 0 };
	struct clock clock;
	struct clock_sample sample = moment(1, 0);

	imagine(&clock);
	sample.tsc = 3999999;
	assert_int_equal(clock_recheck_sample(&clock, &sample, &fault), -ESTALE);
	assert_non_null(strstr(fault.text, "backwards"));
	assert_int_equal(clock.lead_ns, 0);	/* a second behind: no lead to keep */
}

static void test_a_reader_that_was_held_up_decides_nothing(void **state)
{
	struct clock clock;
	struct clock_sample sample = moment(1, 300);

	imagine(&clock);
	sample.doubt_ns = 5000000;
	assert_int_equal(clock_recheck_sample(&clock, &sample, NULL), 0);
	assert_int_equal(clock.source, CLOCK_TSC);
	assert_int_equal(clock.line, 0);
}

struct reader {
	struct clock *clock;
	_Atomic bool stop, stepped_back;
};

static void *read_on(void *argument)
{
	struct reader *reader = argument;
	uint64_t last_ns = 0;

	while (!atomic_load(&reader->stop)) {
		uint64_t now_ns = clock_now_ns(reader->clock);

		if (now_ns < last_ns)
			atomic_store(&reader->stepped_back, true);
		last_ns = now_ns;
	}
	return NULL;
}

static void test_another_thread_may_read_while_one_rechecks(void **state)
{
	struct clock clock;
	struct reader reader = { .clock = &clock };
	pthread_t thread;

	if (clock_init_tsc(&clock, NULL) < 0)
		skip();
	assert_int_equal(pthread_create(&thread, NULL, read_on, &reader), 0);
	for (int i = 0; i < 3; i++) {
		struct timespec pause = { .tv_nsec = 110000000 };	/* more than a recheck needs */

		nanosleep(&pause, NULL);
		clock_recheck(&clock, NULL);
	}
	atomic_store(&reader.stop, true);
	pthread_join(thread, NULL);
	assert_false(atomic_load(&reader.stepped_back));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_virtual_clock_shows_what_it_was_set_to),
		cmocka_unit_test(test_the_counter_clock_agrees_with_the_kernel_or_says_why_it_is_not_used),
		cmocka_unit_test(test_it_never_steps_back_for_a_reader_while_it_is_rechecked),
		cmocka_unit_test(test_rechecks_bring_a_slightly_wrong_rate_back_to_the_kernel),
		cmocka_unit_test(test_a_new_line_starts_where_the_old_one_is_then),
		cmocka_unit_test(test_a_counter_that_drifts_is_given_up_and_time_goes_on),
		cmocka_unit_test(test_a_counter_that_runs_backwards_is_given_up),
		cmocka_unit_test(test_a_reader_that_was_held_up_decides_nothing),
		cmocka_unit_test(test_another_thread_may_read_while_one_rechecks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
