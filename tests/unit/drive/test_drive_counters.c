#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <cmocka.h>
#include "drive/drive_counters.h"
#include "tree.h"

static struct tree tree;

static int remove_tree(void **state)
{
	tree_remove(&tree);
	return 0;
}

static void all_seventeen_fields_are_read(void **state)
{
	struct drive_counters counters;

	tree_unpack(&tree, "laptop");
	assert_int_equal(drive_counters(&tree.machine, makedev(259, 0), &counters), 0);
	assert_int_equal(counters.reads, 5000);
	assert_int_equal(counters.read_merges, 10);
	assert_int_equal(counters.read_bytes, 80000 * 512);
	assert_int_equal(counters.writes, 3000);
	assert_int_equal(counters.write_bytes, 48000 * 512);
	assert_int_equal(counters.in_flight, 2);
	assert_int_equal(counters.busy_ms, 1500);
	assert_int_equal(counters.discards, 12);
	assert_int_equal(counters.discard_bytes, 96000 * 512);
	assert_int_equal(counters.flushes, 40);
	assert_int_equal(counters.flush_ms, 5);
}

static void a_partition_has_counters_of_its_own(void **state)
{
	struct drive_counters counters;

	tree_unpack(&tree, "laptop");
	assert_int_equal(drive_counters(&tree.machine, makedev(259, 1), &counters), 0);
	assert_int_equal(counters.reads, 100);
}

static void fields_that_an_old_kernel_has_not_are_unknown(void **state)
{
	struct drive_counters counters;

	tree_unpack(&tree, "laptop");
	assert_int_equal(drive_counters(&tree.machine, makedev(259, 2), &counters), 0);
	assert_int_equal(counters.reads, 200);
	assert_int_equal(counters.discards, DRIVE_UNKNOWN);
	assert_int_equal(counters.discard_bytes, DRIVE_UNKNOWN);
	assert_int_equal(counters.flushes, DRIVE_UNKNOWN);
}

/* Case D10. */
static void a_multipath_head_that_counts_nothing_is_the_sum_of_its_paths(void **state)
{
	struct drive_counters counters;

	tree_unpack(&tree, "server");
	assert_int_equal(drive_counters(&tree.machine, makedev(259, 4), &counters), 0);
	assert_int_equal(counters.reads, 110);
	assert_int_equal(counters.writes, 55);
	assert_int_equal(counters.write_bytes, 440 * 512);
	assert_int_equal(counters.discards, 4);
	assert_int_equal(counters.in_flight, 4);
	/* of a partition nobody knows */
	assert_int_equal(drive_counters(&tree.machine, makedev(259, 5), &counters), -EOPNOTSUPP);
}

static void a_device_that_does_not_count_is_an_error_and_not_zero(void **state)
{
	struct drive_counters counters = {.reads = 77};

	tree_unpack(&tree, "odd");
	assert_int_equal(drive_counters(&tree.machine, makedev(259, 1), &counters),
			 -EOPNOTSUPP); /* iostats = 0 */
	assert_int_equal(drive_counters(&tree.machine, makedev(259, 0), &counters),
			 -EOPNOTSUPP); /* three fields */
	assert_int_equal(drive_counters(&tree.machine, makedev(254, 0), &counters), -ENOENT); /* no stat */
	assert_int_equal(drive_counters(&tree.machine, makedev(1, 99), &counters), -ENOENT);
	assert_int_equal(counters.reads, 77);
}

static void deltas_do_not_run_backwards(void **state)
{
	const struct drive_counters before = {
		.reads = 10, .writes = 5, .discards = DRIVE_UNKNOWN, .flushes = 1};
	const struct drive_counters after = {
		.reads = 25, .writes = 4, .discards = DRIVE_UNKNOWN, .flushes = 1, .in_flight = 3};
	struct drive_counters delta;

	drive_counters_delta(&before, &after, &delta);
	assert_int_equal(delta.reads, 15);
	assert_int_equal(delta.writes, DRIVE_UNKNOWN);
	assert_int_equal(delta.discards, DRIVE_UNKNOWN);
	assert_int_equal(delta.flushes, 0);
	assert_int_equal(delta.in_flight, 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, remove_tree)
	const struct CMUnitTest tests[] = {
		TEST(all_seventeen_fields_are_read),
		TEST(a_partition_has_counters_of_its_own),
		TEST(fields_that_an_old_kernel_has_not_are_unknown),
		TEST(a_multipath_head_that_counts_nothing_is_the_sum_of_its_paths),
		TEST(a_device_that_does_not_count_is_an_error_and_not_zero),
		cmocka_unit_test(deltas_do_not_run_backwards),
	};

	return cmocka_run_group_tests_name("drive counters", tests, NULL, NULL);
}
