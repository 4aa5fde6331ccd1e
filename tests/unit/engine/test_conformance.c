/* One table of tests that every engine passes on every kind of target: what engine.h promises.
 *
 * test_conformance DEVICE BLOCK_BYTES ENGINE[,VARIANT]... runs the table on a device instead, whose first
 * megabyte it overwrites: real and virtual drives, polled queues, passthrough. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/ring.h"
#include "rig.h"

#define MIB (1u << 20)
#define DEPTH 16u

struct conformance_case {
	const char *engine;
	enum rig_place place;
	const char *variant;		/* "" or what differs from the default configuration */
};

static bool is_variant(const struct conformance_case *the_case, const char *variant)
{
	return the_case->variant && !strcmp(the_case->variant, variant);
}

/* Older kernels are imitated by doing without what they lack. */
static void configure(struct engine_config *config, const struct conformance_case *the_case)
{
	config->vectored = is_variant(the_case, "vectored");
	config->control_aside = is_variant(the_case, "side thread");
	config->sqpoll = is_variant(the_case, "sqpoll");
	config->iopoll = config->require_options = is_variant(the_case, "polled");
	if (is_variant(the_case, "unregistered"))
		config->fixed_buffers = config->fixed_files = false;
	if (is_variant(the_case, "as on 6.1"))
		config->ring_flags_avoided = RING_SETUP_NO_SQARRAY;
	if (is_variant(the_case, "as on 5.11"))
		config->ring_flags_avoided = RING_SETUP_NO_SQARRAY | IORING_SETUP_DEFER_TASKRUN |
			IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SUBMIT_ALL;
}

static struct conformance_case *case_of(void **state)
{
	struct conformance_case *the_case = *state;

	if (rig_place_missing(the_case->place)) {
		print_message("# skipped: %s\n", rig_place_missing(the_case->place));
		skip();
	}
	return the_case;
}

static bool is_device_of_bytes(const struct conformance_case *the_case)
{
	return the_case->place == RIG_EXT4 || the_case->place == RIG_TMPFS || the_case->place == RIG_LOOP ||
	       the_case->place == RIG_DEVICE;
}

static bool is_file(const struct conformance_case *the_case)
{
	return the_case->place == RIG_EXT4 || the_case->place == RIG_TMPFS;
}

/* The block device to look at what was written; an NVMe generic device has one of the same number. */
static int open_for_looking(const struct target *target)
{
	char name[PATH_MAX + 8];

	if (target->kind != TARGET_NVME_GENERIC)
		return open(target->name, O_RDONLY | (target->direct ? O_DIRECT : 0));
	snprintf(name, sizeof(name), "/dev/nvme%s", target->name + strlen("/dev/ng"));
	return open(name, O_RDONLY | O_DIRECT);
}

static bool really_moves(const struct conformance_case *the_case)
{
	return is_device_of_bytes(the_case) && strcmp(the_case->engine, "null");
}

static void open_rig(struct rig *rig, const struct conformance_case *the_case, uint64_t bytes, uint32_t depth,
		     uint32_t stride)
{
	rig_open(rig, the_case->place, bytes, depth, stride);
	configure(&rig->config, the_case);
	if (rig_attach(rig, the_case->engine) < 0)
		fail_msg("%s on %s: %s", the_case->engine, rig_place_name(the_case->place), rig->fault.text);
}

static void fill(char *buffer, uint32_t bytes, uint64_t seed)
{
	for (uint32_t i = 0; i + 8 <= bytes; i += 8) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		memcpy(buffer + i, &seed, 8);
	}
}

