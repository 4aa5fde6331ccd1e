#include "drive/block.h"
#include "drive/drive_id.h"
#include "drive/drive_sim.h"
#include "drive/drive_use.h"
#include "guard/subject.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MARK_VALUE "1"

int subject_open_failed(const char *path, int error, struct fault *fault)
{
	const bool rights = (error == EACCES || error == EPERM) && path_is_under_dev(path);

	if (error == EBUSY)
		return fault_system(fault, -EBUSY, "%s was taken by somebody else just now", path);
	return fault_system(fault, -error, "%s cannot be opened: %s%s", path, strerror(error),
			    rights ? " (root may, and the node's group)" : "");
}

static int set_direct(int fd, const char *name, struct fault *fault)
{
	const int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && !fcntl(fd, F_SETFL, flags | O_DIRECT))
		return 0;
	return fault_system(fault, -errno,
			    "%s: O_DIRECT is not possible here (%s); direct=0 measures the page cache too",
			    name, strerror(errno));
}

/* What the file system asks of O_DIRECT; 512 where it does not say (tmpfs, older kernels). */
static void read_alignment(int fd, struct target *target)
{
	struct statx status;

	target->block_bytes = target->memory_align = 512;
	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) || !(status.stx_mask & STATX_DIOALIGN) ||
	    !status.stx_dio_offset_align)
		return;
	target->block_bytes = status.stx_dio_offset_align;
	target->memory_align = status.stx_dio_mem_align;
}

/* Reserves the space where the file system can, so that a long run does not end in ENOSPC. */
static int set_size(int fd, const struct guard_subject *subject, struct fault *fault)
{
	const uint64_t bytes = subject->wish.file_bytes;
	int result = 0;

	if (subject->exists && subject->size_bytes >= bytes)
		return 0;
	if (fallocate(fd, 0, 0, (off_t)bytes))
		result = errno != EOPNOTSUPP && errno != ENOSYS ? -errno
			 : ftruncate(fd, (off_t)bytes)		? -errno
								: 0;
	return result ? fault_system(fault, result, "%s cannot be made %llu bytes long: %s", subject->path,
				     (unsigned long long)bytes, strerror(-result)) : 0;
}

static void made_tell(const struct guard_subject *subject, int fd)
{
	struct guard_made *made = subject->made_told;
	struct stat status;

	if (!made || fstat(fd, &status))
		return;
	strcpy(made->path, subject->path);
	made->dev = status.st_dev;
	made->inode = status.st_ino;
	__atomic_store_n(&made->made, true, __ATOMIC_RELEASE);
}

static int create_file(struct guard_subject *subject, struct fault *fault)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	const int fd =
		subject->temporary ? mkostemp(subject->path, O_CLOEXEC) : open(subject->path, flags, 0600);

	if (fd < 0)
		return fault_system(fault, -errno, "%s cannot be made: %s", subject->path, strerror(errno));
	subject->made = true;
	made_tell(subject, fd);
	if (fsetxattr(fd, GUARD_MARK, MARK_VALUE, strlen(MARK_VALUE), 0))
		lines_add(&subject->warnings,
			  "%s: this file system keeps no extended attributes, so the file cannot be "
			  "marked as ours",
			  subject->path);
	else
		subject->ours = true;
	return fd;
}

