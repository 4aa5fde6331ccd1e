#include <stdlib.h>
#include <string.h>
#include "measure/stall.h"
#include "rig.h"

#define WORKERS 3

struct scene {
	struct recorder_ring *ring[WORKERS];
	struct stall_merger *merger;
};

static void scene_init(struct scene *scene, uint32_t workers)
{
	for (uint16_t i = 0; i < workers; i++) {
		const struct recorder_config config = rig_config(i, false);

		scene->ring[i] = rig_ring(&config);
	}
	assert_int_equal(stall_merger_new(scene->ring, workers, 0, &scene->merger), 0);
}

static void scene_release(struct scene *scene, uint32_t workers)
{
	stall_merger_free(scene->merger);
	for (uint32_t i = 0; i < workers; i++)
		free(scene->ring[i]);
}

static struct stall_summary scene_finish(struct scene *scene, uint64_t now_ns)
{
	struct stall_summary summary;

	stall_merger_finish(scene->merger, RIG_START + now_ns);
	stall_merger_summary(scene->merger, &summary);
	return summary;
}

static void one_worker_is_exact(void **state)
{
	struct scene scene;
	struct stall_summary summary;
	struct stall stall;

	scene_init(&scene, 1);
	rig_io(scene.ring[0], IO_READ, 0, 100000);
	rig_io(scene.ring[0], IO_READ, 100000, 100000 + 35 * RIG_MS);
	rig_io(scene.ring[0], IO_READ, 500 * RIG_MS, 501 * RIG_MS);	/* idle is no stall */
	summary = scene_finish(&scene, RIG_SECOND);
	assert_int_equal(summary.longest_ns, 35 * RIG_MS);
	assert_int_equal(summary.longest_start_ns, 100000);
	assert_int_equal(summary.count[0], 1);
	assert_int_equal(summary.count[1], 1);
	assert_int_equal(summary.count[2], 0);
	assert_int_equal(stall_merger_take(scene.merger, &stall, 1), 1);
	assert_int_equal(stall.start_ns, 100000);
	assert_int_equal(stall.end_ns, 100000 + 35 * RIG_MS);
	assert_int_equal(stall_merger_take(scene.merger, &stall, 1), 0);
	scene_release(&scene, 1);
}

/* Long ones that come late are not lost among thousands of short ones. */
static void a_full_list_keeps_the_longest_in_order(void **state)
{
	static struct stall list[STALL_LISTED + 1];
	struct stall_summary summary;
	struct scene scene;
	uint64_t at_ns = 0, before_ns = 0;
	uint32_t count, longer = 0;

	scene_init(&scene, 1);
	for (uint32_t i = 0; i < 1500; i++) {
		const uint64_t length_ns = i % 100 == 99 ? 600 * RIG_MS : 12 * RIG_MS + i % 7 * RIG_MS;

		rig_io(scene.ring[0], IO_READ, at_ns, at_ns + length_ns);
		at_ns += length_ns;
		stall_merger_advance(scene.merger, RIG_START + at_ns);
	}
	summary = scene_finish(&scene, at_ns);
	assert_int_equal(summary.count[0], 1500);
	assert_int_equal(summary.list_dropped, 500);
	count = stall_merger_take(scene.merger, list, STALL_LISTED + 1);
	assert_int_equal(count, STALL_LISTED);
	for (uint32_t i = 0; i < count; i++) {
		assert_true(list[i].start_ns >= before_ns);
		before_ns = list[i].start_ns;
		longer += list[i].end_ns - list[i].start_ns == 600 * RIG_MS;
		assert_true(list[i].end_ns - list[i].start_ns > 13 * RIG_MS);
	}
	assert_int_equal(longer, 15);
	scene_release(&scene, 1);
}

static void a_drive_that_answers_one_worker_does_not_stall(void **state)
{
	struct scene scene;

	scene_init(&scene, 2);
	rig_submit(scene.ring[0], 0, 1);
	for (uint64_t i = 0; i < 100; i++)
		rig_io(scene.ring[1], IO_READ, i * 500000, i * 500000 + 400000);
	rig_done(scene.ring[0], IO_READ, 0, 50 * RIG_MS, 4096);
	assert_int_equal(scene_finish(&scene, 50 * RIG_MS).longest_ns, 0);
	scene_release(&scene, 2);
}

