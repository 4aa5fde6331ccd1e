/* guard_fs: a file system that exists for a while: made on a target's device, mounted where only one family
 * of processes sees it, unmounted and wiped again.
 *
 * A process of its own, the keeper, calls guard_fs_make: it leaves the mount namespace of the others, so that
 * nothing of the machine ever sees the mount, and when the keeper dies, whatever the reason, the kernel
 * unmounts. Processes that use a file on it follow it there with guard_fs_enter. Needs root, and a kernel and
 * tools that know the file system.
 *
 * What can stay behind, when the keeper is killed or the machine goes down: an empty directory in /run, and
 * the file system's signature on the device, which carries the label GUARD_FS_LABEL. `wipefs -a DEVICE`
 * removes it; so does a run that is resumed. */
#pragma once
#include "guard/guard.h"

#define GUARD_FS_LABEL "ssdassay" /* of all that it makes */

struct guard_fs {
	char name[16];	    /* as asked: "ext4" "xfs" "btrfs" "ntfs" */
	char type[16];	    /* as the kernel mounted it: "ext4" ... "ntfs3" "fuseblk" (ntfs-3g) */
	char directory[64]; /* where it is mounted, in the keeper's namespace */
	char device[80];
	pid_t helper; /* of a file system in user space; 0 = none */
	bool made, mounted;
};

/* Can it be made on this target? 0; -EOPNOTSUPP and in `fault` why not: the target is no block device, the
 * tool is not installed, it needs root. Whether the kernel can mount it shows only when it does. */
int guard_fs_check(const struct guard_subject *subject, const char *name, struct fault *fault);

/* Examines once more, makes the file system over the whole device, mounts it (nosuid, nodev, noatime; mode
 * 0700) and makes a file of `file_bytes` on it: *ret_file, without lines, for guard_open in any process that
 * has entered. For a process without threads, which lives in another mount namespace from then on. 0;
 * -EOPNOTSUPP: this system cannot, as guard_fs_check; -ENOSPC: the file does not fit; -errno as guard_open,
 * with fault. After an error nothing is mounted and the device is wiped. */
int guard_fs_make(struct guard_subject *subject, const char *name, uint64_t file_bytes,
		  struct guard_fs *ret_fs, struct guard_subject *ret_file, struct fault *fault);

/* By the keeper: unmounts, waiting some seconds for those that still have the file open, and wipes the
 * signature. 0 or -errno with fault: what is left, and what removes it. */
int guard_fs_remove(struct guard_fs *fs, const struct guard_subject *subject, struct fault *fault);

/* Of a run that was killed: removes the directory that it mounted on, if it is empty and has such a name.
 * Only when guard_examine has found the device free. */
void guard_fs_tidy(const char *directory);

/* Moves this process (it has no threads yet) to where the keeper's file system is mounted. 0 or -errno with
 * fault. */
int guard_fs_enter(pid_t keeper, struct fault *fault);
