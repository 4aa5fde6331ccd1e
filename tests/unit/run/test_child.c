/* Work in a process of its own: when its end is seen. */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "run/child.h"

#define LONG_MS 60000

static int answers(void *context)
{
	return *(int *)context;
}

static int stays(void *context)
{
	(void)context;
	for (;;)
		pause();
	return 0;
}

static void what_it_returns_is_its_exit_status(void **state)
{
	struct child child;
	int value = 7, status;

	(void)state;
	assert_int_equal(child_start(&child, answers, &value), 0);
	assert_int_equal(child_wait(&child, LONG_MS, &status), 1);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

static void one_that_is_not_done_is_not_waited_for(void **state)
{
	struct child child;
	int status;

	(void)state;
	assert_int_equal(child_start(&child, stays, NULL), 0);
	assert_int_equal(child_wait(&child, 1, &status), 0);
	child_abandon(&child);
	assert_int_equal(child.fd, -1);
}

/* As when the last close of a device waits for it: the pipe is closed already. */
static int lets_go_and_stays(void *context)
{
	(void)context;
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	return stays(NULL);
}

static void one_that_has_let_go_of_the_pipe_and_stays_is_not_waited_for(void **state)
{
	struct child child;
	struct pollfd pipe_end = { .events = POLLIN };
	int status;

	(void)state;
	assert_int_equal(child_start(&child, lets_go_and_stays, NULL), 0);
	pipe_end.fd = child.fd;
	assert_int_equal(poll(&pipe_end, 1, LONG_MS), 1);
	assert_int_equal(child_wait(&child, 10, &status), 0);
	child_abandon(&child);
}

/* As when two threads start a child each: one of them inherits the pipe by which the end of the other one is
 * seen. */
static void it_does_not_hold_the_pipes_of_others(void **state)
{
	struct child child;
	struct pollfd other = { .events = POLLIN };
	int pipe_of_another[2];

	(void)state;
	assert_int_equal(pipe(pipe_of_another), 0);
	assert_int_equal(child_start(&child, stays, NULL), 0);
	close(pipe_of_another[1]);
	other.fd = pipe_of_another[0];
	assert_int_equal(poll(&other, 1, LONG_MS), 1);
	assert_true(other.revents & POLLHUP);
	close(pipe_of_another[0]);
	child_abandon(&child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_returns_is_its_exit_status),
		cmocka_unit_test(one_that_is_not_done_is_not_waited_for),
		cmocka_unit_test(one_that_has_let_go_of_the_pipe_and_stays_is_not_waited_for),
		cmocka_unit_test(it_does_not_hold_the_pipes_of_others),
	};

	return cmocka_run_group_tests_name("child", tests, NULL, NULL);
}
