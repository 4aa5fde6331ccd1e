/* A writer killed at any moment leaves a valid file with everything that was committed. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include <sqlite3.h>
#include "fixture.h"

#define ROUNDS 60

struct progress {
	volatile uint64_t created, committed;
};

/* The child: seconds of a run, committed one by one, as fast as it can. */
static void write_for_ever(const char *path, struct progress *progress, uint64_t seed)
{
	struct tally *tally = tally_new();
	struct store *store;
	struct random random;

	random_init(&random, seed, 1);
	if (store_create(path, &store, NULL) < 0)
		_exit(1);
	progress->created = 1;
	for (uint64_t i = 0; i < 3000; i++) {
		struct interval_record interval = { .step = 1, .index = i, .tally = tally };
		struct logged_io io;

		tally_clear(tally);
		tally_fill(tally, &random, i, 40, false);
		logged_fill(&io, &random, i);
		if (store_put_interval(store, &interval) < 0 || store_put_outliers(store, 1, &io, 1) < 0 ||
		    store_put_samples(store, 1, &io, 1) < 0 || store_commit(store) < 0)
			_exit(2);
		progress->committed = i + 1;
	}
	if (seed % 2)
		store_close(store);	/* killed while closing, perhaps */
	for (;;)
		pause();
}

static void wait_ns(uint64_t ns)
{
	struct timespec time = { .tv_nsec = (long)ns };

	nanosleep(&time, NULL);
}

/* Starts a writer and kills it in the middle; how far it was at least. */
static uint64_t crash(struct fixture *fixture, struct progress *progress, struct random *random,
		      uint64_t seed)
{
	uint64_t until = random_below(random, 3) == 0 ? 0 : random_below(random, 400), committed;
	pid_t child;

	progress->created = progress->committed = 0;
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		write_for_ever(fixture->path, progress, seed);
	while (progress->committed < until && waitpid(child, NULL, WNOHANG) == 0)
		wait_ns(100000);
	wait_ns(random_below(random, until == 0 ? 12000000 : 2000000));
	committed = progress->committed;
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	return committed;
}

static int check_index(void *context, const struct interval_row *row, const struct histogram *histogram)
{
	uint64_t *next = context;

	if (row->op == IO_READ) {
		assert_int_equal(row->index, *next);
		assert_int_equal(histogram->moments.n, 40);
		*next += 1;
	}
	return 0;
}

static int count_io(void *context, uint64_t step, const struct logged_io *io)
{
	uint64_t *count = context;

	assert_int_equal(step, 1);
	assert_true(io->op == IO_READ);
	*count += 1;
	return 0;
}

/* Everything committed is there and nothing is half there. */
static void check_contents(struct store *store, uint64_t committed)
{
	uint64_t intervals = 0, outliers = 0, samples = 0;

	assert_int_equal(store_each_interval(store, 1, -1, true, check_index, &intervals), 0);
	assert_int_equal(store_each_outlier(store, 1, count_io, &outliers), 0);
	assert_int_equal(store_each_sample(store, 1, count_io, &samples), 0);
	assert_true(intervals >= committed);
	assert_int_equal(outliers, intervals);
	assert_int_equal(samples, intervals);
}

static void check_resumed(struct fixture *fixture, uint64_t committed)
{
	struct store *store;
	uint64_t rows;

	assert_int_equal(store_open_resume(fixture->path, &store, NULL), 0);
	check_contents(store, committed);
	assert_int_equal(store_delete_step(store, 1), 0);
	run_fill(store, 1, 3, 1);
	store_close(store);
	assert_int_equal(store_open(fixture->path, &store, NULL), 0);
	assert_int_equal(run_read_all(store, &rows), 0);
	assert_int_equal(rows, 4);
	store_close(store);
}

static void a_killed_writer_leaves_a_valid_file(void **state)
{
	struct fixture *fixture = *state;
	struct progress *progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint32_t created = 0;
	struct random random;

	assert_true(progress != MAP_FAILED);
	random_init(&random, 2024, 1);
	for (uint64_t round = 0; round < ROUNDS; round++) {
		uint64_t committed = crash(fixture, progress, &random, round);
		struct fault fault = { 0 };
		struct store *store;
		int result = store_open(fixture->path, &store, &fault);

		if (result == -ENOENT && !progress->created)
			continue;	/* killed before there was a file */
		if (result < 0)
			fail_msg("round %u: %d %s", (unsigned int)round, result, fault.text);
		created++;
		check_contents(store, committed);
		store_close(store);
		if (round % 3 == 0)
			check_resumed(fixture, committed);
		fixture_remove_run(fixture);
	}
	assert_true(created > ROUNDS / 2);
	munmap(progress, sizeof(*progress));
}

static void a_running_file_is_read_while_it_is_written(void **state)
{
	struct fixture *fixture = *state;
	struct progress *progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct store *store;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0)
		write_for_ever(fixture->path, progress, 0);
	while (!progress->committed)
		wait_ns(100000);
	assert_int_equal(store_open(fixture->path, &store, NULL), 0);
	for (int i = 0; i < 10; i++) {
		uint64_t committed = progress->committed, intervals = 0;

		assert_int_equal(store_each_interval(store, 1, -1, true, check_index, &intervals), 0);
		assert_true(intervals >= committed);
		wait_ns(1000000);
	}
	store_close(store);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	munmap(progress, sizeof(*progress));
}

/* Whoever opens the file of a killed run takes its log in, and has the file to himself for that moment. */
static void hold_alone(const char *path, int told)
{
	sqlite3 *db;

	if (sqlite3_open(path, &db) || sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL) ||
	    write(told, "x", 1) != 1)
		_exit(1);
	wait_ns(300000000);
	_exit(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL));
}

static void a_file_that_somebody_has_to_himself_is_waited_for(void **state)
{
	struct fixture *fixture = *state;
	struct store *store;
	int pipes[2], status;
	char byte;
	pid_t child;

	assert_int_equal(store_create(fixture->path, &store, NULL), 0);
	run_fill(store, 1, 1, 1);
	store_close(store);
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		hold_alone(fixture->path, pipes[1]);
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	assert_int_equal(store_open(fixture->path, &store, NULL), 0);
	store_close(store);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(pipes[0]);
	close(pipes[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_killed_writer_leaves_a_valid_file, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_running_file_is_read_while_it_is_written, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_file_that_somebody_has_to_himself_is_waited_for, fixture_setup,
						fixture_teardown),
	};

	return cmocka_run_group_tests_name("run file, crashes", tests, NULL, NULL);
}
