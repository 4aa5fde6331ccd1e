/* When a line of progress is due: of one target, and of several side by side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "cli/progress.h"

#define START_NS 5000000000ull
#define MS 1000000ull

/* How many lines `target` of `count` gets in ten seconds, when each says something every half second, each a
 * moment after the one before it; `steps`: in steps of this many seconds, that begin later by one second from
 * target to target; 0 = one. */
static int lines_of(const char *style, uint32_t target, uint32_t count, uint32_t steps)
{
	struct progress progress;
	int lines = 0;

	assert_int_equal(progress_init(&progress, style), 0);
	for (uint32_t tick = 0; tick < 20; tick++)
		for (uint32_t i = 0; i < (count ? count : 1); i++) {
			char name[16];
			uint32_t step = steps ? (tick / 2 + i) / steps : 0;
			struct run_progress now = {.step = name, .phase = "measure", .target = i,
						   .target_count = count, .step_number = step + 1};
			bool new_step;

			snprintf(name, sizeof(name), "step%u", step);
			lines += progress_is_due(&progress, &now, START_NS + tick * 500 * MS + i * MS,
						 &new_step) &&
				 i == target;
		}
	return lines;
}

static void json_is_a_line_a_second_for_each_target(void **state)
{
	(void)state;
	assert_int_equal(lines_of("json", 0, 0, 0), 10);
	for (uint32_t target = 0; target < 3; target++)
		assert_int_equal(lines_of("json", target, 3, 0), 10);
}

static void a_new_step_is_told_at_once(void **state)
{
	(void)state;
	for (uint32_t target = 0; target < 2; target++)
		assert_in_range(lines_of("json", target, 2, 3), 10, 14);
	assert_in_range(lines_of("plain", 0, 0, 3), 4, 5);
}

/* Targets that are in different steps are not a new step each time that another speaks. */
static void plain_is_a_line_in_ten_seconds_for_all(void **state)
{
	(void)state;
	assert_int_equal(lines_of("plain", 0, 0, 0), 1);
	assert_in_range(lines_of("plain", 0, 2, 6) + lines_of("plain", 1, 2, 6), 2, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_is_a_line_a_second_for_each_target),
		cmocka_unit_test(a_new_step_is_told_at_once),
		cmocka_unit_test(plain_is_a_line_in_ten_seconds_for_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
