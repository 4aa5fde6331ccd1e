/* What the guard refuses, on machines that the test bench has not: LVM, RAID, multipath, bcache, other
 * namespaces. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "drive/drive_use.h"
#include "drive/io_timeout.h"
#include "tree.h"

static const struct row {
	const char *machine, *device;
	const char *phrase;		/* in a reason; NULL = no reason at all */
	const char *warning;		/* in a warning; NULL = any */
} rows[] = {
	{"laptop", "nvme0n1", "nvme0n1p2 is mounted on / (ext4)", NULL},
	{"laptop", "nvme0n1", "nvme0n1p1 is mounted on /boot/efi part (vfat)", NULL},
	{"laptop", "nvme0n1", "nvme0n1p3 is used as swap", NULL},
	{"laptop", "nvme0n1p1", "nvme0n1p1 is mounted", "nvme0n1p2 on the same drive is mounted"},
	{"laptop", "nvme0n1p3", "nvme0n1p3 is used as swap", NULL},
	{"laptop", "loop0", NULL, NULL},
	{"server", "sda", "sda2 is part of dm-0 (LVM volume vg0-root)", NULL},
	{"server", "sda", "dm-0 is mounted on / (ext4)", NULL},
	{"server", "sda",
	 "sda1 is mounted on /var/lib/container/boot (vfat) in another mount namespace (process 77)", NULL},
	{"server", "sda", "sda3 is used as swap", NULL},
	{"server", "sda2", "sda2 is part of dm-1 (LVM volume vg0-free)",
	 "sda3 on the same drive is used as swap"},
	{"server", "sda1", "sda1 is mounted on", NULL},
	{"server", "dm-0", "dm-0 is mounted on /", NULL},
	{"server", "dm-1", NULL, NULL}, /* a clean dm device may be a target */
	{"server", "dm-2", NULL, NULL}, /* so may a multipath device */
	{"server", "sdb", "sdb is part of dm-2 (multipath device mpatha)", NULL},
	{"server", "sdc", "sdc is part of dm-2", NULL},
	{"server", "nvme1n1", "nvme1n1p1 is part of md0 (RAID)", NULL},
	{"server", "nvme3n1", "nvme3n1 is part of md0 (RAID)", NULL},
	{"server", "md0", NULL, NULL}, /* and a clean RAID */
	{"server", "sdd", "sdd is part of bcache0 (bcache)", NULL},
	{"server", "sde", "sde is the backing of loop device loop3", NULL},
	{"server", "sde", "sde is mounted on /data (btrfs)", NULL},
	{"server", "loop3", "sde is mounted on /data (btrfs), and loop3 stands on it", NULL},
	{"server", "nvme2n1", NULL, NULL},
	{"odd", "nvme0n1", "nvme1n1 is mounted on /clone (ext4), and it may be the same drive", NULL},
	{"odd", "nvme1n1", "nvme1n1 is mounted on /clone (ext4)", NULL},
	{"odd", "nvme2n1", NULL, NULL},
	{"odd", "zram1", NULL, NULL},
};

static bool some_line_has(const struct lines *lines, const char *phrase)
{
	for (uint32_t i = 0; i < lines->count; i++)
		if (strstr(lines->line[i], phrase))
			return true;
	return false;
}

static void check_row(const struct tree *tree, const struct row *row)
{
	struct lines reasons = {0}, warnings = {0};
	struct block block;

	assert_int_equal(block_by_name(&tree->machine, row->device, &block), 0);
	assert_int_equal(drive_use(&tree->machine, &block, &reasons, &warnings), 0);
	if (row->phrase && !some_line_has(&reasons, row->phrase))
		fail_msg("%s: no reason says \"%s\" but: %s", row->device, row->phrase,
			 reasons.count ? reasons.line[0] : "nothing");
	if (!row->phrase && reasons.count)
		fail_msg("%s should be free, but %s", row->device, reasons.line[0]);
	if (row->warning && !some_line_has(&warnings, row->warning))
		fail_msg("%s: no warning says \"%s\"", row->device, row->warning);
	lines_release(&reasons);
	lines_release(&warnings);
}

static void check_machine(const char *name)
{
	struct tree tree;

	tree_unpack(&tree, name);
	for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].machine, name))
			check_row(&tree, &rows[i]);
	tree_remove(&tree);
}

