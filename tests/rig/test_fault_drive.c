/* The fault bench tested itself: each fault happens when and where it was ordered, and is counted. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "rig.h"

#define MEBI (1024ull * 1024)
#define BLOCK 4096u

struct bench {
	struct rig rig;
	char directory[PATH_MAX], disk[PATH_MAX];
	char *buffer;
	int fd;
};

static int set_up(void **state)
{
	struct bench *bench = calloc(1, sizeof *bench);

	bench->fd = -1;
	bench->buffer = aligned_alloc(BLOCK, MEBI);
	memset(bench->buffer, 0x5a, MEBI);
	rig_init(&bench->rig, "/tmp");
	rig_fault(&bench->rig, 64 * MEBI, bench->directory);
	rig_path(&bench->rig, "fault/disk", bench->disk);
	bench->fd = open(bench->disk, O_RDWR | O_DIRECT | O_CLOEXEC);
	assert_true(bench->fd >= 0);
	*state = bench;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *bench = *state;

	if (bench->fd >= 0)
		close(bench->fd);
	rig_clean(&bench->rig);
	free(bench->buffer);
	free(bench);
	return 0;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static ssize_t read_at(struct bench *bench, uint64_t offset, uint32_t bytes)
{
	return pread(bench->fd, bench->buffer, bytes, (off_t)offset);
}

static ssize_t write_at(struct bench *bench, uint64_t offset, uint32_t bytes)
{
	return pwrite(bench->fd, bench->buffer, bytes, (off_t)offset);
}

static void every_io_is_counted(void **state)
{
	struct bench *bench = *state;

	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(write_at(bench, i * BLOCK, BLOCK), BLOCK);
	for (uint64_t i = 0; i < 5; i++)
		assert_int_equal(read_at(bench, i * BLOCK, 2 * BLOCK), 2 * BLOCK);
	assert_int_equal(fsync(bench->fd), 0);
	assert_int_equal(rig_fault_count(bench->directory, "writes"), 10);
	assert_int_equal(rig_fault_count(bench->directory, "write_bytes"), 10 * BLOCK);
	assert_int_equal(rig_fault_count(bench->directory, "reads"), 5);
	assert_int_equal(rig_fault_count(bench->directory, "read_bytes"), 10 * BLOCK);
	assert_int_equal(rig_fault_count(bench->directory, "syncs"), 1);
	rig_fault_command(bench->directory, "reset");
	assert_int_equal(rig_fault_count(bench->directory, "writes"), 0);
}

static void every_answer_to_a_read_has_its_time(void **state)
{
	struct bench *bench = *state;
	const double start = now();
	char path[PATH_MAX];
	uint64_t before_ns = 0, answer_ns;
	FILE *answers;
	int count = 0;

	for (uint64_t i = 0; i < 3000; i++)
		assert_int_equal(read_at(bench, i % 16 * BLOCK, BLOCK), BLOCK);
	write_at(bench, 0, BLOCK);
	rig_path(&bench->rig, "fault/answers", path);
	answers = fopen(path, "re");
	assert_non_null(answers);
	while (fscanf(answers, "%" SCNu64, &answer_ns) == 1) {
		assert_true(answer_ns >= before_ns);
		before_ns = answer_ns;
		count++;
	}
	fclose(answers);
	assert_int_equal(count, 3000);
	assert_true((double)before_ns * 1e-9 >= start && (double)before_ns * 1e-9 <= now());
}

static void latency_and_stalls_take_their_time(void **state)
{
	struct bench *bench = *state;
	double start;

	rig_fault_command(bench->directory, "latency 20000 50000");
	start = now();
	read_at(bench, 0, BLOCK);
	assert_true(now() - start >= 0.020);
	start = now();
	write_at(bench, 0, BLOCK);
	assert_true(now() - start >= 0.050);
	rig_fault_command(bench->directory, "reset");
	rig_fault_command(bench->directory, "stall-every 5 100000");
	start = now();
	for (int i = 0; i < 10; i++)
		read_at(bench, 0, BLOCK);
	assert_true(now() - start >= 0.200);
	assert_int_equal(rig_fault_count(bench->directory, "stalls"), 2);
}

static void errors_hit_only_their_range_and_kind(void **state)
{
	struct bench *bench = *state;

	rig_fault_command(bench->directory, "errors 8192 4096 r 61");
	assert_int_equal(read_at(bench, 4096, BLOCK), BLOCK);
	assert_int_equal(read_at(bench, 8192, BLOCK), -1);
	assert_int_equal(errno, ENODATA);
	assert_int_equal(read_at(bench, 4096, 2 * BLOCK), -1);
	assert_int_equal(read_at(bench, 12288, BLOCK), BLOCK);
	assert_int_equal(write_at(bench, 8192, BLOCK), BLOCK);
	assert_int_equal(rig_fault_count(bench->directory, "errors"), 2);
}

static void a_hang_ends_when_it_was_ordered_to(void **state)
{
	struct bench *bench = *state;
	double start = now(), took, fastest = 1;

	rig_fault_command(bench->directory, "hang 0.5");
	assert_int_equal(read_at(bench, 0, BLOCK), BLOCK);
	assert_true(now() - start >= 0.5);
	for (int i = 0; i < 5; i++) {	/* one may be held up by the machine */
		start = now();
		assert_int_equal(read_at(bench, 0, BLOCK), BLOCK);
		took = now() - start;
		fastest = took < fastest ? took : fastest;
	}
	assert_true(fastest < 0.4);
}

