/* Pauses of the host: heard before a run, how late the meters were in all but a share of their wake-ups, and what
 * of them and of the workers' waits belongs to a step. */
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/clock.h"
#include "run/board.h"
#include "run/hiccup.h"

#define WAKES 2000u
#define MS 1000u

/* In the child: 0 when what it heard is noisy, and so much as it was to hear. */
static int listen_as_child(enum hiccup_ear_end end)
{
	struct hiccup_ear ear;
	const struct hiccup_noise *noise = &ear.noise;

	if (hiccup_ear_open(&ear, WAKES))
		return 1;
	while (end == EAR_CLEAR && !__atomic_load_n(&noise->late, __ATOMIC_RELAXED))
		usleep(MS);
	hiccup_ear_close(&ear, end);
	return !noise->noisy || noise->late < 3 || noise->longest_ns < 1000000 ||
	       (end == EAR_ALL ? noise->wakes != WAKES : noise->wakes >= WAKES);
}

/* In a process that is stopped again and again, each time for much longer than a wake-up may be late. */
static void listen_to_pauses(enum hiccup_ear_end end)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child)
		_exit(listen_as_child(end));
	while (!waitpid(child, &status, WNOHANG)) {
		kill(child, SIGSTOP);
		usleep(5 * MS);
		kill(child, SIGCONT);
		usleep(5 * MS);
	}
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_computer_that_pauses_is_noisy(void **state)
{
	listen_to_pauses(EAR_ALL);
}

/* Who is in a hurry hears on only where something came late, and until it is sure. */
static void it_is_heard_on_only_until_it_is_sure(void **state)
{
	listen_to_pauses(EAR_CLEAR);
}

static void who_ends_at_once_hears_next_to_nothing(void **state)
{
	struct hiccup_ear ear;

	assert_int_equal(hiccup_ear_open(&ear, UINT32_MAX), 0);
	hiccup_ear_close(&ear, EAR_NOW);
	assert_false(ear.listening);
	hiccup_ear_close(&ear, EAR_ALL);	/* a second time: nothing */
}

/* 40 s: 40000 wake-ups, 50 of them late, by 1 to 50 ms. One of 1000 may be later: 40 are, so the eleventh
 * counts; one of 10000: four are. Of 1000 wake-ups one of 10000 is not known. */
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

/* A thread of ours, the first worker of a board, that shares its processor with another process. */
struct shared {
	struct board *board;
	struct hiccup_watch watch;
	cpu_set_t before;
	pid_t other;
};

static uint64_t waited_ns(void)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "r");
	uint64_t ns = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*u %" SCNu64, &ns), 1);
	fclose(file);
	return ns;
}

/* Until it stood in the run queue for some milliseconds more. */
static void wait_once(void)
{
	const uint64_t from = waited_ns();

	while (waited_ns() < from + 3000000)
		;
}

static void shared_begin(struct shared *shared)
{
	const struct board_layout layout = { .workers = 1, .depth = 1, .recorder = { .interval_ns = 1000000000 } };
	cpu_set_t one;

	assert_int_equal(board_new(&layout, 1, &shared->board), 0);
	hiccup_watch_init(&shared->watch, shared->board, getpid());
	shared->board->worker[0].thread = gettid();
	sched_getaffinity(0, sizeof(shared->before), &shared->before);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	shared->other = fork();
	assert_true(shared->other >= 0);
	if (!shared->other)
		for (;;)
			;
}

static void shared_end(struct shared *shared)
{
	kill(shared->other, SIGKILL);
	waitpid(shared->other, NULL, 0);
	sched_setaffinity(0, sizeof(shared->before), &shared->before);
	board_free(shared->board);
}

/* What a worker waits for while the step is prepared was once counted too, and short steps were told to have
 * waited for longer than they lasted. */
static void a_step_is_not_to_blame_for_what_was_before_it(void **state)
{
	struct shared *shared = calloc(1, sizeof(*shared));
	struct hiccup_watch *watch = &shared->watch;
	uint64_t began_ns;

	shared_begin(shared);
	hiccup_watch_take(watch, clock_monotonic_ns());
	wait_once();
	shared->board->hiccups.entry[0] = (struct hiccup){ 1000, 5000000, -1 };
	shared->board->hiccups.head = 1;
	hiccup_watch_take(watch, clock_monotonic_ns());
	assert_int_equal(watch->wait_ns, 0);
	assert_int_equal(watch->pauses, 0);
	assert_int_equal(watch->recent_count, 2);	/* slow I/Os may overlap them all the same */

	wait_once();
	began_ns = clock_monotonic_ns();
	shared->board->start_ns = began_ns;
	hiccup_watch_take(watch, clock_monotonic_ns());
	assert_int_equal(watch->wait_ns, 0);

	wait_once();
	shared->board->hiccups.entry[1] = (struct hiccup){ began_ns + 1000, began_ns + 5001000, -1 };
	shared->board->hiccups.head = 2;
	hiccup_watch_take(watch, clock_monotonic_ns());
	assert_in_range(watch->wait_ns, 3000000, clock_monotonic_ns() - began_ns);
	assert_int_equal(watch->waits, 1);
	assert_int_equal(watch->pauses, 1);
	assert_int_equal(watch->pause_ns_max, 5000000);
	shared_end(shared);
	free(shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_computer_that_pauses_is_noisy),
		cmocka_unit_test(it_is_heard_on_only_until_it_is_sure),
		cmocka_unit_test(who_ends_at_once_hears_next_to_nothing),
		cmocka_unit_test(how_late_is_told_for_a_share_of_all_wake_ups),
		cmocka_unit_test(a_step_is_not_to_blame_for_what_was_before_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