static void test_every_slot_completes_once_with_its_result(void **state)
{
	struct conformance_case *the_case = case_of(state);
	struct rig rig;
	struct io ios[DEPTH];
	struct io_done done[DEPTH];
	bool seen[DEPTH] = { false };

	open_rig(&rig, the_case, MIB, DEPTH, 4096);
	for (uint16_t slot = 0; slot < DEPTH; slot++)
		ios[slot] = rig_io(&rig, IO_WRITE, slot, slot * 8192, 4096);
	assert_int_equal(engine_submit(rig.engine, ios, DEPTH), DEPTH);
	assert_int_equal(rig.engine->in_flight, DEPTH);
	rig_collect(&rig, done, DEPTH);
	for (uint32_t i = 0; i < DEPTH; i++) {
		assert_true(done[i].slot < DEPTH);
		assert_false(seen[done[i].slot]);
		seen[done[i].slot] = true;
		assert_int_equal(done[i].result, 4096);
	}
	assert_int_equal(rig.engine->in_flight, 0);
	rig_close(&rig);
}

static void test_written_data_is_on_the_target_and_read_data_comes_from_it(void **state)
{
	struct conformance_case *the_case = case_of(state);
	struct rig rig;
	char *check;
	int fd;

	if (!really_moves(the_case))
		return;
	open_rig(&rig, the_case, MIB, DEPTH, 65536);
	check = aligned_alloc(4096, 65536);
	fill(rig.buffers, 65536, 7);
	assert_int_equal(rig_do(&rig, IO_WRITE, 131072, 65536), 65536);
	fd = open_for_looking(&rig.target);
	assert_int_equal(pread(fd, check, 65536, 131072), 65536);
	assert_memory_equal(check, rig.buffers, 65536);
	close(fd);
	memset(rig.buffers, 0, 65536);
	assert_int_equal(rig_do(&rig, IO_READ, 131072, 65536), 65536);
	assert_memory_equal(check, rig.buffers, 65536);
	free(check);
	rig_close(&rig);
}