static int open_existing(const struct guard_subject *subject, struct fault *fault)
{
	const int flags = (subject->writes ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(subject->path, flags | O_NOATIME);

	if (fd < 0 && errno == EPERM)
		fd = open(subject->path, flags);	/* O_NOATIME is for the owner only */
	return fd < 0 ? subject_open_failed(subject->path, errno, fault) : fd;
}

static int check_same_file(int fd, const struct guard_subject *subject, struct fault *fault)
{
	struct stat status;

	if (fstat(fd, &status))
		return fault_system(fault, -errno, "%s: %s", subject->path, strerror(errno));
	if (status.st_dev == subject->dev && status.st_ino == subject->inode)
		return 0;
	return fault_system(fault, -ESTALE, "%s is not the file any more that was examined", subject->path);
}

static int open_file(struct guard_subject *subject, bool direct, struct target *target, struct fault *fault)
{
	struct stat status;
	int result = 0;

	target->fd = subject->exists ? open_existing(subject, fault) : create_file(subject, fault);
	if (target->fd < 0)
		return target->fd;
	if (subject->exists)
		result = check_same_file(target->fd, subject, fault);
	if (!result && subject->writes)
		result = subject_lock_step(subject, target->fd, fault);
	if (!result && subject->writes)
		result = set_size(target->fd, subject, fault);
	if (!result && direct)
		result = set_direct(target->fd, subject->name, fault);
	if (!result && fstat(target->fd, &status))
		result = fault_system(fault, -errno, "%s: %s", subject->path, strerror(errno));
	if (result)
		return result;
	subject->inode = status.st_ino;
	subject->exists = true;
	target->size_bytes = subject->size_bytes = (uint64_t)status.st_size;
	if (direct)
		read_alignment(target->fd, target);
	return 0;
}

bool guard_can_hold(const struct guard_subject *subject)
{
	return subject->kind == TARGET_FILE && subject->writes && subject->exists;
}

int guard_hold(const struct guard_subject *subject, struct fault *fault)
{
	const int fd = open_existing(subject, fault);
	int result = fd < 0 ? fd : check_same_file(fd, subject, fault);

	if (!result)
		result = subject_lock(subject, fd, fault);
	if (result && fd >= 0)
		close(fd);
	return result ? result : fd;
}

/* Another disk that came in the meantime may have the same numbers, but not this one. Kernels before 5.15
 * have none. */
static bool is_same_disk(int fd, const struct guard_subject *subject)
{
	uint64_t sequence;

	return subject->disk_sequence == DRIVE_UNKNOWN || ioctl(fd, BLKGETDISKSEQ, &sequence) ||
	       sequence == subject->disk_sequence;
}

/* Exclusive while we write: nobody can mount it, add it to a RAID or partition it meanwhile. */
static int open_block_node(const char *path, const struct guard_subject *subject, bool direct,
			   struct fault *fault)
{
	const int flags = (subject->writes ? O_RDWR | O_EXCL : O_RDONLY) | (direct ? O_DIRECT : 0) |
			  O_CLOEXEC | O_NONBLOCK;
	const int fd = open(path, flags);
	struct stat status;

	if (fd < 0)
		return subject_open_failed(path, errno, fault);
	if (!fstat(fd, &status) && S_ISBLK(status.st_mode) && status.st_rdev == subject->dev &&
	    is_same_disk(fd, subject))
		return fd;
	close(fd);
	return fault_system(fault, -ESTALE, "%s is not the device any more that was examined", path);
}

static int open_generic(struct guard_subject *subject, struct target *target, struct fault *fault)
{
	struct stat status;
	struct block block;
	char path[80];
	int result = block_by_dev(NULL, subject->dev, &block);

	if (result)
		return fault_system(fault, result, "%s: its block device is gone", subject->name);
	block_path(&block, path);
	result = open_block_node(path, subject, false, fault);
	if (result < 0)
		return result;
	subject->fence_fd = result;
	target->fd = open(subject->path, (subject->writes ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	if (target->fd < 0)
		return subject_open_failed(subject->path, errno, fault);
	if (!fstat(target->fd, &status) && S_ISCHR(status.st_mode) && status.st_ino == subject->inode)
		return 0;
	return fault_system(fault, -ESTALE, "%s is not the node any more that was examined", subject->path);
}

static int open_node(struct guard_subject *subject, bool direct, struct target *target, struct fault *fault)
{
	switch (subject->kind) {
	case TARGET_FILE:
		return open_file(subject, direct, target, fault);
	case TARGET_BLOCK:
		target->fd = open_block_node(subject->path, subject, direct, fault);
		return target->fd < 0 ? target->fd : 0;
	case TARGET_CHAR:
		target->direct = false;		/* memory devices have no page cache to go around */
		target->fd = open(subject->path, O_RDWR | O_CLOEXEC);
		return target->fd < 0 ? subject_open_failed(subject->path, errno, fault) : 0;
	case TARGET_NVME_GENERIC:
		return open_generic(subject, target, fault);
	case TARGET_SIM:
		return drive_sim_open(subject->name + strlen("sim:"), subject->wish.seed, target, fault);
	}
	return -EINVAL;
}

/* What is different now; NULL = nothing. */
static const char *difference(const struct guard_subject *shown, const struct guard_subject *now)
{
	if (shown->kind != now->kind || shown->exists != now->exists)
		return "kind";
	if (strcmp(shown->path, now->path))
		return "path";
	if (shown->dev != now->dev || shown->inode != now->inode)
		return "inode";
	if (shown->birth_ns && now->birth_ns && shown->birth_ns != now->birth_ns)
		return "time of birth";	/* the number of one that was removed is soon given to another */
	if (strcmp(shown->id, now->id) || shown->disk_sequence != now->disk_sequence)
		return "identity";
	return shown->size_bytes != now->size_bytes ? "size" : NULL;
}

/* What was shown to the user must be what is opened. */
static int compare(const struct guard_subject *shown, const struct guard_subject *now, struct fault *fault)
{
	const char *what = difference(shown, now);

	if (!what)
		return 0;
	return fault_system(fault, -ESTALE,
			    "%s is not what it was when it was examined (its %s changed): look again",
			    shown->name, what);
}

int subject_examine_again(const struct guard_subject *subject, struct fault *fault)
{
	struct guard_subject *now = calloc(1, sizeof *now);
	int result;

	if (!now)
		return -ENOMEM;
	result = guard_examine(subject->name, &subject->wish, &subject->permission, now, fault);
	if (!result)
		result = compare(subject, now, fault);
	guard_subject_release(now);
	free(now);
	return result;
}

static bool is_block(const struct guard_subject *subject)
{
	return subject->kind == TARGET_BLOCK || subject->kind == TARGET_NVME_GENERIC;
}

static int recheck_block(const struct guard_subject *subject, struct fault *fault)
{
	char id[DRIVE_ID_BYTES];
	struct lines reasons = {0};
	struct block block;
	int result = block_by_dev(NULL, subject->dev, &block);

	if (result)
		return fault_system(fault, -ENODEV, "%s is gone", subject->name);
	if (drive_id(NULL, &block, id, NULL) || strcmp(id, subject->id) ||
	    machine_read_u64(NULL, "/sys/class/block/%s/diskseq", block.disk) != subject->disk_sequence)
		return fault_system(fault, -ESTALE, "%s is another device now than the one examined",
				    subject->name);
	if (block_size_bytes(NULL, block.name) != subject->size_bytes)
		return fault_system(fault, -ESTALE, "%s changed its size since it was examined",
				    subject->name);
	result = subject->writes ? drive_use(NULL, &block, &reasons, NULL) : 0;
	if (!result && reasons.count)
		result = fault_system(fault, -EPERM, "%s is refused: %s", subject->name, reasons.line[0]);
	lines_release(&reasons);
	return result;
}

/* Reading the device for signatures would disturb what is measured right after: between two steps that write
 * to it only what the kernel knows is looked at. */
static int look_again(const struct guard_subject *subject, struct fault *fault)
{
	return subject->examined_content && is_block(subject) ? recheck_block(subject, fault)
							      : subject_examine_again(subject, fault);
}

/* Only if the name still leads to our file. */
static void remove_made_file(const struct guard_subject *subject, const struct target *target)
{
	struct stat ours, there;

	if (fstat(target->fd, &ours) || lstat(subject->path, &there) || ours.st_dev != there.st_dev ||
	    ours.st_ino != there.st_ino)
		return;
	unlink(subject->path);
}

int guard_open(struct guard_subject *subject, bool direct, struct target *ret_target, struct fault *fault)
{
	struct target *target;
	int result = look_again(subject, fault);

	if (result)
		return result;
	target = calloc(1, sizeof *target);
	if (!target)
		return -ENOMEM;
	*target = (struct target){
		.kind = subject->kind,
		.fd = -1,
		.direct = direct,
		.may_write = subject->writes,
		.block_bytes = subject->block_bytes,
		.memory_align = subject->memory_align,
		.size_bytes = subject->size_bytes,
	};
	strcpy(target->name, subject->name);
	result = open_node(subject, direct, target, fault);
	subject->open = true;
	if (result) {
		if (subject->made && target->fd >= 0)
			remove_made_file(subject, target);	/* a run that did not begin leaves nothing */
		guard_close(subject, target);
	} else {
		*ret_target = *target;
	}
	free(target);
	return result;
}

void guard_close(struct guard_subject *subject, struct target *target)
{
	if (!subject->open)
		return;
	if (target->kind == TARGET_SIM)
		drive_sim_close(target);
	if (subject->made && subject->temporary && target->fd >= 0)
		remove_made_file(subject, target);
	if (target->fd >= 0)
		close(target->fd);
	if (subject->fence_fd >= 0)
		close(subject->fence_fd);
	target->fd = subject->fence_fd = -1;
	subject->open = false;
}

static int recheck_file(const struct guard_subject *subject, const struct target *target, struct fault *fault)
{
	struct lines reasons = {0};
	struct stat status;
	int result;

	if (fstat(target->fd, &status))
		return fault_system(fault, -errno, "%s: %s", subject->name, strerror(errno));
	if (!status.st_nlink)
		return fault_system(fault, -ESTALE, "%s was removed", subject->name);
	result = subject->writes ? drive_use_file(NULL, status.st_dev, status.st_ino, subject->path, &reasons)
				 : 0;
	if (!result && reasons.count)
		result = fault_system(fault, -EPERM, "%s is refused: %s", subject->name, reasons.line[0]);
	lines_release(&reasons);
	return result;
}

int guard_recheck(const struct guard_subject *subject, const struct target *target, struct fault *fault)
{
	if (is_block(subject))
		return recheck_block(subject, fault);
	return subject->kind == TARGET_FILE ? recheck_file(subject, target, fault) : 0;
}