/* Idle for half a millisecond, then its I/O hangs with the other's: the stall is seen whole. */
static void a_worker_idle_at_the_start_of_a_stall_hides_nothing(void **state)
{
	struct scene scene;
	struct stall_summary summary;

	scene_init(&scene, 2);
	rig_io(scene.ring[0], IO_READ, 0, 100000);
	rig_io(scene.ring[1], IO_READ, 0, 100000);
	rig_submit(scene.ring[0], 100000, 1);
	rig_submit(scene.ring[1], 600000, 1);
	rig_done(scene.ring[0], IO_READ, 100000, 20 * RIG_MS, 4096);
	rig_done(scene.ring[1], IO_READ, 600000, 30 * RIG_MS, 4096);
	summary = scene_finish(&scene, 30 * RIG_MS);
	assert_int_equal(summary.longest_ns, 20 * RIG_MS - 100000);
	assert_int_equal(summary.count[0], 2);		/* then 10 ms in which only worker 1 waited */
	scene_release(&scene, 2);
}

static void what_hangs_now_counts_until_now(void **state)
{
	struct scene scene;

	scene_init(&scene, 2);
	rig_io(scene.ring[0], IO_READ, 0, 100000);
	rig_submit(scene.ring[0], 200000, 1);
	stall_merger_advance(scene.merger, RIG_START + RIG_SECOND);
	assert_int_equal(stall_merger_silent_ns(scene.merger, RIG_START + RIG_SECOND), RIG_SECOND - 200000);
	assert_int_equal(scene_finish(&scene, 4 * RIG_SECOND).longest_ns, 4 * RIG_SECOND - 200000);
	scene_release(&scene, 2);
}

static void an_idle_drive_is_not_silent(void **state)
{
	struct scene scene;

	scene_init(&scene, 2);
	rig_io(scene.ring[0], IO_READ, 0, 100000);
	stall_merger_advance(scene.merger, RIG_START + 60 * RIG_SECOND);
	assert_int_equal(stall_merger_silent_ns(scene.merger, RIG_START + 60 * RIG_SECOND), 0);
	assert_int_equal(scene_finish(&scene, 60 * RIG_SECOND).longest_ns, 0);
	scene_release(&scene, 2);
}

static void a_full_log_is_owned_up_to(void **state)
{
	struct scene scene;

	scene_init(&scene, 1);
	for (uint64_t i = 0; i < QUIET_LOG_ENTRIES + 5; i++)
		rig_io(scene.ring[0], IO_READ, i * 2 * RIG_MS, (i + 1) * 2 * RIG_MS);
	assert_int_equal(scene_finish(&scene, 60 * RIG_SECOND).incomplete, 5);
	scene_release(&scene, 1);
}

/* -- random schedules against the plain definition -- */

struct completion {
	uint64_t submit_ns, done_ns;
	uint32_t worker;
};

#define EVENTS 3000

static int by_done(const void *a, const void *b)
{
	const struct completion *x = a, *y = b;

	return x->done_ns < y->done_ns ? -1 : x->done_ns > y->done_ns;
}

/* Between two completions, from when something is in flight. */
static struct stall_summary plain_stalls(const struct completion *completions, uint32_t count)
{
	struct stall_summary summary = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		uint64_t from_ns = i > 0 ? completions[i - 1].done_ns : 0, busy_ns = UINT64_MAX, length_ns;

		for (uint32_t k = i; k < count; k++)
			if (completions[k].submit_ns < busy_ns)
				busy_ns = completions[k].submit_ns;
		from_ns = busy_ns > from_ns ? busy_ns : from_ns;
		length_ns = completions[i].done_ns > from_ns ? completions[i].done_ns - from_ns : 0;
		if (length_ns < RECORDER_QUIET_NS)
			continue;
		if (length_ns > summary.longest_ns)
			summary.longest_ns = length_ns;
		for (uint32_t b = 0; b < STALL_BUCKETS; b++)
			summary.count[b] += length_ns >= stall_bucket_ns[b];
	}
	return summary;
}

static uint64_t random_gap_ns(struct random *random, uint64_t often_ns)
{
	return random_below(random, 40) ? random_below(random, often_ns) : random_below(random, 150 * RIG_MS);
}

