/* For how long nothing has moved: what a step or a purge is given up by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/life.h"

#define S 1000000000ull

static void a_count_that_stays_has_been_still_since_the_first_look(void **state)
{
	struct life life = { 0 };

	(void)state;
	assert_int_equal(life_still_ns(&life, 7, 100 * S), 0);
	assert_int_equal(life_still_ns(&life, 7, 101 * S), 1 * S);
	assert_int_equal(life_still_ns(&life, 7, 109 * S), 9 * S);
	assert_int_equal(life_still_ns(&life, 7, 119 * S), 19 * S);
}

static void whatever_moves_begins_it_again(void **state)
{
	struct life life = { 0 };

	(void)state;
	life_still_ns(&life, 7, 100 * S);
	assert_int_equal(life_still_ns(&life, 8, 105 * S), 0);
	assert_int_equal(life_still_ns(&life, 8, 107 * S), 2 * S);
	assert_int_equal(life_still_ns(&life, 3, 108 * S), 0);	/* another device under the same number */
}

/* Ctrl-Z, and fg after the weekend. */
static void a_time_in_which_nobody_looked_does_not_count(void **state)
{
	struct life life = { 0 };

	(void)state;
	life_still_ns(&life, 7, 100 * S);
	assert_int_equal(life_still_ns(&life, 7, 105 * S), 5 * S);
	assert_int_equal(life_still_ns(&life, 7, 200000 * S), 0);
	assert_int_equal(life_still_ns(&life, 7, 200003 * S), 3 * S);
}

static void what_is_no_block_device_is_not_counted(void **state)
{
	uint64_t done = 5;

	(void)state;
	assert_false(life_done(0, &done));
	assert_int_equal(done, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_count_that_stays_has_been_still_since_the_first_look),
		cmocka_unit_test(whatever_moves_begins_it_again),
		cmocka_unit_test(a_time_in_which_nobody_looked_does_not_count),
		cmocka_unit_test(what_is_no_block_device_is_not_counted),
	};

	return cmocka_run_group_tests_name("life", tests, NULL, NULL);
}
