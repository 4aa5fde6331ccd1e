#include "drive/block.h"
#include "drive/drive_sim.h"
#include "guard/subject.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

bool subject_permits_id(const struct guard_subject *subject, const char *id)
{
	for (uint32_t i = 0; i < subject->permission.destroy_count; i++)
		if (!strcmp(subject->permission.destroy[i], id))
			return true;
	return false;
}

bool path_is_under_dev(const char *real_path)
{
	return !strcmp(real_path, "/dev") || !strncmp(real_path, "/dev/", 5);
}

#ifndef STATX_WRITE_ATOMIC	/* Linux 6.11 */
#define STATX_WRITE_ATOMIC 0x00010000u
#define STATX_ATTR_WRITE_ATOMIC 0x00400000
#endif

int subject_examine_sim(struct guard_subject *subject, struct fault *fault)
{
	struct target target;
	const int result = drive_sim_open(subject->name + strlen("sim:"), subject->wish.seed, &target, fault);

	if (result)
		return result;
	subject->kind = TARGET_SIM;
	subject->exists = true;
	subject->size_bytes = target.size_bytes;
	subject->block_bytes = target.block_bytes;
	subject->memory_align = target.memory_align;
	drive_sim_close(&target);
	return 0;
}

/* /dev/null and /dev/zero: as large as asked, because what is measured is the program itself. */
static int examine_memory_node(struct guard_subject *subject, dev_t node)
{
	subject->gives_nothing = node == makedev(1, 3);
	subject->kind = TARGET_CHAR;
	subject->size_bytes = subject->wish.file_bytes ? subject->wish.file_bytes : 1ull << 40;
	subject->block_bytes = subject->memory_align = 1;
	lines_add(&subject->warnings, "%s has no drive behind it: this measures the program itself",
		  subject->path);
	return 0;
}

int subject_examine_char(struct guard_subject *subject, const struct stat *status, struct fault *fault)
{
	const dev_t node = status->st_rdev;
	struct block block;
	int result;

	if (node == makedev(1, 3) || node == makedev(1, 5))
		return examine_memory_node(subject, node);
	if (block_by_path(NULL, subject->path, &block))
		return fault_set(fault, 0, 0,
				 "%s is a character device that cannot be measured (block devices, files, "
				 "directories, NVMe generic nodes, /dev/null and /dev/zero can)",
				 subject->name);
	result = subject_examine_block(subject, block.dev, fault);
	subject->kind = TARGET_NVME_GENERIC;
	return result;
}

/* What only newer kernels tell, and not of all file systems. */
static void examine_further(struct guard_subject *subject)
{
	const unsigned int mask = STATX_BTIME | STATX_DIOALIGN | STATX_WRITE_ATOMIC;
	struct statx status;

	if (statx(AT_FDCWD, subject->path, AT_SYMLINK_NOFOLLOW, mask, &status))
		return;
	if (status.stx_mask & STATX_BTIME)
		subject->birth_ns = (uint64_t)status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec;
	if (status.stx_mask & STATX_DIOALIGN)
		subject->direct_block_bytes = status.stx_dio_offset_align;
	subject->atomic_refused = !(status.stx_attributes & STATX_ATTR_WRITE_ATOMIC);
}

static int examine_existing(struct guard_subject *subject, const struct stat *status, struct fault *fault)
{
	subject->exists = true;
	subject->inode = status->st_ino;
	if (!realpath(subject->name, subject->path))
		return fault_system(fault, -errno, "%s: %s", subject->name, strerror(errno));
	examine_further(subject);
	switch (status->st_mode & S_IFMT) {
	case S_IFBLK:
		return subject_examine_block(subject, status->st_rdev, fault);
	case S_IFCHR:
		return subject_examine_char(subject, status, fault);
	case S_IFREG:
		return subject_examine_file(subject, status, fault);
	case S_IFDIR:
		return subject_examine_directory(subject, fault);
	}
	return fault_set(fault, 0, 0, "%s is neither a file, a directory nor a block device", subject->name);
}

static int examine_name(struct guard_subject *subject, struct fault *fault)
{
	struct stat status;
	int result;

	if (drive_sim_is(subject->name))
		return subject_examine_sim(subject, fault);
	result = subject_refuse_open_files(subject, fault);
	if (result)
		return result;
	if (!stat(subject->name, &status))
		return examine_existing(subject, &status, fault);
	if (errno == ENOENT)
		return subject_examine_missing(subject, fault);
	return fault_system(fault, -errno, "%s: %s", subject->name, strerror(errno));
}

static int lists_error(const struct guard_subject *subject)
{
	return subject->destroys.error | subject->warnings.error | subject->refusals.error |
	       subject->missing.error;
}

/* The first reason is the sentence; the lists have them all. */
static int verdict(const struct guard_subject *subject, struct fault *fault)
{
	const struct lines *lines = subject->refusals.count ? &subject->refusals : &subject->missing;

	if (lists_error(subject))
		return -ENOMEM;
	if (!lines->count)
		return 0;
	return fault_system(fault, -EPERM, "%s %s: %s", subject->name,
			    lines == &subject->refusals ? "is refused" : "needs permission", lines->line[0]);
}

int guard_examine(const char *name, const struct guard_wish *wish, const struct guard_permission *permission,
		  struct guard_subject *ret_subject, struct fault *fault)
{
	struct guard_subject *subject = ret_subject;
	int result;

	*subject = (struct guard_subject){.fence_fd = -1, .wish = *wish, .permission = *permission};
	if (!*name || strlen(name) >= sizeof subject->name)
		return fault_set(fault, 0, 0, *name ? "a target's name is longer than %d bytes" :
				 "a target's name is empty", PATH_MAX - 1);
	strcpy(subject->name, name);
	subject->writes = wish->will_write || wish->will_trim || wish->purge_methods & ~(1u << PURGE_NONE);
	result = examine_name(subject, fault);
	/* what forbids is said first, even when the device could not be opened either */
	return result && !subject->refusals.count ? result : verdict(subject, fault);
}

void guard_subject_release(struct guard_subject *subject)
{
	lines_release(&subject->destroys);
	lines_release(&subject->warnings);
	lines_release(&subject->refusals);
	lines_release(&subject->missing);
}