/* Each worker does one I/O at a time; now and then the drive stalls for all. */
static uint32_t make_schedule(struct completion *completions, struct random *random)
{
	uint64_t free_ns[WORKERS] = { 0 }, stall_until_ns = 0;

	for (uint32_t i = 0; i < EVENTS; i++) {
		const uint32_t worker = (uint32_t)random_below(random, WORKERS);
		struct completion *io = &completions[i];

		io->worker = worker;
		io->submit_ns = free_ns[worker] + random_gap_ns(random, 300000);
		io->done_ns = io->submit_ns + 1 + random_gap_ns(random, 2 * RIG_MS);
		if (random_below(random, 100) == 0)
			stall_until_ns = io->submit_ns + random_below(random, 700 * RIG_MS);
		if (io->submit_ns < stall_until_ns && io->done_ns < stall_until_ns)
			io->done_ns = stall_until_ns + random_below(random, 100000);
		free_ns[worker] = io->done_ns;
	}
	qsort(completions, EVENTS, sizeof(completions[0]), by_done);
	return EVENTS;
}

static void stalls_of_random_schedules_are_found_exactly(void **state)
{
	static struct completion completions[EVENTS];

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct scene scene;
		struct random random;
		struct stall_summary want, got;
		uint64_t pushed_ns = 0;

		random_init(&random, seed, 3);
		scene_init(&scene, WORKERS);
		make_schedule(completions, &random);
		want = plain_stalls(completions, EVENTS);
		for (uint32_t i = 0; i < EVENTS; i++) {
			const struct completion *io = &completions[i];

			/* submits come before: a worker has one in flight, so its submit follows its last
			 * completion */
			rig_io(scene.ring[io->worker], IO_READ, io->submit_ns, io->done_ns);
			pushed_ns = io->done_ns;
			if (random_below(&random, 50) == 0) {
				struct stall list[16];

				stall_merger_advance(scene.merger, RIG_START + pushed_ns -
						     (pushed_ns > 2 * RIG_SECOND ? 2 * RIG_SECOND : pushed_ns));
				stall_merger_take(scene.merger, list, 16);
			}
		}
		got = scene_finish(&scene, pushed_ns);
		assert_int_equal(got.incomplete, 0);
		assert_int_equal(got.longest_ns, want.longest_ns);
		assert_memory_equal(got.count, want.count, sizeof(want.count));
		assert_true(want.count[3] > 0);
		scene_release(&scene, WORKERS);
	}
}

/* A silence of 100 ms, and how long the computer paused in it. */
static struct stall_summary with_pause(uint64_t from_ms, uint64_t to_ms, uint64_t again_to_ms)
{
	struct scene scene;
	struct stall_summary summary;

	scene_init(&scene, 1);
	rig_io(scene.ring[0], IO_READ, 0, 100000);
	rig_io(scene.ring[0], IO_READ, 100000, 100000 + 100 * RIG_MS);
	stall_merger_pause(scene.merger, RIG_START - 500 * RIG_MS, RIG_START);	/* before it: nothing */
	stall_merger_pause(scene.merger, RIG_START + from_ms * RIG_MS, RIG_START + to_ms * RIG_MS);
	stall_merger_pause(scene.merger, RIG_START + from_ms * RIG_MS, RIG_START + again_to_ms * RIG_MS);
	summary = scene_finish(&scene, RIG_SECOND);
	scene_release(&scene, 1);
	return summary;
}

static void what_was_the_computers_is_not_the_drives(void **state)
{
	struct stall_summary summary = with_pause(10, 70, 70);

	assert_int_equal(summary.host_count, 1);
	assert_int_equal(summary.host_longest_ns, 100 * RIG_MS);
	assert_int_equal(summary.longest_ns, 0);
	assert_int_equal(summary.count[0], 0);
	summary = with_pause(10, 50, 50);	/* two meters note one pause: it lasted 40 ms, not 80 */
	assert_int_equal(summary.host_count, 0);
	assert_int_equal(summary.longest_ns, 100 * RIG_MS);
	assert_int_equal(summary.count[3], 1);
	summary = with_pause(10, 40, 65);	/* one of them longer */
	assert_int_equal(summary.host_count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_worker_is_exact),
		cmocka_unit_test(a_full_list_keeps_the_longest_in_order),
		cmocka_unit_test(a_drive_that_answers_one_worker_does_not_stall),
		cmocka_unit_test(a_worker_idle_at_the_start_of_a_stall_hides_nothing),
		cmocka_unit_test(what_hangs_now_counts_until_now),
		cmocka_unit_test(an_idle_drive_is_not_silent),
		cmocka_unit_test(a_full_log_is_owned_up_to),
		cmocka_unit_test(what_was_the_computers_is_not_the_drives),
		cmocka_unit_test(stalls_of_random_schedules_are_found_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
