/* Where the conductors of targets tested side by side meet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "run/together.h"

#define ROUNDS 200
#define MEMBERS 3

static const struct run_observer nobody;

struct member {
	struct together *together;
	pthread_t thread;
	uint32_t rounds; /* then it leaves */
	uint32_t done;	 /* atomic */
	struct member *all;
	bool apart; /* somebody was more than a step away */
};

static void meet(struct member *member, bool starts)
{
	uint64_t ticket = 0;

	while (!together_meet(member->together, starts, 20, NULL, &ticket))
		;
}

static void *meet_and_leave(void *context)
{
	struct member *member = context;

	for (uint32_t i = 0; i < member->rounds; i++) {
		meet(member, true);
		together_start(member->together, NULL);
		for (int k = 0; k < MEMBERS; k++) {
			uint32_t done = __atomic_load_n(&member->all[k].done, __ATOMIC_ACQUIRE);

			if (member->all[k].rounds > i + 1 && (done + 1 < i || done > i + 1))
				member->apart = true;
		}
		__atomic_store_n(&member->done, i + 1, __ATOMIC_RELEASE);
	}
	together_leave(member->together);
	return NULL;
}

static void everybody_is_within_a_step_until_he_leaves(void **state)
{
	struct together together;
	struct member members[MEMBERS] = { { .rounds = ROUNDS },
					   { .rounds = ROUNDS / 4 },
					   { .rounds = ROUNDS } };

	(void)state;
	together_init(&together, MEMBERS, &nobody);
	for (int i = 0; i < MEMBERS; i++) {
		members[i].together = &together;
		members[i].all = members;
		assert_int_equal(pthread_create(&members[i].thread, NULL, meet_and_leave, &members[i]), 0);
	}
	for (int i = 0; i < MEMBERS; i++) {
		pthread_join(members[i].thread, NULL);
		assert_int_equal(members[i].done, members[i].rounds);
		assert_false(members[i].apart);
	}
	assert_int_equal(together.members, 0);
	together_release(&together);
}

static void who_is_alone_waits_for_nobody(void **state)
{
	struct together together;
	uint64_t ticket = 0;

	(void)state;
	together_init(&together, 1, &nobody);
	assert_true(together_meet(&together, true, 60000, NULL, &ticket));
	together_start(&together, NULL);
	assert_int_equal(together.starts, 1);
	together_release(&together);
}

static void an_interruption_ends_the_waiting(void **state)
{
	struct together together;
	const volatile sig_atomic_t interrupted = 1;
	uint64_t ticket = 0;

	(void)state;
	together_init(&together, 2, &nobody);
	assert_true(together_meet(&together, true, 1, &interrupted, &ticket));
	assert_int_equal(together.waiting, 0);
	assert_int_equal(together.next_starters, 0);
	together_release(&together);
}

static void *meet_without_starting(void *context)
{
	meet(context, false);
	return NULL;
}

static void the_line_opens_without_those_who_do_not_come(void **state)
{
	struct together together;
	struct member other = { .together = &together }, self = { .together = &together };

	(void)state;
	together_init(&together, 2, &nobody);
	assert_int_equal(pthread_create(&other.thread, NULL, meet_without_starting, &other), 0);
	meet(&self, true);
	pthread_join(other.thread, NULL);
	assert_int_equal(together.starters, 1);
	together_start(&together, NULL);
	assert_int_equal(together.starts, 1);
	together_release(&together);
}

static void who_fails_before_the_line_is_not_waited_for(void **state)
{
	struct together together = { .members = 2, .starters = 2 };

	(void)state;
	pthread_mutex_init(&together.mutex, NULL);
	pthread_cond_init(&together.changed, NULL);
	together_start_not(&together);
	together_start(&together, NULL);
	assert_int_equal(together.starts, 1);
}

static void only_the_first_tells_of_a_resume(void **state)
{
	struct together together;

	(void)state;
	together_init(&together, 2, &nobody);
	assert_false(together_resumed(&together));
	assert_true(together_resumed(&together));
	assert_false(together_resumed(NULL));
	together_release(&together);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everybody_is_within_a_step_until_he_leaves),
		cmocka_unit_test(who_is_alone_waits_for_nobody),
		cmocka_unit_test(an_interruption_ends_the_waiting),
		cmocka_unit_test(the_line_opens_without_those_who_do_not_come),
		cmocka_unit_test(who_fails_before_the_line_is_not_waited_for),
		cmocka_unit_test(only_the_first_tells_of_a_resume),
	};

	return cmocka_run_group_tests_name("together", tests, NULL, NULL);
}
