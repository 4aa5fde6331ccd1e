/* Looking at a drive in a process of its own: the answer comes whole or not at all, and in time or not at all. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "assay/look.h"

#define MANY 300000u	/* far more than a pipe holds */
#define SHORT_NS 20000000ull

static void many(void *context, struct text *answer)
{
	for (uint32_t i = 0; i < MANY; i++)
		text_append_char(answer, (char)i);
	*(int *)context = 1;	/* in the other process only */
}

static void nothing(void *context, struct text *answer)
{
	(void)context;
	(void)answer;
}

static void never(void *context, struct text *answer)
{
	(void)context;
	text_append(answer, "half");
	for (;;)
		pause();
}

static void dies(void *context, struct text *answer)
{
	(void)context;
	text_append(answer, "half");
	raise(SIGKILL);
}

static void an_answer_of_any_length_comes_whole(void **state)
{
	struct text answer = {0};
	int touched = 0;

	(void)state;
	assert_int_equal(look(many, &touched, LOOK_FOREVER, NULL, &answer), 0);
	assert_int_equal(answer.bytes, MANY);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(answer.data[i], (char)i);
	assert_int_equal(touched, 0);
	text_release(&answer);
	assert_int_equal(look(nothing, NULL, LOOK_FOREVER, NULL, &answer), 0);
	assert_int_equal(answer.bytes, 0);
	text_release(&answer);
}

static void who_does_not_answer_is_not_waited_for(void **state)
{
	const volatile sig_atomic_t interrupted = 1;
	struct text answer = {0};

	(void)state;
	assert_int_equal(look(never, NULL, SHORT_NS, NULL, &answer), -ETIMEDOUT);
	assert_int_equal(look(never, NULL, LOOK_FOREVER, &interrupted, &answer), -EINTR);
	assert_int_equal(look(dies, NULL, LOOK_FOREVER, NULL, &answer), -ECHILD);
	assert_null(answer.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_of_any_length_comes_whole),
		cmocka_unit_test(who_does_not_answer_is_not_waited_for),
	};

	return cmocka_run_group_tests_name("look", tests, NULL, NULL);
}
