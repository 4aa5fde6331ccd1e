/* Full disks and read-only media. Needs root for its own mounts, in a mount namespace of its own. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "fixture.h"

/* 0 when mounts can be made that nobody else sees. */
static int own_mounts(void)
{
	if (unshare(CLONE_NEWNS) < 0)
		return -errno;
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ? -errno : 0;
}

static void mount_small(const char *directory, const char *size)
{
	assert_int_equal(mount("tmpfs", directory, "tmpfs", 0, size), 0);
}

static int check_index(void *context, const struct interval_row *row, const struct histogram *histogram)
{
	uint64_t *next = context;

	if (row->op != IO_READ)
		return 0;
	assert_int_equal(row->index, *next);
	assert_non_null(histogram);
	*next += 1;
	return 0;
}

static int put_interval(struct store *store, struct tally *tally, struct random *random, uint64_t index)
{
	struct interval_record interval = { .step = 1, .index = index, .tally = tally };
	int result;

	tally_clear(tally);
	tally_fill(tally, random, index, 300, true);
	result = store_put_interval(store, &interval);
	return result < 0 ? result : store_commit(store);
}

/* Writes until the disk is full; how many intervals were committed. */
static uint64_t write_until_full(struct store *store)
{
	struct tally *tally = tally_new();
	struct random random;
	uint64_t committed = 0;
	int result = 0;

	random_init(&random, 4, 4);
	while (committed < 100000 && (result = put_interval(store, tally, &random, committed)) == 0)
		committed++;
	assert_int_equal(result, -ENOSPC);
	/* later seconds fail as well, and nothing breaks */
	for (uint64_t i = 1; i < 20; i++)
		assert_int_equal(put_interval(store, tally, &random, committed + i), -ENOSPC);
	free(tally);
	return committed;
}

static void check_intervals(const char *path, uint64_t committed)
{
	struct fault fault = { 0 };
	struct store *store;
	uint64_t intervals = 0;
	int result = store_open(path, &store, &fault);

	if (result < 0)
		fail_msg("%d %s", result, fault.text);
	assert_int_equal(store_each_interval(store, 1, -1, true, check_index, &intervals), 0);
	assert_true(intervals >= committed);
	store_close(store);
}

static void a_full_disk_gives_enospc_and_a_valid_file(void **state)
{
	struct fixture *fixture = *state;
	struct store *store;
	uint64_t committed;

	mount_small(fixture->directory, "size=2m");
	assert_int_equal(store_create(fixture->path, &store, NULL), 0);
	committed = write_until_full(store);
	assert_true(committed > 10);
	check_intervals(fixture->path, committed);	/* while the writer is there */
	store_close(store);
	check_intervals(fixture->path, committed);
	umount(fixture->directory);
}

static void a_disk_that_is_full_from_the_start_gives_enospc(void **state)
{
	struct fixture *fixture = *state;
	struct fault fault = { 0 };
	struct store *store;
	char filler[128];
	int fd;

	mount_small(fixture->directory, "size=256k");
	snprintf(filler, sizeof(filler), "%s/filler", fixture->directory);
	fd = open(filler, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(posix_fallocate(fd, 0, 200 << 10), 0);
	close(fd);
	assert_int_equal(store_create(fixture->path, &store, &fault), -ENOSPC);
	assert_true(strlen(fault.text) > 0);
	assert_int_equal(access(fixture->path, F_OK), -1);
	umount(fixture->directory);
}

static void space_that_comes_back_is_used(void **state)
{
	struct fixture *fixture = *state;
	struct store *store;
	uint64_t committed, rows;
	char filler[128];
	int fd;

	mount_small(fixture->directory, "size=2m");
	snprintf(filler, sizeof(filler), "%s/filler", fixture->directory);
	fd = open(filler, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(posix_fallocate(fd, 0, 1 << 20), 0);
	close(fd);
	assert_int_equal(store_create(fixture->path, &store, NULL), 0);
	committed = write_until_full(store);
	unlink(filler);
	run_fill(store, 2, 5, 1);
	store_close(store);
	check_intervals(fixture->path, committed);
	assert_int_equal(store_open(fixture->path, &store, NULL), 0);
	assert_int_equal(run_read_all(store, &rows), 0);
	assert_true(rows >= 7);
	store_close(store);
	umount(fixture->directory);
}

static void read_all_from_read_only(const char *directory, const char *path, uint64_t rows_expected)
{
	struct fault fault = { 0 };
	struct store *store;
	uint64_t rows = 0;
	int result;

	assert_int_equal(mount(NULL, directory, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
	result = store_open(path, &store, &fault);
	if (result < 0)
		fail_msg("%d %s", result, fault.text);
	assert_int_equal(run_read_all(store, &rows), 0);
	assert_int_equal(rows, rows_expected);
	store_close(store);
	assert_int_equal(store_open_resume(path, &store, &fault), -EROFS);
	assert_int_equal(mount(NULL, directory, NULL, MS_REMOUNT, NULL), 0);
}

/* Leaves a write-ahead log behind, as a killed writer does. */
static void write_and_die(const char *path)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct store *store;

		if (store_create(path, &store, NULL) == 0)
			run_fill(store, 1, 4, 1);
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void a_read_only_medium_is_read(void **state)
{
	struct fixture *fixture = *state;
	struct store *store;
	char name[128];

	mount_small(fixture->directory, "size=8m");
	assert_int_equal(store_create(fixture->path, &store, NULL), 0);
	run_fill(store, 1, 4, 1);
	store_close(store);
	snprintf(name, sizeof(name), "%s-wal", fixture->path);
	assert_int_equal(access(name, F_OK), -1);	/* a finished run is one file */
	read_all_from_read_only(fixture->directory, fixture->path, 6);
	umount(fixture->directory);
}

/* As other tools leave it: in WAL mode, without a log. */
static void a_read_only_file_in_wal_mode_is_read(void **state)
{
	struct fixture *fixture = *state;
	struct store *store;
	sqlite3 *db;

	mount_small(fixture->directory, "size=8m");
	assert_int_equal(store_create(fixture->path, &store, NULL), 0);
	run_fill(store, 1, 4, 1);
	store_close(store);
	assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	read_all_from_read_only(fixture->directory, fixture->path, 6);
	umount(fixture->directory);
}

static void a_killed_run_on_a_read_only_medium_is_read(void **state)
{
	struct fixture *fixture = *state;
	char name[128];

	mount_small(fixture->directory, "size=8m");
	write_and_die(fixture->path);
	snprintf(name, sizeof(name), "%s-wal", fixture->path);
	assert_int_equal(access(name, F_OK), 0);
	read_all_from_read_only(fixture->directory, fixture->path, 6);
	snprintf(name, sizeof(name), "%s-shm", fixture->path);
	unlink(name);	/* as after copying the file and its log elsewhere */
	read_all_from_read_only(fixture->directory, fixture->path, 6);
	umount(fixture->directory);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_full_disk_gives_enospc_and_a_valid_file),
		TEST(a_disk_that_is_full_from_the_start_gives_enospc),
		TEST(space_that_comes_back_is_used),
		TEST(a_read_only_medium_is_read),
		TEST(a_read_only_file_in_wal_mode_is_read),
		TEST(a_killed_run_on_a_read_only_medium_is_read),
	};
	int result = own_mounts();

	if (result < 0) {
		printf("1..0 # SKIP mounts of our own need root: %s\n", strerror(-result));
		return 0;
	}
	return cmocka_run_group_tests_name("run file, media", tests, NULL, NULL);
}
