/* What a load is told not to send, in closed form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "measure/pauses.h"

static void a_load_without_pauses_never_rests(void **state)
{
	const struct pauses none = { 0 };

	(void)state;
	assert_int_equal(pauses_rest_ns(&none, 0, 1000), 0);
	assert_int_equal(pauses_rest_ns(&none, 7, 7), 0);
}

static void a_start_delay_is_rest(void **state)
{
	const struct pauses late = { .delay_ns = 250 };

	(void)state;
	assert_int_equal(pauses_rest_ns(&late, 0, 100), 100);
	assert_int_equal(pauses_rest_ns(&late, 200, 300), 50);
	assert_int_equal(pauses_rest_ns(&late, 300, 900), 0);
	assert_int_equal(pauses_rest_ns(&late, 0, 900), 250);
}

/* 20 on, 30 off, three times, after 10: on in 10..30, 60..80, 110..130. */
static void cycles_rest_between_and_after_their_bursts(void **state)
{
	const struct pauses duty = { .delay_ns = 10, .on_ns = 20, .off_ns = 30, .count = 3 };
	uint64_t sum = 0;

	(void)state;
	assert_int_equal(pauses_rest_ns(&duty, 0, 10), 10);
	assert_int_equal(pauses_rest_ns(&duty, 10, 30), 0);
	assert_int_equal(pauses_rest_ns(&duty, 30, 60), 30);
	assert_int_equal(pauses_rest_ns(&duty, 20, 70), 30);
	assert_int_equal(pauses_rest_ns(&duty, 130, 500), 370);
	assert_int_equal(pauses_rest_ns(&duty, 0, 500), 440);
	for (uint64_t at = 0; at < 500; at += 7)	/* pieces sum up to the whole */
		sum += pauses_rest_ns(&duty, at, at + 7 < 500 ? at + 7 : 500);
	assert_int_equal(sum, 440);
}

static void cycles_without_rests_rest_only_when_they_are_over(void **state)
{
	const struct pauses duty = { .on_ns = 20, .count = 5 };

	(void)state;
	assert_int_equal(pauses_rest_ns(&duty, 0, 100), 0);
	assert_int_equal(pauses_rest_ns(&duty, 0, 130), 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_load_without_pauses_never_rests),
		cmocka_unit_test(a_start_delay_is_rest),
		cmocka_unit_test(cycles_rest_between_and_after_their_bursts),
		cmocka_unit_test(cycles_without_rests_rest_only_when_they_are_over),
	};

	return cmocka_run_group_tests_name("pauses of a load", tests, NULL, NULL);
}
