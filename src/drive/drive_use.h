/* drive_use: who uses a block device now: mounts in any namespace, swap, device mapper, RAID, bcache, loop
 * devices.
 *
 * Looked at: the device itself, its partitions, the disk it is a partition of, and for a loop device the
 * device or file behind it. A sibling partition's use is a warning, not a reason: writing to one does not
 * touch the other. Source: proc(5) mountinfo and swaps; sysfs holders; LOOP_GET_STATUS64 through machine->io
 * where allowed. */
#pragma once
#include <sys/types.h>
#include "drive/block.h"
#include "drive/lines.h"
#include "drive/machine.h"

/* Adds sentences: to `reasons` what forbids writing, to `warnings` (may be NULL) what disturbs measuring. 0,
 * or -errno when a table cannot be read, so that "no reason" always means "looked and found none". */
int drive_use(const struct machine *machine, const struct block *block, struct lines *reasons,
	      struct lines *warnings);

/* The same for a regular file: swap file, loop backing. */
int drive_use_file(const struct machine *machine, dev_t dev, uint64_t inode, const char *real_path,
		   struct lines *reasons);

/* Signatures on a block device, found by libblkid. */
struct signature {
	bool member;		/* of LVM, RAID, ZFS, bcache, Ceph ...: part of something bigger */
	char text[160];		/* "ext4 file system, label data", "GPT partition table" */
};
#define SIGNATURES_MAX 16
/* Of the device at `path` (opened read-only); the count, or -errno. */
int drive_signatures(const char *path, struct signature ret_signatures[SIGNATURES_MAX]);
