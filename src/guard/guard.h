/* guard: refuses, asks, fences. The only room that opens a device for writing, purges, or makes a file.
 *
 * Flow: guard_examine() looks (opens nothing for writing, changes nothing) and says whether the wish is
 * granted; guard_open() looks again, opens and fences; guard_recheck() looks once more right before a first
 * write or a purge; guard_close() gives everything back. One subject per target; a subject is used by one
 * thread at a time. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/fault.h"
#include "base/target.h"
#include "drive/drive.h"
#include "plan/plan.h"

/* What the user allowed. Borrowed: lives as long as the subjects made with it. */
struct guard_permission {
	const char *const *destroy;	/* --destroy ID, as typed */
	uint32_t destroy_count;
	bool wipe_signatures, overwrite, allow_unwritten;
	bool resumes;			/* a file system of ours (guard_fs.h) may have been left: it may go */
};

/* What the run wants to do with one target. */
struct guard_wish {
	bool will_write, will_trim;	/* trim counts as writing */
	uint32_t purge_methods;		/* bits 1 << enum purge_method: purges that it names. What a format,
					 * sanitize or secure erase wipes beyond the target is listed, and
					 * each needs its id */
	uint64_t file_bytes;		/* size a file must have; 0 = as it is */
	const char *run_file_path;	/* borrowed; NULL = none. Not on a device that is written */
	uint64_t seed;			/* simulated drives */
	bool held;			/* a process of ours has guard_hold: the lock that is found is our own */
};

/* How far a purge is. Written by guard_purge, which may be in another process than its reader: plain words in
 * memory that both share. */
struct guard_progress {
	const char *how;		/* static text: "format", "sanitize, block erase"; NULL = not begun */
	float share;			/* 0..1; NAN = not known */
	uint32_t expected_s;		/* the drive's own estimate of the whole; 0 = none */
	bool unattended;		/* the drive goes on by itself, and cannot be stopped */
	bool must_finish;		/* whoever waits has to clean up after it: not to be killed */
};

/* A file that was made, from the moment on that it is there. Written by guard_open, which may be in another
 * process than its reader: plain words in memory that both share. */
struct guard_made {
	bool made;
	dev_t dev;
	uint64_t inode;
	char path[PATH_MAX];
};

struct guard_subject {
	enum target_kind kind;
	char name[PATH_MAX];		/* as the user wrote it */
	char path[PATH_MAX];		/* links resolved; directory target: of the file that is made */
	dev_t dev;			/* the block device; file: its file system's; else 0 */
	uint64_t inode;			/* of an existing file or node */
	uint64_t birth_ns;		/* when an existing file was made, since 1970; 0: its file system does not
					 * tell */
	char id[DRIVE_ID_BYTES];	/* what --destroy must name; "" for files, sim, /dev/null */
	uint64_t size_bytes;		/* now; of a missing file: wish.file_bytes */
	uint32_t block_bytes, memory_align;
	uint32_t direct_block_bytes;	/* an existing file: what O_DIRECT asks; 0: not known */
	bool atomic_refused;		/* an existing file or device: the kernel says that it takes no atomic writes */
	bool gives_nothing;		/* /dev/null: reads end at once */
	bool exists;			/* false: a file that guard_open will make */
	bool ours;			/* carries user.ssdassay */
	bool temporary;			/* directory target: the file is removed by guard_close */
	bool writes;			/* the wish writes or trims, or the file has to be made */
	bool run_file_same_fs;		/* it lies beside the target: a failed self-check */
	struct lines destroys;		/* what would be lost: model, serial, size, namespaces, contents */
	struct lines warnings;
	struct lines refusals;		/* no option helps */
	struct lines missing;		/* what an option would allow: "--destroy S5GX:1 is needed ..." */
	bool is_locked;			/* among the refusals is the lock of another program, which may go */
	bool needs_id;			/* `missing` names the id (and it may be typed at a prompt) */
	bool examined_content;		/* set by the caller once a step has written through it: until the
					 * next purge guard_open looks at names, sizes, uses and the like, but
					 * reads nothing from it */
	struct guard_progress *progress;	/* borrowed; NULL = nobody asks */
	struct guard_made *made_told;		/* the same */
	/* private */
	struct guard_wish wish;
	struct guard_permission permission;
	uint64_t disk_sequence;		/* diskseq: the kernel's number of this appearance */
	int fence_fd;			/* NVMe generic: its block device, held; else -1 */
	bool open, made;
};

/* Resolves `name` however it is written: block device, partition, by-id and other links, /dev/ngXnY, a file,
 * a path that does not exist, a directory on a mounted file system, /dev/null and /dev/zero, "sim:...". 0
 * granted; -EPERM refused (exit code 3; fault says the first reason, `refusals` and `missing` all of them);
 * -ENOENT, -EACCES, -EINVAL, -ENOSPC ... (exit code 4; EINVAL 2) cannot be a target, with fault.
 * The subject is filled on 0 and -EPERM; release it in every case. */
