/* The guard on real loop devices: every way in which a device can be somebody's, and a clean one. Needs root.
 */
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
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "../../rig/rig.h"
#include "drive/drive_counters.h"
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
	char id[DRIVE_ID_BYTES];
	const char *ids[1];
	struct guard_wish wish;
	struct guard_permission permission;
	struct guard_subject subject;
	struct target opened;
	struct fault fault;
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

static void mbr_signature(struct bench *bench)
{
	rig_must("echo 'label: dos' | sfdisk -q --no-reread %s", bench->loop);
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

	rig_must("truncate -s 400M %s && losetup -c %s && mkfs.xfs -q %s", bench->file, bench->loop,
		 bench->loop);
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
	rig_must("mkdir %s && mkdir %s/deep && mount --bind %s/deep %s && umount %s", other, point, point,
		 other, point);
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

/* A link in a directory of its own to a partition, by relative steps, as udev makes them. */
static void link_to_a_mounted_partition(struct bench *bench)
{
	mount_partition(bench);
	rig_must("mkdir -p %s/links/by-path && ln -s ../step %s/links/by-path/pci-0000:00:1f.2-ata-1-part1 && ln -s %sp1 "
		 "%s/links/step", bench->rig.directory, bench->rig.directory, bench->loop, bench->rig.directory);
	rig_path(&bench->rig, "links/by-path/pci-0000:00:1f.2-ata-1-part1", bench->target);
}

static void link_to_the_disk_of_a_mounted_partition(struct bench *bench)
{
	mount_partition(bench);
	rig_must("mkdir -p %s/by-id && ln -s %s %s/by-id/ata-MODEL_SERIAL", bench->rig.directory, bench->loop,
		 bench->rig.directory);
	rig_path(&bench->rig, "by-id/ata-MODEL_SERIAL", bench->target);
}

static void member_of_device_mapper(struct bench *bench)
{
	rig_must("dmsetup create ssdassay-rig --table '0 2048 linear %s 0'", bench->loop);
	rig_later(&bench->rig, "dmsetup remove ssdassay-rig");
}

static void bcache_member(struct bench *bench)
{
	rig_must("make-bcache -B %s > /dev/null", bench->loop);
}

static void bcache_cache(struct bench *bench)
{
	rig_must("make-bcache -C %s > /dev/null", bench->loop);
}

/* A node of the same numbers under a name that says nothing, or something else. */
static void another_node_of_a_mounted_disk(struct bench *bench)
{
	struct stat status;

	link_to_mounted(bench);
	rig_path(&bench->rig, "nvme0n1", bench->target);
	assert_int_equal(stat(bench->loop, &status), 0);
	assert_int_equal(mknod(bench->target, S_IFBLK | 0600, status.st_rdev), 0);
}

static void hard_link_of_another_node_of_a_mounted_disk(struct bench *bench)
{
	char node[PATH_MAX];

	another_node_of_a_mounted_disk(bench);
	strcpy(node, bench->target);
	rig_path(&bench->rig, "null", bench->target);
	assert_int_equal(link(node, bench->target), 0);
}

static void file_that_a_mounted_disk_is_bound_over(struct bench *bench)
{
	link_to_mounted(bench);
	rig_file(&bench->rig, "harmless", 0, bench->target);
	rig_must("mount --bind %s %s", bench->loop, bench->target);
	rig_later(&bench->rig, "umount %s", bench->target);
}

static void way_round_to_a_mounted_disk(struct bench *bench)
{
	link_to_mounted(bench);
	snprintf(bench->target, sizeof bench->target, "/proc/self/root/dev/.%s", strrchr(bench->loop, '/'));
}

static void locked_by_a_partitioning_tool(struct bench *bench)
{
	bench->held_fd = open(bench->loop, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(bench->held_fd, LOCK_EX | LOCK_NB), 0);
}

/* As virtual machines do it on the disks that they use, which they do not hold exclusively. */
static void locked_by_a_virtual_machine(struct bench *bench)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 100, .l_len = 1};

	bench->held_fd = open(bench->loop, O_RDONLY | O_CLOEXEC);
	assert_int_equal(fcntl(bench->held_fd, F_OFD_SETLK, &lock), 0);
}