static void test_an_io_may_be_smaller_than_its_buffer(void **state)
{
	struct conformance_case *the_case = case_of(state);
	struct rig rig;
	struct io ios[3];
	struct io_done done[3];

	if (!really_moves(the_case))
		return;
	open_rig(&rig, the_case, MIB, DEPTH, 65536);
	for (uint16_t slot = 0; slot < 3; slot++) {
		ios[slot] = rig_io(&rig, IO_WRITE, slot, slot * 65536, 4096u << slot);
		fill(ios[slot].buffer, ios[slot].bytes, slot);
	}
	assert_int_equal(engine_submit(rig.engine, ios, 3), 3);
	rig_collect(&rig, done, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(done[i].result, 4096 << done[i].slot);
	memset(rig.buffers + 5 * 65536, 0x11, 65536);
	ios[0] = rig_io(&rig, IO_READ, 5, 2 * 65536, 16384);
	assert_int_equal(engine_submit(rig.engine, ios, 1), 1);
	rig_collect(&rig, done, 1);
	assert_int_equal(done[0].result, 16384);
	assert_memory_equal(rig.buffers + 5 * 65536, rig.buffers + 2 * 65536, 16384);
	assert_int_equal(rig.buffers[5 * 65536 + 16384], 0x11);
	rig_close(&rig);
}

static void test_time_stamps_are_in_order(void **state)
{
	struct conformance_case *the_case = case_of(state);
	struct rig rig;
	struct io ios[4];
	struct io_done done[4];
	uint64_t before_ns, after_ns, last_ns = 0;

	open_rig(&rig, the_case, MIB, DEPTH, 4096);
	for (int round = 0; round < 50; round++) {
		for (uint16_t slot = 0; slot < 4; slot++)
			ios[slot] = rig_io(&rig, IO_WRITE, slot, slot * 4096, 4096);
		before_ns = clock_now_ns(&rig.clock);
		assert_int_equal(engine_submit(rig.engine, ios, 4), 4);
		rig_collect(&rig, done, 4);
		after_ns = clock_now_ns(&rig.clock);
		for (int i = 0; i < 4; i++) {
			assert_true(before_ns <= done[i].submit_ns);
			assert_true(done[i].submit_ns <= done[i].done_ns);
			assert_true(done[i].done_ns <= after_ns);
			assert_true(last_ns <= done[i].done_ns);
			last_ns = done[i].done_ns;
		}
	}
	rig_close(&rig);
}

/* engine_transfer, of which most backends have a way of their own. */
static struct io_done transfer(struct rig *rig, enum io_op op, uint64_t offset, uint32_t bytes)
{
	const struct io io = rig_io(rig, op, 0, offset, bytes);
	const uint64_t before_ns = clock_now_ns(&rig->clock);
	struct io_done done;
	int count = engine_transfer(rig->engine, &io, before_ns, &done);

	assert_in_range(count, 0, 1);
	assert_int_equal(rig->engine->in_flight, 1 - count);
	if (count == 0)		/* a signal, or the kernel was short of something */
		rig_collect(rig, &done, 1);
	assert_int_equal(rig->engine->in_flight, 0);
	assert_int_equal(done.slot, 0);
	assert_true(before_ns <= done.submit_ns && done.submit_ns <= done.done_ns);
	assert_true(done.done_ns <= clock_now_ns(&rig->clock));
	return done;
}

static void test_one_transfer_at_a_time_does_what_submit_and_reap_do(void **state)
{
	struct conformance_case *the_case = case_of(state);
	struct rig rig;
	char *wrote = malloc(8192);
	const int32_t synced = is_device_of_bytes(the_case) || !strcmp(the_case->engine, "null") ? 0 : -EINVAL;

	open_rig(&rig, the_case, MIB, 1, 8192);
	fill(wrote, 8192, 5);
	for (uint32_t i = 0; i < 100; i++) {
		memcpy(rig.buffers, wrote, 8192);
		assert_int_equal(transfer(&rig, IO_WRITE, i * 8192, 8192).result, 8192);
		assert_int_equal(transfer(&rig, i % 2 ? IO_FLUSH : IO_FSYNC, 0, 0).result, synced);
		if (!really_moves(the_case))
			continue;
		memset(rig.buffers, 0, 8192);
		assert_int_equal(transfer(&rig, IO_READ, i * 8192, 8192).result, 8192);
		assert_memory_equal(rig.buffers, wrote, 8192);
		assert_int_equal(rig_do(&rig, IO_READ, i * 8192 + 4096, 4096), 4096);	/* and with the others in turn */
		assert_memory_equal(rig.buffers, wrote + 4096, 4096);
		assert_int_equal(transfer(&rig, IO_TRIM, i * 8192, 8192).result, 0);
	}
	if (is_file(the_case) && really_moves(the_case)) {
		assert_int_equal(truncate(rig.path, 4096), 0);
		assert_int_equal(transfer(&rig, IO_READ, 65536, 4096).result, -ENODEV);
		assert_int_equal(transfer(&rig, IO_READ, 0, 8192).result, 4096);
	}
	free(wrote);
	rig_close(&rig);
}

static void test_a_full_engine_refuses_nothing_and_forgets_nothing_over_many_rounds(void **state)
{
	struct conformance_case *the_case = case_of(state);
	struct rig rig;
	struct io_done done[DEPTH];
	uint32_t finished = 0, started = 0, free_slots = DEPTH;
	uint16_t slots[DEPTH];

	open_rig(&rig, the_case, MIB, DEPTH, 4096);
	for (uint16_t i = 0; i < DEPTH; i++)
		slots[i] = i;
	while (finished < 1000) {
		int count;

		while (free_slots && started < 1000) {
			uint16_t slot = slots[--free_slots];
			struct io io = rig_io(&rig, IO_WRITE, slot, started++ % 256 * 4096, 4096);

			assert_int_equal(engine_submit(rig.engine, &io, 1), 1);
		}
		count = engine_reap(rig.engine, done, 5, 3, ENGINE_WAIT_FOREVER); /* fewer than there are */
		assert_in_range(count, 1, 5);
		for (int i = 0; i < count; i++) {
			assert_int_equal(done[i].result, 4096);
			slots[free_slots++] = done[i].slot;
		}
		finished += (uint32_t)count;
		assert_int_equal(rig.engine->in_flight, started - finished);
	}
	rig_close(&rig);
}

static void test_nothing_in_flight_is_not_waited_for(void **state)
{
	struct conformance_case *the_case = case_of(state);
	struct rig rig;
	struct io_done done[2];

	open_rig(&rig, the_case, MIB, DEPTH, 4096);
	assert_int_equal(engine_reap(rig.engine, done, 2, 1, ENGINE_WAIT_FOREVER), 0);
	assert_int_equal(engine_reap(rig.engine, done, 2, 0, 0), 0);
	rig_close(&rig);
}

static void test_flush_and_fsync_give_zero_where_files_have_them(void **state)
{
	struct conformance_case *the_case = case_of(state);
	struct rig rig;
	bool is_char = the_case->place == RIG_NULL || the_case->place == RIG_ZERO;
	const int32_t expected = is_char && strcmp(the_case->engine, "null") ? -EINVAL : 0;

	open_rig(&rig, the_case, MIB, DEPTH, 4096);
	assert_int_equal(rig_do(&rig, IO_FLUSH, 0, 0), expected);
	assert_int_equal(rig_do(&rig, IO_FSYNC, 0, 0), expected);
	/* And the next transfer is a normal one. */
	assert_int_equal(rig_do(&rig, IO_WRITE, 4096, 4096), 4096);
	assert_int_equal(rig_do(&rig, IO_FSYNC, 0, 0), expected);
	rig_close(&rig);
}

static void test_trimmed_blocks_read_back_as_zeroes_and_their_neighbours_stay(void **state)
{
	struct conformance_case *the_case = case_of(state);
	struct rig rig;
	char zeroes[8192] = { 0 };
	char *wrote;

	if (!really_moves(the_case))
		return;
	open_rig(&rig, the_case, MIB, DEPTH, 16384);
	assert_true(rig.engine->capabilities.trim);
	wrote = malloc(16384);
	fill(wrote, 16384, 3);
	memcpy(rig.buffers, wrote, 16384);
	assert_int_equal(rig_do(&rig, IO_WRITE, 65536, 16384), 16384);
	assert_int_equal(rig_do(&rig, IO_TRIM, 65536 + 4096, 8192), 0);
	memset(rig.buffers, 0x5a, 16384);
	assert_int_equal(rig_do(&rig, IO_READ, 65536, 16384), 16384);
	assert_memory_equal(rig.buffers, wrote, 4096);
	assert_memory_equal(rig.buffers + 4096, zeroes, 8192);
	assert_memory_equal(rig.buffers + 12288, wrote + 12288, 4096);
	free(wrote);
	rig_close(&rig);
}

static void test_all_operations_mix_in_one_batch(void **state)
{
	struct conformance_case *the_case = case_of(state);
	struct rig rig;
	struct io ios[DEPTH];
	struct io_done done[DEPTH];

	if (!is_device_of_bytes(the_case))
		return;
	open_rig(&rig, the_case, MIB, DEPTH, 4096);
	for (int round = 0; round < 20; round++) {
		for (uint16_t slot = 0; slot < DEPTH; slot++) {
			enum io_op op = (enum io_op)(slot % IO_OPS);

			ios[slot] = rig_io(&rig, op, slot, op <= IO_TRIM ? slot * 8192 : 0,
					   op <= IO_TRIM ? 4096 : 0);
		}
		assert_int_equal(engine_submit(rig.engine, ios, DEPTH), DEPTH);
		rig_collect(&rig, done, DEPTH);
		for (uint32_t i = 0; i < DEPTH; i++)
			assert_int_equal(done[i].result, ios[done[i].slot].op <= IO_WRITE ? 4096 : 0);
	}
	rig_close(&rig);
}

/* A file that was cut and a loop device that shrank behave as a removed drive does: reads return 0. */
static void test_a_read_of_zero_bytes_inside_the_target_is_a_removed_drive(void **state)
{
	struct conformance_case *the_case = case_of(state);
	struct rig rig;

	if (!really_moves(the_case) || !is_file(the_case))
		return;
	open_rig(&rig, the_case, MIB, DEPTH, 8192);
	assert_int_equal(rig_do(&rig, IO_READ, 65536, 4096), 4096);
	assert_int_equal(truncate(rig.path, 65536 + 4096), 0);
	assert_int_equal(rig_do(&rig, IO_READ, 131072, 4096), -ENODEV);
	assert_int_equal(rig_do(&rig, IO_READ, 65536, 8192), 4096);	/* short, and said so */
	rig_close(&rig);
}

static void test_an_error_of_one_io_is_data(void **state)
{
	struct conformance_case *the_case = case_of(state);
	struct rig rig;
	int other;

	if (!really_moves(the_case) || !is_file(the_case))
		return;
	rig_open(&rig, the_case->place, MIB, DEPTH, 4096);
	other = open(rig.path, O_RDONLY);	/* the kernel will refuse to write through it */
	close(rig.target.fd);
	rig.target.fd = other;
	configure(&rig.config, the_case);
	assert_int_equal(rig_attach(&rig, the_case->engine), 0);
	assert_int_equal(rig_do(&rig, IO_WRITE, 0, 4096), -EBADF);
	assert_int_equal(rig_do(&rig, IO_READ, 0, 4096), 4096);
	rig_close(&rig);
}

/* The same on a block device: one that shrank under the open descriptor, as an unplugged one does. */
static void test_a_vanished_device_gives_errors_and_no_bytes(void **state)
{
	struct conformance_case *the_case = case_of(state);
	struct rig rig;

	if (the_case->place != RIG_LOOP)
		return;
	open_rig(&rig, the_case, MIB, DEPTH, 4096);
	assert_int_equal(rig_do(&rig, IO_READ, 65536, 4096), 4096);
	assert_int_equal(truncate(rig.path, 0), 0);
	assert_int_equal(ioctl(rig.target.fd, LOOP_SET_CAPACITY), 0);
	assert_int_equal(rig_do(&rig, IO_READ, 65536, 4096), -ENODEV);
	assert_true(rig_do(&rig, IO_WRITE, 65536, 4096) < 0);
	rig_close(&rig);
}

static void test_detaching_with_ios_in_flight_finishes_them(void **state)
{
	struct conformance_case *the_case = case_of(state);
	struct rig rig;
	struct io ios[DEPTH];
	char *check = aligned_alloc(4096, 65536);
	int fd;

	open_rig(&rig, the_case, 4 * MIB, DEPTH, 65536);
	for (uint16_t slot = 0; slot < DEPTH; slot++) {
		ios[slot] = rig_io(&rig, IO_WRITE, slot, slot * 65536, 65536);
		fill(ios[slot].buffer, 65536, slot);
	}
	assert_int_equal(engine_submit(rig.engine, ios, DEPTH), DEPTH);
	rig.engine = engine_free(rig.engine);
	if (really_moves(the_case) && !engine_find(the_case->engine)->capabilities.synchronous) {
		fd = open_for_looking(&rig.target);
		for (uint16_t slot = 0; slot < DEPTH; slot++) {
			assert_int_equal(pread(fd, check, 65536, slot * 65536), 65536);
			assert_memory_equal(check, ios[slot].buffer, 65536);
		}
		close(fd);
	}
	free(check);
	rig_close(&rig);
}

typedef void (*conformance_test)(void **state);

static const struct {
	const char *name;
	conformance_test test;
} tests[] = {
	{ "every slot completes once with its result", test_every_slot_completes_once_with_its_result },
	{ "written data is on the target and read data comes from it",
	  test_written_data_is_on_the_target_and_read_data_comes_from_it },
	{ "an I/O may be smaller than its buffer", test_an_io_may_be_smaller_than_its_buffer },
	{ "time stamps are in order", test_time_stamps_are_in_order },
	{ "one transfer at a time does what submit and reap do",
	  test_one_transfer_at_a_time_does_what_submit_and_reap_do },
	{ "a full engine refuses nothing and forgets nothing",
	  test_a_full_engine_refuses_nothing_and_forgets_nothing_over_many_rounds },
	{ "nothing in flight is not waited for", test_nothing_in_flight_is_not_waited_for },
	{ "flush and fsync", test_flush_and_fsync_give_zero_where_files_have_them },
	{ "trimmed blocks read back as zeroes",
	  test_trimmed_blocks_read_back_as_zeroes_and_their_neighbours_stay },
	{ "all operations mix in one batch", test_all_operations_mix_in_one_batch },
	{ "a read of zero bytes is a removed drive",
	  test_a_read_of_zero_bytes_inside_the_target_is_a_removed_drive },
	{ "an error of one I/O is data", test_an_error_of_one_io_is_data },
	{ "a vanished device gives errors and no bytes", test_a_vanished_device_gives_errors_and_no_bytes },
	{ "detaching with I/Os in flight finishes them", test_detaching_with_ios_in_flight_finishes_them },
};

static struct conformance_case cases[] = {
	{ "io_uring", RIG_EXT4 },
	{ "io_uring", RIG_TMPFS },
	{ "io_uring", RIG_LOOP },
	{ "io_uring", RIG_NULL },
	{ "io_uring", RIG_ZERO },
	{ "io_uring", RIG_EXT4, "vectored" },
	{ "io_uring", RIG_LOOP, "unregistered" },
	{ "io_uring", RIG_EXT4, "side thread" },
	{ "io_uring", RIG_LOOP, "side thread" },
	{ "io_uring", RIG_TMPFS, "sqpoll" },
	{ "io_uring", RIG_EXT4, "as on 6.1" },
	{ "io_uring", RIG_LOOP, "as on 6.1" },
	{ "io_uring", RIG_EXT4, "as on 5.11" },
	{ "io_uring", RIG_LOOP, "as on 5.11" },
	{ "libaio", RIG_EXT4 },
	{ "libaio", RIG_TMPFS },
	{ "libaio", RIG_LOOP },
	{ "libaio", RIG_NULL },
	{ "libaio", RIG_EXT4, "vectored" },
	{ "psync", RIG_EXT4 },
	{ "psync", RIG_TMPFS },
	{ "psync", RIG_LOOP },
	{ "psync", RIG_NULL },
	{ "psync", RIG_EXT4, "vectored" },
	{ "sync", RIG_EXT4 },
	{ "sync", RIG_LOOP },
	{ "sync", RIG_NULL },
	{ "null", RIG_EXT4 },
	{ "null", RIG_NULL },
};

#define TESTS (sizeof(tests) / sizeof(tests[0]))
#define CASES (sizeof(cases) / sizeof(cases[0]))
#define CASES_MAX (CASES > 16 ? CASES : 16)

static int run(struct conformance_case *table, size_t count)
{
	static struct CMUnitTest group[TESTS * CASES_MAX];
	static char names[TESTS * CASES_MAX][128];
	const size_t total = TESTS * count;

	for (size_t i = 0; i < total; i++) {
		struct conformance_case *the_case = &table[i / TESTS];

		snprintf(names[i], sizeof(names[i]), "%s%s%s on %s: %s", the_case->engine,
			 the_case->variant ? " " : "", the_case->variant ? the_case->variant : "",
			 rig_place_name(the_case->place), tests[i % TESTS].name);
		group[i] = (struct CMUnitTest){ .name = names[i], .test_func = tests[i % TESTS].test,
						.initial_state = the_case };
	}
	for (size_t i = total; i < TESTS * CASES_MAX; i++)
		group[i].test_func = NULL;	/* cmocka passes over these */
	return cmocka_run_group_tests(group, NULL, NULL);
}

int main(int argc, char **argv)
{
	static struct conformance_case device_cases[16];
	size_t count = 0;

	if (argc < 4)
		return run(cases, CASES);
	rig_use_device(argv[1], (uint32_t)strtoul(argv[2], NULL, 10));
	for (int i = 3; i < argc && count < 16; i++) {
		char *comma = strchr(argv[i], ',');

		if (comma)
			*comma++ = 0;
		device_cases[count++] = (struct conformance_case){ argv[i], RIG_DEVICE, comma };
	}
	return run(device_cases, count);
}