int guard_examine(const char *name, const struct guard_wish *wish, const struct guard_permission *permission,
		  struct guard_subject *ret_subject, struct fault *fault);
/* Bytes it will have once opened: a file that is written grows to the wish's file_bytes. Simulated drives: 0.
 */
uint64_t guard_bytes(const struct guard_subject *subject);
/* Closes nothing: for subjects that are not open. */
void guard_subject_release(struct guard_subject *subject);

/* Examines again, compares (same node, same size, same id) and opens: block devices that are written with
 * O_EXCL, read-only when nothing is written; files are made with mode 0600, marked and sized, and locked when they
 * are written (unless the run holds them). `direct` =
 * O_DIRECT, refused with a fault where the file system cannot. 0 or -errno as above, -EBUSY when somebody
 * else was faster. */
int guard_open(struct guard_subject *subject, bool direct, struct target *ret_target, struct fault *fault);
/* Holds the lock of a file that is written, so that it is not free between the steps of a run either: for a
 * process that does nothing else, since closing a file may hang. The file must be there. Returns a descriptor
 * for the lock alone (close it to give the lock back), or -errno with fault: -EBUSY when somebody else was
 * faster. Subjects whose wish says `held` are then opened in other processes. */
int guard_hold(const struct guard_subject *subject, struct fault *fault);
/* Whether that would have anything to do. */
bool guard_can_hold(const struct guard_subject *subject);
/* Closes, lifts the fence, removes a temporary file. */
void guard_close(struct guard_subject *subject, struct target *target);
/* For runs whose steps open the file in processes of their own: makes a file that does not exist (or makes it
 * as long as the wish says), closes it and leaves a subject that names it; guard_open can then be called in
 * any process. Nothing to do for other targets. 0 or -errno as guard_open. */
int guard_make_file(struct guard_subject *subject, struct fault *fault);
/* Whether that would have anything to do. */
bool guard_must_make(const struct guard_subject *subject);
/* Removes a file whose making was broken off, if its name still leads to it. */
void guard_remove_made(const struct guard_made *made);
/* Removes the file that guard_make_file made in a directory target; nothing else is ever removed. */
void guard_remove_temporary(struct guard_subject *subject);
/* Whether that would have anything to do. */
bool guard_has_temporary(const struct guard_subject *subject);
/* Still the same device, nobody mounted it meanwhile? 0, -EPERM, -ENODEV (gone), -ESTALE (another one) with
 * fault. */
int guard_recheck(const struct guard_subject *subject, const struct target *target, struct fault *fault);

/* Purges bytes [offset, offset + bytes) after guard_recheck.
 *   PURGE_BEST: a file is punched, a block device is trimmed; an NVMe drive without TRIM is formatted when
 *     the range is the whole namespace and the format hits no other.
 *   PURGE_TRIM: the kernel's discard, which is an NVMe deallocate, an ATA TRIM, a SCSI UNMAP or WRITE SAME.
 *   PURGE_FORMAT, PURGE_SANITIZE (NVMe; SCSI), PURGE_SECURE_ERASE (SATA): the whole target only, and only if
 *     the wish announced them (purge_methods), so that all they wipe was listed; that is looked at once more
 *     now, and other namespaces that are wiped too are held exclusively meanwhile. Each takes up to hours;
 *     subject->progress tells.
 * Returns what was done; PURGE_NONE for /dev/null. -EOPNOTSUPP when the target cannot (fault
 * says what it could); simulated drives too: their purge takes virtual time, so run sends IO_TRIM. -EINVAL:
 * range outside or unaligned. */
int guard_purge(struct guard_subject *subject, struct target *target, enum purge_method method,
		uint64_t offset, uint64_t bytes, enum purge_method *ret_used, struct fault *fault);

/* Is every byte of the range allocated and written? 1 yes; 0 no, *ret_first_unwritten says where (allocated
 * but never written extents count as unwritten); -EOPNOTSUPP not known (block devices, file systems that do
 * not tell). */
int guard_range_written(const struct target *target, uint64_t offset, uint64_t bytes,
			uint64_t *ret_first_unwritten);

/* Turns the drive's volatile write cache on or off (NVMe feature 06h; SCSI/SATA cache_type); *ret_was is what
 * it was. -EOPNOTSUPP when the drive has no such switch. Block devices only. The caller restores it at the
 * end. */
int guard_write_cache(const struct guard_subject *subject, bool enable, bool *ret_was, struct fault *fault);
/* Only looks at it. */
int guard_write_cache_look(const struct guard_subject *subject, bool *ret_on, struct fault *fault);