static void short_writes_move_half(void **state)
{
	struct bench *bench = *state;

	rig_fault_command(bench->directory, "short 2");
	assert_int_equal(write_at(bench, 0, 16 * BLOCK), 16 * BLOCK);
	assert_int_equal(write_at(bench, 0, 16 * BLOCK), 8 * BLOCK);
	assert_int_equal(rig_fault_count(bench->directory, "shorts"), 1);
}

static void a_drive_that_is_gone_fails_until_it_is_back(void **state)
{
	struct bench *bench = *state;

	rig_fault_command(bench->directory, "gone");
	assert_int_equal(read_at(bench, 0, BLOCK), -1);
	assert_int_equal(errno, ENODEV);
	assert_int_equal(write_at(bench, 0, BLOCK), -1);
	rig_fault_command(bench->directory, "back");
	assert_int_equal(read_at(bench, 0, BLOCK), BLOCK);
}

static void rates_and_cliffs_limit_bytes(void **state)
{
	struct bench *bench = *state;
	double start, fast;

	rig_fault_command(bench->directory, "cliff 4194304 1048576");
	start = now();
	for (uint64_t i = 0; i < 4; i++)
		write_at(bench, i * MEBI, MEBI);
	fast = now() - start;
	start = now();
	write_at(bench, 0, MEBI);
	assert_true(now() - start >= 0.99);
	assert_true(fast < 3.9);	/* at the rate behind the cliff: four seconds */
}

static void a_power_cut_takes_only_what_was_not_synced(void **state)
{
	struct bench *bench = *state;

	rig_fault_command(bench->directory, "write-cache on");
	memset(bench->buffer, 1, MEBI);
	write_at(bench, 0, MEBI);
	assert_int_equal(fsync(bench->fd), 0);
	memset(bench->buffer, 2, MEBI);
	write_at(bench, 0, MEBI);
	write_at(bench, MEBI, MEBI);
	rig_fault_command(bench->directory, "powercut 1000 42");
	assert_int_equal(rig_fault_count(bench->directory, "lost_blocks"), 512);
	read_at(bench, 0, MEBI);
	assert_int_equal(bench->buffer[0], 1);
	assert_int_equal(bench->buffer[MEBI - 1], 1);
	read_at(bench, MEBI, MEBI);
	assert_int_equal(bench->buffer[0], 0);
}

static void a_power_cut_is_the_same_for_the_same_seed(void **state)
{
	struct bench *bench = *state;
	uint64_t lost[2];

	rig_fault_command(bench->directory, "write-cache on");
	for (int i = 0; i < 2; i++) {
		const uint64_t before = rig_fault_count(bench->directory, "lost_blocks");

		write_at(bench, 0, MEBI);
		rig_fault_command(bench->directory, "powercut 500 7");
		lost[i] = rig_fault_count(bench->directory, "lost_blocks") - before;
	}
	assert_int_equal(lost[0], lost[1]);
	assert_in_range(lost[0], 90, 166);	/* 256 blocks at one half: 128 +- 5 sigma */
}

static void a_command_that_is_not_known_is_refused(void **state)
{
	struct bench *bench = *state;
	char path[PATH_MAX];
	int fd;

	rig_path(&bench->rig, "fault/ctl", path);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(write(fd, "explode", 7), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(write(fd, "latency 5", 9), -1);
	close(fd);
}

static void a_loop_device_on_it_passes_faults_on(void **state)
{
	struct bench *bench = *state;
	char loop[PATH_MAX];
	int fd;

	if (rig_no_loop_reason()) {
		rig_skip(rig_no_loop_reason());
		return;
	}
	rig_loop(&bench->rig, bench->disk, BLOCK, false, loop);
	fd = open(loop, O_RDWR | O_DIRECT | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bench->buffer, BLOCK, 0), BLOCK);
	rig_fault_command(bench->directory, "errors 0 4096 rw");
	assert_int_equal(pread(fd, bench->buffer, BLOCK, 0), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(pread(fd, bench->buffer, BLOCK, BLOCK), BLOCK);
	rig_fault_command(bench->directory, "reset");
	rig_must("blkdiscard %s", loop);
	assert_true(rig_fault_count(bench->directory, "discards") > 0);
	close(fd);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(every_io_is_counted),
		TEST(every_answer_to_a_read_has_its_time),
		TEST(latency_and_stalls_take_their_time),
		TEST(errors_hit_only_their_range_and_kind),
		TEST(a_hang_ends_when_it_was_ordered_to),
		TEST(short_writes_move_half),
		TEST(a_drive_that_is_gone_fails_until_it_is_back),
		TEST(rates_and_cliffs_limit_bytes),
		TEST(a_power_cut_takes_only_what_was_not_synced),
		TEST(a_power_cut_is_the_same_for_the_same_seed),
		TEST(a_command_that_is_not_known_is_refused),
		TEST(a_loop_device_on_it_passes_faults_on),
	};

	if (rig_no_fault_reason())
		return rig_skip_all(rig_no_fault_reason());
	return cmocka_run_group_tests_name("fault drive", tests, NULL, NULL);
}
