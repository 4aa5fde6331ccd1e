/* The guard on real loop devices: every way in which a device can be somebody's, and a clean one. Needs root. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "../../rig/rig.h"
#include "guard/guard.h"

#define MEBI (1024ull * 1024)
#define DISK_BYTES (160 * MEBI)		/* btrfs wants more than 109 MiB */

struct row;

struct bench {
	const struct row *row;
	struct rig rig;
	char file[PATH_MAX];	/* behind the loop device */
	char loop[PATH_MAX];
	char target[PATH_MAX];	/* what the user names */
	char run_file[PATH_MAX];
	int held_fd;
	pid_t child;
};

static void put_le(uint8_t *at, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void clean_disk(struct bench *bench)
{
}

static void ext4_signature(struct bench *bench)
{
	rig_must("mkfs.ext4 -q %s", bench->loop);
}

static void swap_signature(struct bench *bench)
{
	rig_must("mkswap %s", bench->loop);
}

static void luks_signature(struct bench *bench)
{
	rig_write(bench->loop, 0, "LUKS\xba\xbe\0\1", 8);
}

static void gpt_signature(struct bench *bench)
{
	rig_must("echo 'label: gpt' | sfdisk -q --no-reread %s", bench->loop);
}

static void lvm_member(struct bench *bench)
{
	rig_must("pvcreate -ff -y --config 'devices{use_devicesfile=0}' %s", bench->loop);
}

/* A RAID superblock of version 1.2, as Documentation/driver-api/md and mdadm's super1.c lay it out. */
static void raid_member(struct bench *bench)
{
	uint8_t block[4096] = {0};

	put_le(block, 0xa92b4efc, 4);	/* magic */
	put_le(block + 4, 1, 4);	/* major version */
	memset(block + 16, 0x5a, 16);	/* set uuid */
	memcpy(block + 32, "rig:0", 5);	/* set name */
	put_le(block + 72, 1, 4);	/* level */
	put_le(block + 80, DISK_BYTES / 512 - 2048, 8);
	put_le(block + 92, 2, 4);	/* disks */
	put_le(block + 128, 2048, 8);	/* data offset */
	put_le(block + 136, DISK_BYTES / 512 - 2048, 8);
	put_le(block + 144, 8, 8);	/* superblock offset, sectors */
	rig_write(bench->loop, 4096, block, sizeof block);
}

/* ZFS uberblocks: the ring of a label begins at 128 KiB; libblkid wants to see several. */
static void zfs_member(struct bench *bench)
{
	uint8_t block[1024] = {0};

	put_le(block, 0x00bab10c, 8);
	put_le(block + 8, 5000, 8);	/* version */
	for (uint64_t i = 0; i < 128; i++)
		rig_write(bench->loop, 128 * 1024 + i * 1024, block, sizeof block);
}

static void mount_disk(struct bench *bench)
{
	char point[PATH_MAX];

	ext4_signature(bench);
	rig_mount(&bench->rig, bench->loop, "ext4", "mnt", point);
	rig_path(&bench->rig, "mnt/r.assay", bench->run_file);
}

static void mount_xfs(struct bench *bench)
{
	char point[PATH_MAX];

	rig_must("truncate -s 400M %s && losetup -c %s && mkfs.xfs -q %s", bench->file, bench->loop, bench->loop);
	rig_mount(&bench->rig, bench->loop, "xfs", "mnt", point);
}

static void mount_btrfs(struct bench *bench)
{
	char point[PATH_MAX];

	rig_must("mkfs.btrfs -q %s", bench->loop);
	rig_mount(&bench->rig, bench->loop, "btrfs", "mnt", point);
}

static void second_device_of_btrfs(struct bench *bench)
{
	char file[PATH_MAX], loop[PATH_MAX], point[PATH_MAX];

	rig_file(&bench->rig, "second", DISK_BYTES, file);
	rig_loop(&bench->rig, file, 512, false, loop);
	rig_must("mkfs.btrfs -q %s %s", bench->loop, loop);
	rig_later(&bench->rig, "btrfs device scan --forget");
	rig_mount(&bench->rig, bench->loop, "btrfs", "mnt", point);
	strcpy(bench->target, loop);
}

static void mount_partition(struct bench *bench)
{
	char node[PATH_MAX], point[PATH_MAX];

	rig_partition(&bench->rig, bench->loop, 1, MEBI, 64 * MEBI, node);
	rig_must("mkfs.ext4 -q %s", node);
	rig_mount(&bench->rig, node, "ext4", "mnt", point);
}

static void partition_with_file_system(struct bench *bench)
{
	char node[PATH_MAX];

	rig_partition(&bench->rig, bench->loop, 1, MEBI, 64 * MEBI, node);
	rig_must("mkfs.ext4 -q %s", node);
}

static void sibling_mounted(struct bench *bench)
{
	mount_partition(bench);
	rig_partition(&bench->rig, bench->loop, 2, 65 * MEBI, 64 * MEBI, bench->target);
}

static void parent_mounted(struct bench *bench)
{
	rig_partition(&bench->rig, bench->loop, 1, 64 * MEBI, 64 * MEBI, bench->target);
	mount_disk(bench);
}

static void bind_mounted(struct bench *bench)
{
	char point[PATH_MAX], other[PATH_MAX];

	ext4_signature(bench);
	rig_mount(&bench->rig, bench->loop, "ext4", "mnt", point);
	rig_path(&bench->rig, "bind", other);
	rig_must("mkdir %s && mkdir %s/deep && mount --bind %s/deep %s && umount %s", other, point, point, other, point);
	rig_later(&bench->rig, "umount %s", other);
}

/* A child with its own mount table has it mounted; we see nothing of it in ours. */
static void mounted_elsewhere(struct bench *bench)
{
	int ready[2];
	char byte;

	ext4_signature(bench);
	rig_must("mkdir %s/far", bench->rig.directory);
	assert_int_equal(pipe(ready), 0);
	bench->child = fork();
	if (!bench->child) {
		char point[PATH_MAX + 8];

		snprintf(point, sizeof point, "%s/far", bench->rig.directory);
		if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount(bench->loop, point, "ext4", 0, NULL))
			_exit(1);
		if (write(ready[1], "r", 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
}

static void used_as_swap(struct bench *bench)
{
	swap_signature(bench);
	rig_must("swapon %s", bench->loop);
	rig_later(&bench->rig, "swapoff %s", bench->loop);
}

static void held_exclusively(struct bench *bench)
{
	bench->held_fd = open(bench->loop, O_RDONLY | O_EXCL | O_CLOEXEC);
	assert_true(bench->held_fd >= 0);
}

static void backing_of_a_loop(struct bench *bench)
{
	char upper[PATH_MAX];

	rig_loop(&bench->rig, bench->loop, 512, false, upper);
}

static void upper_of_a_mounted_disk(struct bench *bench)
{
	rig_loop(&bench->rig, bench->loop, 512, false, bench->target);
	mount_disk(bench);
	bench->run_file[0] = 0;
}

static void twin_of_a_mounted_loop(struct bench *bench)
{
	rig_loop(&bench->rig, bench->file, 512, false, bench->target);
	mount_disk(bench);
	bench->run_file[0] = 0;
}

static void link_to_mounted(struct bench *bench)
{
	mount_disk(bench);
	bench->run_file[0] = 0;
	rig_path(&bench->rig, "by-id", bench->target);
	rig_must("ln -s %s %s/step && ln -s step %s", bench->loop, bench->rig.directory, bench->target);
}

static void link_to_clean(struct bench *bench)
{
	rig_path(&bench->rig, "disk:1 100% \xc3\xa9", bench->target);
	assert_int_equal(symlink(bench->loop, bench->target), 0);
}

enum outcome { GRANTED, REFUSED, MISSING };

static const struct row {
	const char *name;
	void (*prepare)(struct bench *bench);
	bool destroy, wipe;	/* options given */
	bool reads_only;
	enum outcome outcome;
	const char *phrase;	/* in a refusal, a missing permission or, when granted, a warning; NULL = any */
	const char *needs;	/* program without which the row cannot be prepared */
} rows[] = {
	{"a clean device with its id is granted", clean_disk, true, false, false, GRANTED, NULL, NULL},
	{"a clean device without its id is not", clean_disk, false, false, false, MISSING, "--destroy loop:", NULL},
	{"a clean device may be read without any option", clean_disk, false, false, true, GRANTED, NULL, NULL},
	{"a mounted device may be read, with a warning", mount_disk, false, false, true, GRANTED, "mounted on", NULL},
	{"a link with colon, blank and percent leads to the device", link_to_clean, true, false, false, GRANTED, NULL, NULL},
	{"an ext4 signature asks for --wipe-signatures", ext4_signature, true, false, false, MISSING, "ext4 file system", NULL},
	{"an ext4 signature may be wiped", ext4_signature, true, true, false, GRANTED, NULL, NULL},
	{"wiping alone does not replace the id", ext4_signature, false, true, false, MISSING, "--destroy", NULL},
	{"a swap signature asks for --wipe-signatures", swap_signature, true, false, false, MISSING, "swap space", NULL},
	{"a LUKS signature asks for --wipe-signatures", luks_signature, true, false, false, MISSING, "crypto_LUKS", NULL},
	{"a partition table asks for --wipe-signatures", gpt_signature, true, false, false, MISSING, "gpt partition table",
	 "sfdisk"},
	{"a file system on a partition counts for the disk", partition_with_file_system, true, false, false, MISSING,
	 "ext4 file system", NULL},
	{"an LVM member is refused", lvm_member, true, true, false, REFUSED, "LVM2_member", "pvcreate"},
	{"a RAID member is refused", raid_member, true, true, false, REFUSED, "linux_raid_member", NULL},
	{"a ZFS member is refused", zfs_member, true, true, false, REFUSED, "zfs_member", NULL},
	{"a mounted device is refused", mount_disk, true, true, false, REFUSED, "mounted on", NULL},
	{"a device under the run file is refused", mount_disk, true, true, false, REFUSED, "run file", NULL},
	{"a mounted xfs is refused", mount_xfs, true, true, false, REFUSED, "mounted on", "mkfs.xfs"},
	{"a mounted btrfs is refused", mount_btrfs, true, true, false, REFUSED, "mounted", "mkfs.btrfs"},
	{"the second device of a btrfs is refused", second_device_of_btrfs, true, true, false, REFUSED, "btrfs", "mkfs.btrfs"},
	{"a disk with a mounted partition is refused", mount_partition, true, true, false, REFUSED, "p1 is mounted on", NULL},
	{"a partition beside a mounted one is granted, with a warning", sibling_mounted, true, false, false, GRANTED,
	 "p1 on the same drive is mounted", NULL},
	{"a partition of a mounted disk is refused", parent_mounted, true, true, false, REFUSED, "mounted on", NULL},
	{"a bind mount counts", bind_mounted, true, true, false, REFUSED, "/bind", NULL},
	{"a mount in another namespace counts", mounted_elsewhere, true, true, false, REFUSED, "another mount namespace", NULL},
	{"swap is refused", used_as_swap, true, true, false, REFUSED, "used as swap", NULL},
	{"a device that somebody holds exclusively is refused", held_exclusively, true, true, false, REFUSED, "exclusively",
	 NULL},
	{"a device under a loop device is refused", backing_of_a_loop, true, true, false, REFUSED, "the backing of loop", NULL},
	{"a loop device on a mounted device is refused", upper_of_a_mounted_disk, true, true, false, REFUSED, "stands on it",
	 NULL},
	{"a loop device whose file is mounted through another is refused", twin_of_a_mounted_loop, true, true, false, REFUSED,
	 "same backing file", NULL},
	{"links do not hide a mount", link_to_mounted, true, true, false, REFUSED, "mounted on", NULL},
};

static int set_up(void **state)
{
	struct bench *bench = calloc(1, sizeof *bench);

	bench->row = *state;
	bench->held_fd = -1;
	rig_init(&bench->rig, "/dev/shm");
	*state = bench;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *bench = *state;

	if (bench->held_fd >= 0)
		close(bench->held_fd);
	if (bench->child > 0) {
		kill(bench->child, SIGKILL);
		waitpid(bench->child, NULL, 0);
	}
	rig_clean(&bench->rig);
	free(bench);
	return 0;
}

static void make_disk(struct bench *bench)
{
	rig_file(&bench->rig, "disk", DISK_BYTES, bench->file);
	rig_loop(&bench->rig, bench->file, 512, false, bench->loop);
	strcpy(bench->target, bench->loop);
}

/* The id as `drives` would print it. */
static void read_id(const char *path, char id[DRIVE_ID_BYTES])
{
	struct drive_facts facts;
	struct fault fault = {0};

	if (drive_find(NULL, path, &facts, &fault))
		fail_msg("%s", fault.text);
	strcpy(id, facts.id);
	drive_facts_release(&facts);
}

static bool some_line_has(const struct lines *lines, const char *phrase)
{
	for (uint32_t i = 0; i < lines->count; i++)
		if (strstr(lines->line[i], phrase))
			return true;
	return false;
}

static void check_outcome(const struct row *row, int result, const struct guard_subject *subject)
{
	const struct lines *lines = row->outcome == GRANTED ? &subject->warnings : row->outcome == REFUSED ?
				    &subject->refusals : &subject->missing;

	assert_int_equal(result, row->outcome == GRANTED ? 0 : -EPERM);
	assert_true(row->outcome == REFUSED || !subject->refusals.count);
	assert_true(row->outcome != REFUSED || subject->refusals.count);
	if (row->phrase && !some_line_has(lines, row->phrase))
		fail_msg("no line says \"%s\" but: %s", row->phrase, lines->count ? lines->line[0] : "nothing");
}

static const char *no_way_to_test(const struct row *row)
{
	static char reason[64];

	if (rig_no_loop_reason())
		return rig_no_loop_reason();
	if (!row->needs || !rig_run("PATH=$PATH:/usr/sbin:/sbin command -v %s", row->needs))
		return NULL;
	snprintf(reason, sizeof reason, "%s is not installed", row->needs);
	return reason;
}

static void test_row(void **state)
{
	struct bench *bench = *state;
	const struct row *row = bench->row;
	char id[DRIVE_ID_BYTES];
	const char *ids[] = {id};
	struct guard_wish wish = {.will_write = !row->reads_only};
	struct guard_permission permission = {ids, row->destroy, row->wipe, false, false};
	struct guard_subject *subject = calloc(1, sizeof *subject);
	struct fault fault = {0};
	const char *reason = no_way_to_test(row);
	int result;

	if (reason) {
		free(subject);
		print_message("# skipped: %s (%s)\n", row->name, reason);
		skip();
	}
	make_disk(bench);
	row->prepare(bench);
	wish.run_file_path = bench->run_file[0] ? bench->run_file : NULL;
	read_id(bench->target, id);
	result = guard_examine(bench->target, &wish, &permission, subject, &fault);
	check_outcome(row, result, subject);
	assert_true(row->outcome == GRANTED || fault.text[0]);
	if (row->outcome == GRANTED) {
		struct target target;

		assert_int_equal(guard_open(subject, true, &target, &fault), 0);
		assert_int_equal(target.may_write, !row->reads_only);
		assert_int_equal(target.size_bytes, subject->size_bytes);
		assert_int_equal(guard_recheck(subject, &target, &fault), 0);
		guard_close(subject, &target);
	}
	guard_subject_release(subject);
	free(subject);
}

#define ROWS (sizeof rows / sizeof *rows)

int main(void)
{
	struct CMUnitTest tests[ROWS];

	for (uint32_t i = 0; i < ROWS; i++)
		tests[i] = (struct CMUnitTest){rows[i].name, test_row, set_up, tear_down, (void *)&rows[i]};
	return cmocka_run_group_tests_name("guard on block devices", tests, NULL, NULL);
}