static void a_laptop_is_in_use_where_it_is(void **state)
{
	check_machine("laptop");
}

static void a_server_is_in_use_where_it_is(void **state)
{
	check_machine("server");
}

static void two_drives_of_one_identity_are_taken_for_one(void **state)
{
	check_machine("odd");
}

static void a_mount_table_that_cannot_be_read_is_an_error(void **state)
{
	struct lines reasons = {0};
	struct block block;
	struct tree tree;
	char command[PATH_MAX + 64];

	tree_unpack(&tree, "laptop");
	snprintf(command, sizeof command, "rm '%s/proc/self/mountinfo'", tree.directory);
	assert_int_equal(system(command), 0);
	assert_int_equal(block_by_name(&tree.machine, "loop0", &block), 0);
	assert_int_equal(drive_use(&tree.machine, &block, &reasons, NULL), -ENOENT);
	lines_release(&reasons);
	tree_remove(&tree);
}

static void a_mount_point_cannot_command_the_terminal(void **state)
{
	struct lines reasons = {0};
	struct block block;
	struct tree tree;
	char path[PATH_MAX + 64];
	FILE *table;

	tree_unpack(&tree, "odd");
	snprintf(path, sizeof path, "%s/proc/self/mountinfo", tree.directory);
	table = fopen(path, "w");
	assert_non_null(table);
	fputs("27 1 259:1 / /\x1b[2J\\012x\xf4 rw - ext4 /dev/nvme1n1 rw\n", table);
	assert_int_equal(fclose(table), 0);
	assert_int_equal(block_by_name(&tree.machine, "nvme1n1", &block), 0);
	assert_int_equal(drive_use(&tree.machine, &block, &reasons, NULL), 0);
	assert_true(some_line_has(&reasons, "nvme1n1 is mounted on /?[2J?x? (ext4)"));
	lines_release(&reasons);
	tree_remove(&tree);
}

static void swap_files_are_known_by_their_path(void **state)
{
	struct lines reasons = {0};
	struct tree tree;

	tree_unpack(&tree, "laptop");
	assert_int_equal(drive_use_file(&tree.machine, 0, 0, "/swap file", &reasons), 0);
	assert_int_equal(reasons.count, 1);
	assert_int_equal(drive_use_file(&tree.machine, 0, 0, "/var/lib/snapd/snaps/core 22.snap", &reasons),
			 0);
	assert_int_equal(reasons.count, 2);
	assert_int_equal(drive_use_file(&tree.machine, 0, 0, "/home/user/x", &reasons), 0);
	assert_int_equal(reasons.count, 2);
	lines_release(&reasons);
	tree_remove(&tree);
}

static void the_kernel_waits_as_long_as_the_slowest_device_below_may_take(void **state)
{
	static const struct {
		const char *name;
		uint64_t seconds;	/* 0 = it has no time-out */
	} waits[] = {
		{"sda", 30}, {"sda2", 30}, {"dm-0", 30}, {"dm-2", 60}, {"nvme2n1", 30}, {"loop3", 0}, {"sdd", 0},
	};
	struct tree tree;

	tree_unpack(&tree, "server");
	for (uint32_t i = 0; i < sizeof waits / sizeof *waits; i++) {
		struct block block;

		assert_int_equal(block_by_name(&tree.machine, waits[i].name, &block), 0);
		assert_int_equal(drive_io_timeout_ns(&tree.machine, block.dev),
				 waits[i].seconds ? waits[i].seconds * 1000000000 : DRIVE_UNKNOWN);
	}
	assert_int_equal(drive_io_timeout_ns(&tree.machine, 0), DRIVE_UNKNOWN);
	tree_remove(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_laptop_is_in_use_where_it_is),
		cmocka_unit_test(a_server_is_in_use_where_it_is),
		cmocka_unit_test(two_drives_of_one_identity_are_taken_for_one),
		cmocka_unit_test(a_mount_table_that_cannot_be_read_is_an_error),
		cmocka_unit_test(a_mount_point_cannot_command_the_terminal),
		cmocka_unit_test(swap_files_are_known_by_their_path),
		cmocka_unit_test(the_kernel_waits_as_long_as_the_slowest_device_below_may_take),
	};

	return cmocka_run_group_tests_name("drive use", tests, NULL, NULL);
}