static void looked_at_by_udev(struct bench *bench)
{
	bench->held_fd = open(bench->loop, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(bench->held_fd, LOCK_SH | LOCK_NB), 0);
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
	const char *phrase; /* in a refusal, a missing permission or, when granted, a warning; NULL = any */
	const char *needs;	/* program without which the row cannot be prepared */
} rows[] = {
	{"a clean device with its id is granted", clean_disk, true, false, false, GRANTED, NULL, NULL},
	{"a clean device without its id is not", clean_disk, false, false, false, MISSING,
	 "--destroy loop:", NULL},
	{"a clean device may be read without any option", clean_disk, false, false, true, GRANTED, NULL,
	 NULL},
	{"a mounted device may be read, with a warning", mount_disk, false, false, true, GRANTED,
	 "mounted on", NULL},
	{"a link with colon, blank and percent leads to the device", link_to_clean, true, false, false,
	 GRANTED, NULL, NULL},
	{"an ext4 signature asks for --wipe-signatures", ext4_signature, true, false, false, MISSING,
	 "ext4 file system", NULL},
	{"an ext4 signature may be wiped", ext4_signature, true, true, false, GRANTED, NULL, NULL},
	{"wiping alone does not replace the id", ext4_signature, false, true, false, MISSING, "--destroy",
	 NULL},
	{"a swap signature asks for --wipe-signatures", swap_signature, true, false, false, MISSING,
	 "swap space", NULL},
	{"a LUKS signature asks for --wipe-signatures", luks_signature, true, false, false, MISSING,
	 "crypto_LUKS", NULL},
	{"a partition table asks for --wipe-signatures", gpt_signature, true, false, false, MISSING,
	 "gpt partition table", "sfdisk"},
	{"a partition table of the old kind does too", mbr_signature, true, false, false, MISSING,
	 "dos partition table", "sfdisk"},
	{"a file system on a partition counts for the disk", partition_with_file_system, true, false, false,
	 MISSING, "ext4 file system", NULL},
	{"an LVM member is refused", lvm_member, true, true, false, REFUSED, "LVM2_member", "pvcreate"},
	{"a RAID member is refused", raid_member, true, true, false, REFUSED, "linux_raid_member", NULL},
	{"a device that the device mapper stands on is refused", member_of_device_mapper, true, true, false, REFUSED,
	 "is part of dm-", "dmsetup && test -c /dev/mapper/control"},
	{"a ZFS member is refused", zfs_member, true, true, false, REFUSED, "zfs_member", NULL},
	{"a mounted device is refused", mount_disk, true, true, false, REFUSED, "mounted on", NULL},
	{"a device under the run file is refused", mount_disk, true, true, false, REFUSED, "run file", NULL},
	{"a mounted xfs is refused", mount_xfs, true, true, false, REFUSED, "mounted on", "mkfs.xfs"},
	{"a mounted btrfs is refused", mount_btrfs, true, true, false, REFUSED, "mounted", "mkfs.btrfs"},
	{"the second device of a btrfs is refused", second_device_of_btrfs, true, true, false, REFUSED,
	 "btrfs", "mkfs.btrfs"},
	{"a disk with a mounted partition is refused", mount_partition, true, true, false, REFUSED,
	 "p1 is mounted on", NULL},
	{"a partition beside a mounted one is granted, with a warning", sibling_mounted, true, false, false,
	 GRANTED, "p1 on the same drive is mounted", NULL},
	{"a partition of a mounted disk is refused", parent_mounted, true, true, false, REFUSED, "mounted on",
	 NULL},
	{"a bind mount counts", bind_mounted, true, true, false, REFUSED, "/bind", NULL},
	{"a mount in another namespace counts", mounted_elsewhere, true, true, false, REFUSED,
	 "another mount namespace", NULL},
	{"swap is refused", used_as_swap, true, true, false, REFUSED, "used as swap", NULL},
	{"a device that somebody holds exclusively is refused", held_exclusively, true, true, false, REFUSED,
	 "exclusively", NULL},
	{"a device under a loop device is refused", backing_of_a_loop, true, true, false, REFUSED,
	 "the backing of loop", NULL},
	{"a loop device on a mounted device is refused", upper_of_a_mounted_disk, true, true, false, REFUSED,
	 "stands on it", NULL},
	{"a loop device whose file is mounted through another is refused", twin_of_a_mounted_loop, true, true,
	 false, REFUSED, "same backing file", NULL},
	{"a by-path name does not hide a mounted partition", link_to_a_mounted_partition, true, true, false, REFUSED,
	 "p1 is mounted on", NULL},
	{"a by-id name of the disk does not hide a mounted partition", link_to_the_disk_of_a_mounted_partition, true, true,
	 false, REFUSED, "p1 is mounted on", NULL},
	{"links do not hide a mount", link_to_mounted, true, true, false, REFUSED, "mounted on", NULL},
	{"a node made elsewhere, of any name, does not hide a mount", another_node_of_a_mounted_disk, true, true, false,
	 REFUSED, "mounted on", NULL},
	{"nor does a hard link of such a node", hard_link_of_another_node_of_a_mounted_disk, true, true, false, REFUSED,
	 "mounted on", NULL},
	{"nor does a file that the device is bound over", file_that_a_mounted_disk_is_bound_over, true, true, false,
	 REFUSED, "mounted on", NULL},
	{"nor does a way round through proc", way_round_to_a_mounted_disk, true, true, false, REFUSED, "mounted on", NULL},
	{"a bcache backing device is refused", bcache_member, true, true, false, REFUSED, "bcache", "make-bcache"},
	{"a bcache cache is refused", bcache_cache, true, true, false, REFUSED, "bcache", "make-bcache"},
	{"a device that a partitioning tool has locked is refused", locked_by_a_partitioning_tool, true, true, false,
	 REFUSED, "locked by another program", NULL},
	{"a device that a virtual machine has locked is refused", locked_by_a_virtual_machine, true, true, false, REFUSED,
	 "locked by another program", NULL},
	{"a device that udev is looking at is granted", looked_at_by_udev, true, true, false, GRANTED, NULL, NULL},
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

	guard_close(&bench->subject, &bench->opened);
	guard_subject_release(&bench->subject);
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
		fail_msg("no line says \"%s\" but: %s", row->phrase,
			 lines->count ? lines->line[0] : "nothing");
}

