/* Pauses of the host: heard before a run, and how late the meters were in all but a share of their wake-ups. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "run/hiccup.h"

#define WAKES 2000u
#define MS 1000u

/* In a process that is stopped again and again, each time for much longer than a wake-up may be late. */
static void a_computer_that_pauses_is_noisy(void **state)
{
	struct hiccup_noise noise;
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child)
		_exit(hiccup_listen(WAKES, &noise) || !noise.noisy || noise.late < 6 || noise.wakes != WAKES ||
		      noise.longest_ns < 1000000);
	while (!waitpid(child, &status, WNOHANG)) {
		kill(child, SIGSTOP);
		usleep(5 * MS);
		kill(child, SIGCONT);
		usleep(5 * MS);
	}
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* 40 s: 40000 wake-ups, 50 of them late, by 1 to 50 ms. One of 1000 may be later: 40 are, so the eleventh counts; one of 10000:
 * four are. Of 1000 wake-ups one of 10000 is not known. */
static void how_late_is_told_for_a_share_of_all_wake_ups(void **state)
{
	struct hiccup_watch *watch = calloc(1, sizeof(*watch));

	histogram_clear(&watch->pause_times);
	assert_true(hiccup_watch_late_ns(watch, 40000000000, 0.9999) == 0);
	for (uint64_t i = 1; i <= 50; i++)
		histogram_record(&watch->pause_times, i * 1000000);
	watch->pauses = 50;
	assert_float_equal(hiccup_watch_late_ns(watch, 40000000000, 0.999), 10e6, 1e5);
	assert_float_equal(hiccup_watch_late_ns(watch, 40000000000, 0.9999), 46.5e6, 8e5);	/* ranks 46, 47: rounded */
	assert_true(hiccup_watch_late_ns(watch, 40000000000, 0.99) == 0);
	assert_true(isnan(hiccup_watch_late_ns(watch, 1000000000, 0.9999)));
	free(watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_computer_that_pauses_is_noisy),
		cmocka_unit_test(how_late_is_told_for_a_share_of_all_wake_ups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