static const char *no_way_to_test(const struct row *row)
{
	static char reason[64];

	if (!row->needs || !rig_run("PATH=$PATH:/usr/sbin:/sbin command -v %s", row->needs))
		return NULL;
	snprintf(reason, sizeof reason, "missing: %.50s", row->needs);
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
		rig_skip(reason);
		return;
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

/* -- what happens around opening -- */

static struct bench *bench_with_disk(void **state, uint32_t sector_bytes, bool read_only)
{
	struct bench *bench = *state;

	rig_file(&bench->rig, "disk", DISK_BYTES, bench->file);
	rig_loop(&bench->rig, bench->file, sector_bytes, read_only, bench->loop);
	read_id(bench->loop, bench->id);
	bench->ids[0] = bench->id;
	bench->permission = (struct guard_permission){bench->ids, 1, false, false, false};
	bench->wish = (struct guard_wish){.will_write = true};
	return bench;
}

static int examine(struct bench *bench)
{
	guard_subject_release(&bench->subject);
	return guard_examine(bench->loop, &bench->wish, &bench->permission, &bench->subject, &bench->fault);
}

static void examine_and_open(struct bench *bench)
{
	if (examine(bench) || guard_open(&bench->subject, true, &bench->opened, &bench->fault))
		fail_msg("%s", bench->fault.text);
}

static void a_device_that_is_written_is_held_while_open(void **state)
{
	struct bench *bench = bench_with_disk(state, 512, false);

	rig_must("mkfs.ext4 -q %s && mkdir %s/mnt", bench->loop, bench->rig.directory);
	bench->permission.wipe_signatures = true;
	examine_and_open(bench);
	assert_int_not_equal(rig_run("mount %s %s/mnt", bench->loop, bench->rig.directory), 0);
	guard_close(&bench->subject, &bench->opened);
	rig_must("mount %s %s/mnt && umount %s/mnt", bench->loop, bench->rig.directory, bench->rig.directory);
}

static void a_read_only_device_cannot_be_written(void **state)
{
	struct bench *bench = bench_with_disk(state, 512, true);

	assert_int_equal(examine(bench), -EROFS);
	bench->wish.will_write = false;
	examine_and_open(bench);
	assert_false(bench->opened.may_write);
}

static void an_unbound_loop_device_has_no_content(void **state)
{
	struct bench *bench = bench_with_disk(state, 512, false);

	rig_must("losetup -d %s", bench->loop);
	assert_int_equal(examine(bench), -ENOMEDIUM);
}

static void blocks_of_4096_bytes_are_respected(void **state)
{
	struct bench *bench = bench_with_disk(state, 4096, false);
	enum purge_method used;

	examine_and_open(bench);
	assert_int_equal(bench->opened.block_bytes, 4096);
	assert_int_equal(bench->opened.memory_align, 4096);
	assert_int_equal(
		guard_purge(&bench->subject, &bench->opened, PURGE_BEST, 512, 4096, &used, &bench->fault),
		-EINVAL);
}

static void a_purge_trims_just_its_range(void **state)
{
	struct bench *bench = bench_with_disk(state, 512, false);
	static uint8_t data[65536], seen[65536], zeros[65536];
	enum purge_method used;

	memset(data, 0x5a, sizeof data);
	rig_write(bench->loop, 0, data, sizeof data);
	rig_write(bench->loop, MEBI, data, sizeof data);
	examine_and_open(bench);
	assert_int_equal(
		guard_purge(&bench->subject, &bench->opened, PURGE_BEST, MEBI, MEBI, &used, &bench->fault),
		0);
	assert_int_equal(used, PURGE_TRIM);
	guard_close(&bench->subject, &bench->opened);
	bench->held_fd = open(bench->loop, O_RDONLY | O_CLOEXEC);
	assert_int_equal(pread(bench->held_fd, seen, sizeof seen, 0), sizeof seen);
	assert_memory_equal(seen, data, sizeof seen);
	assert_int_equal(pread(bench->held_fd, seen, sizeof seen, MEBI), sizeof seen);
	assert_memory_equal(seen, zeros, sizeof seen);
}

/* Our count and the kernel's agree to the I/O, also when trimmed and flushed. */
static void the_block_layer_counts_what_was_done(void **state)
{
	struct bench *bench = bench_with_disk(state, 512, false);
	struct drive_counters before, after, delta;
	char *data = aligned_alloc(4096, 4096);
	enum purge_method used;

	examine_and_open(bench);
	assert_int_equal(drive_counters(NULL, bench->subject.dev, &before), 0);
	memset(data, 0x5a, 4096);
	for (int i = 0; i < 100; i++)
		assert_int_equal(pwrite(bench->opened.fd, data, 4096, i * 8192), 4096);
	for (int i = 0; i < 50; i++)
		assert_int_equal(pread(bench->opened.fd, data, 4096, i * 8192), 4096);
	assert_int_equal(guard_purge(&bench->subject, &bench->opened, PURGE_BEST, 0, MEBI, &used, &bench->fault), 0);
	assert_int_equal(fsync(bench->opened.fd), 0);
	assert_int_equal(drive_counters(NULL, bench->subject.dev, &after), 0);
	drive_counters_delta(&before, &after, &delta);
	assert_int_equal(delta.writes, 101);	/* the flush counts as a write without bytes too */
	assert_int_equal(delta.write_bytes, 100 * 4096);
	assert_int_equal(delta.reads, 50);
	assert_int_equal(delta.read_bytes, 50 * 4096);
	assert_int_equal(delta.discard_bytes, MEBI);
	assert_int_equal(delta.flushes, 1);
	free(data);
}

static void a_purge_of_what_was_opened_for_reading_is_refused(void **state)
{
	struct bench *bench = bench_with_disk(state, 512, false);
	enum purge_method used;

	bench->wish.will_write = false;
	examine_and_open(bench);
	assert_int_equal(
		guard_purge(&bench->subject, &bench->opened, PURGE_BEST, 0, MEBI, &used, &bench->fault),
		-EPERM);
}

static void a_device_bound_anew_is_another_device(void **state)
{
	struct bench *bench = bench_with_disk(state, 512, false);

	assert_int_equal(examine(bench), 0);
	rig_must("losetup -d %s && losetup %s %s", bench->loop, bench->loop, bench->file);
	assert_int_equal(guard_open(&bench->subject, true, &bench->opened, &bench->fault), -ESTALE);
}

static void a_device_that_changed_its_size_is_noticed(void **state)
{
	struct bench *bench = bench_with_disk(state, 512, false);
	enum purge_method used;

	examine_and_open(bench);
	assert_int_equal(guard_recheck(&bench->subject, &bench->opened, &bench->fault), 0);
	rig_must("truncate -s 16M %s && losetup -c %s", bench->file, bench->loop);
	assert_int_equal(guard_recheck(&bench->subject, &bench->opened, &bench->fault), -ESTALE);
	assert_int_equal(
		guard_purge(&bench->subject, &bench->opened, PURGE_BEST, 0, MEBI, &used, &bench->fault),
		-ESTALE);
}

static void a_file_system_made_after_the_look_is_noticed(void **state)
{
	struct bench *bench = bench_with_disk(state, 512, false);

	assert_int_equal(examine(bench), 0);
	rig_must("mkfs.ext4 -q %s", bench->loop);
	assert_int_equal(guard_open(&bench->subject, true, &bench->opened, &bench->fault), -EPERM);
}

static uint64_t bytes_read_by_open(struct bench *bench, bool examined_content)
{
	struct drive_counters before, after, delta;

	assert_int_equal(drive_counters(NULL, bench->subject.dev, &before), 0);
	bench->subject.examined_content = examined_content;
	assert_int_equal(guard_open(&bench->subject, true, &bench->opened, &bench->fault), 0);
	guard_close(&bench->subject, &bench->opened);
	assert_int_equal(drive_counters(NULL, bench->subject.dev, &after), 0);
	drive_counters_delta(&before, &after, &delta);
	return delta.read_bytes;
}

static void between_steps_nothing_is_read_from_the_device(void **state)
{
	struct bench *bench = bench_with_disk(state, 512, false);

	assert_int_equal(examine(bench), 0);
	rig_must("sync; echo 3 > /proc/sys/vm/drop_caches");
	assert_true(bytes_read_by_open(bench, false) > 0);
	rig_must("sync; echo 3 > /proc/sys/vm/drop_caches");
	assert_int_equal(bytes_read_by_open(bench, true), 0);
}

static void between_steps_a_mount_is_still_noticed(void **state)
{
	struct bench *bench = bench_with_disk(state, 512, false);

	assert_int_equal(examine(bench), 0);
	bench->subject.examined_content = true;
	mount_disk(bench);
	assert_int_equal(guard_open(&bench->subject, true, &bench->opened, &bench->fault), -EPERM);
	assert_non_null(strstr(bench->fault.text, "mounted on"));
}

static void a_second_run_on_the_same_device_is_refused(void **state)
{
	struct bench *bench = bench_with_disk(state, 512, false);
	struct guard_subject *second = calloc(1, sizeof *second);

	examine_and_open(bench);
	assert_int_equal(guard_examine(bench->loop, &bench->wish, &bench->permission, second, &bench->fault),
			 -EPERM);
	assert_int_equal(second->refusals.count, 1);
	guard_subject_release(second);
	free(second);
}

static void what_would_be_lost_is_listed(void **state)
{
	struct bench *bench = bench_with_disk(state, 512, false);
	char node[PATH_MAX];

	rig_partition(&bench->rig, bench->loop, 1, MEBI, 64 * MEBI, node);
	rig_must("mkfs.ext4 -q -L precious %s", node);
	assert_int_equal(examine(bench), -EPERM);
	assert_true(some_line_has(&bench->subject.destroys, bench->file));
	assert_true(some_line_has(&bench->subject.destroys, "168 MB"));
	assert_true(some_line_has(&bench->subject.destroys, "p1, 67.1 MB"));
	assert_true(some_line_has(&bench->subject.destroys, "label precious"));
}

static void a_device_that_cannot_be_searched_needs_wipe_signatures(void **state)
{
	struct bench *bench = *state;
	char directory[PATH_MAX];

	if (rig_no_fault_reason()) {
		rig_skip(rig_no_fault_reason());
		return;
	}
	rig_fault(&bench->rig, 64 * MEBI, directory);
	rig_path(&bench->rig, "fault/disk", bench->file);
	rig_loop(&bench->rig, bench->file, 4096, false, bench->loop);
	read_id(bench->loop, bench->id);
	bench->ids[0] = bench->id;
	bench->permission = (struct guard_permission){bench->ids, 1, false, false, false};
	bench->wish = (struct guard_wish){.will_write = true};
	assert_int_equal(examine(bench), 0);
	rig_fault_command(directory, "errors 0 67108864 r");
	rig_must("blockdev --flushbufs %s", bench->loop);
	assert_int_equal(examine(bench), -EPERM);
	assert_true(some_line_has(&bench->subject.missing, "could not be searched"));
	bench->permission.wipe_signatures = true;
	assert_int_equal(examine(bench), 0);
}

#define ROWS (sizeof rows / sizeof *rows)

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest around[] = {
		TEST(a_device_that_is_written_is_held_while_open),
		TEST(a_read_only_device_cannot_be_written),
		TEST(an_unbound_loop_device_has_no_content),
		TEST(blocks_of_4096_bytes_are_respected),
		TEST(the_block_layer_counts_what_was_done), TEST(a_purge_trims_just_its_range),
		TEST(a_purge_of_what_was_opened_for_reading_is_refused),
		TEST(a_device_bound_anew_is_another_device),
		TEST(a_device_that_changed_its_size_is_noticed),
		TEST(a_file_system_made_after_the_look_is_noticed),
		TEST(between_steps_nothing_is_read_from_the_device),
		TEST(between_steps_a_mount_is_still_noticed),
		TEST(a_second_run_on_the_same_device_is_refused),
		TEST(what_would_be_lost_is_listed),
		TEST(a_device_that_cannot_be_searched_needs_wipe_signatures),
	};
	struct CMUnitTest tests[ROWS + sizeof around / sizeof *around];

	memcpy(tests + ROWS, around, sizeof around);
	for (uint32_t i = 0; i < ROWS; i++)
		tests[i] = (struct CMUnitTest){rows[i].name, test_row, set_up, tear_down, (void *)&rows[i]};
	if (rig_no_loop_reason())
		return rig_skip_all(rig_no_loop_reason());
	return cmocka_run_group_tests_name("guard on block devices", tests, NULL, NULL);
}
