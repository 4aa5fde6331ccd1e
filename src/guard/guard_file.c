#include "base/units.h"
#include "drive/drive_file.h"
#include "drive/drive_use.h"
#include "guard/subject.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define TEMPORARY_NAME "ssdassay-XXXXXX"	/* what mkstemp makes in a directory target */

static void append_file_warnings(struct guard_subject *subject)
{
	struct drive_file_facts facts;
	const int result = drive_file_facts(NULL, subject->path, &facts, NULL);

	if (result == -ENOMEM)
		subject->warnings.error = result;
	if (result)
		return;
	for (uint32_t i = 0; i < facts.warnings.count; i++)
		lines_add(&subject->warnings, "%s", facts.warnings.line[i]);
	drive_file_facts_release(&facts);
}

static void judge_run_file_beside(struct guard_subject *subject, const struct stat *where)
{
	char directory[PATH_MAX], *slash;
	struct stat run;

	if (!subject->wish.run_file_path)
		return;
	snprintf(directory, sizeof directory, "%s", subject->wish.run_file_path);
	slash = strrchr(directory, '/');
	if (slash)
		slash[slash == directory] = 0;
	else
		strcpy(directory, ".");
	if (!stat(subject->wish.run_file_path, &run) && subject->exists && run.st_dev == where->st_dev &&
	    run.st_ino == where->st_ino)
		lines_add(&subject->refusals, "it is the run file itself");
	else if (!stat(directory, &run) && run.st_dev == where->st_dev) {
		subject->run_file_same_fs = true;
		lines_add(&subject->warnings,
			  "the run file lies on the same file system: its own writes disturb the "
			  "measurement");
	}
}

/* What has to be allocated must fit, before an hour has passed. */
static int judge_space(struct guard_subject *subject, const char *where, uint64_t allocated,
		       struct fault *fault)
{
	const uint64_t wanted = subject->wish.file_bytes;
	char needed[UNITS_TEXT], available[UNITS_TEXT];
	struct statvfs space;
	uint64_t free_bytes;

	if (!subject->writes || wanted <= allocated || statvfs(where, &space))
		return 0;
	free_bytes = (uint64_t)space.f_bavail * space.f_frsize;
	if (wanted - allocated <= free_bytes)
		return 0;
	return fault_system(fault, -ENOSPC, "%s needs %s, and %s are free on its file system", subject->name,
			    capacity_format(wanted - allocated, needed), capacity_format(free_bytes, available));
}

static void judge_overwriting(struct guard_subject *subject)
{
	char size[UNITS_TEXT];

	lines_add(&subject->destroys, "%s: %s%s", subject->path, size_format(subject->size_bytes, size),
		  subject->ours ? ", made by ssdassay" : "");
	if (!subject->ours && !subject->permission.overwrite)
		lines_add(&subject->missing,
			  "this file was not made by ssdassay: --overwrite is needed to write to it");
}

static void set_file_kind(struct guard_subject *subject)
{
	subject->kind = TARGET_FILE;
	subject->block_bytes = subject->memory_align = 1;	/* guard_open asks the file for O_DIRECT's */
}

int subject_examine_file(struct guard_subject *subject, const struct stat *status, struct fault *fault)
{
	char have[UNITS_TEXT], want[UNITS_TEXT];
	struct lines uses = {0};
	int result;

	set_file_kind(subject);
	subject->dev = status->st_dev;
	subject->size_bytes = (uint64_t)status->st_size;
	subject->ours = getxattr(subject->path, GUARD_MARK, NULL, 0) >= 0;
	result = subject_refuse_kernel_files(subject, subject->path, fault);
	if (result)
		return result;
	result = drive_use_file(NULL, status->st_dev, status->st_ino, subject->path, &uses);
	for (uint32_t i = 0; i < uses.count; i++)
		lines_add(subject->writes ? &subject->refusals : &subject->warnings, "%s", uses.line[i]);
	lines_release(&uses);
	if (result)
		return fault_system(fault, result, "%s: cannot see whether it is in use: %s%s", subject->name,
				    strerror(-result),
				    result == -ENOENT ? "; are /proc and /sys mounted?" : "");
	if (!subject->writes && subject->wish.file_bytes > subject->size_bytes)
		return fault_set(fault, 0, 0, "%s has %s (%llu bytes), but the plan reads %s (%llu bytes) of it",
				 subject->name, capacity_format(subject->size_bytes, have),
				 (unsigned long long)subject->size_bytes,
				 capacity_format(subject->wish.file_bytes, want),
				 (unsigned long long)subject->wish.file_bytes);
	if (!subject->size_bytes && !subject->wish.file_bytes)
		return fault_set(fault, 0, 0, "%s is empty: give the plan a size", subject->name);
	if (subject->writes) {
		judge_overwriting(subject);
		subject_judge_run_files(subject);
		subject_judge_locks(subject, subject->path);
	}
	judge_run_file_beside(subject, status);
	append_file_warnings(subject);
	return judge_space(subject, subject->path, (uint64_t)status->st_blocks * 512, fault);
}

/* Neither of both is there yet, and they would have one name. */
static void judge_run_file_name(struct guard_subject *subject, const struct stat *where)
{
	static const char *const sides[] = {"", "-wal", "-shm", "-journal"};
	char directory[PATH_MAX];
	const char *run = subject->wish.run_file_path, *slash = run ? strrchr(run, '/') : NULL;
	const char *base = slash ? slash + 1 : run, *name = strrchr(subject->path, '/');
	struct stat status;

	if (!run || !name)
		return;
	snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash + 1 - run) : 1, slash ? run : ".");
	if (stat(directory, &status) || status.st_dev != where->st_dev || status.st_ino != where->st_ino)
		return;
	for (uint32_t i = 0; i < sizeof sides / sizeof *sides; i++)
		if (!strncmp(name + 1, base, strlen(base)) && !strcmp(name + 1 + strlen(base), sides[i]))
			lines_add(&subject->refusals, i ? "it would belong to the run file %s" :
				  "it would be the run file %s itself", run);
}

/* What O_DIRECT will ask of a file there is mostly the drive's logical block; 0: not known. */
static uint32_t direct_block_bytes(dev_t file_system)
{
	struct block block;
	uint64_t bytes = DRIVE_UNKNOWN;

	if (!block_by_dev(NULL, file_system, &block))
		bytes = machine_read_u64(NULL, "/sys/class/block/%s/queue/logical_block_size", block.disk);
	return bytes == DRIVE_UNKNOWN ? 0 : (uint32_t)bytes;
}

/* A file that guard_open will make in `directory` (real path). */
static int examine_new_file(struct guard_subject *subject, const char *directory, struct fault *fault)
{
	struct stat status;
	int result;

	set_file_kind(subject);
	subject->exists = false;
	subject->writes = true;
	subject->inode = 0;
	subject->size_bytes = subject->wish.file_bytes;
	if (stat(directory, &status))
		return fault_system(fault, -errno, "%s: %s", directory, strerror(errno));
	if (!S_ISDIR(status.st_mode))
		return fault_system(fault, -ENOTDIR, "%s is not a directory", directory);
	if (path_is_under_dev(directory))
		return fault_system(fault, -ENOENT, "%s does not exist, and files are never made under /dev",
				    subject->name);
	result = subject_refuse_kernel_files(subject, directory, fault);
	if (result)
		return result;
	if (!subject->wish.file_bytes)
		return fault_set(fault, 0, 0,
				 "%s does not exist: give the plan a size, so that it can be made",
				 subject->name);
	if (access(directory, W_OK | X_OK))
		return fault_system(fault, -errno, "no file can be made in %s: %s", directory,
				    strerror(errno));
	subject->dev = status.st_dev;
	subject->direct_block_bytes = direct_block_bytes(status.st_dev);
	judge_run_file_beside(subject, &status);
	judge_run_file_name(subject, &status);
	append_file_warnings(subject);
	return judge_space(subject, directory, 0, fault);
}

int subject_examine_directory(struct guard_subject *subject, struct fault *fault)
{
	char directory[PATH_MAX];

	strcpy(directory, subject->path);
	if (strlen(directory) + sizeof "/" TEMPORARY_NAME > sizeof subject->path)
		return fault_system(fault, -ENAMETOOLONG, "%s: the path is too long for a file in it",
				    subject->name);
	if (path_is_under_dev(directory))
		return fault_set(fault, 0, 0, "%s lies under /dev: files are never made there",
				 subject->name);
	strcat(subject->path, strcmp(directory, "/") ? "/" TEMPORARY_NAME : TEMPORARY_NAME);
	subject->temporary = true;
	return examine_new_file(subject, directory, fault);
}

int subject_examine_missing(struct guard_subject *subject, struct fault *fault)
{
	char directory[PATH_MAX], real[PATH_MAX];
	char *slash = strrchr(subject->name, '/');
	const char *last = slash ? slash + 1 : subject->name;
	struct stat status;

	if (!lstat(subject->name, &status))
		return fault_system(fault, -ENOENT, "%s is a link that leads nowhere", subject->name);
	if (!*last)
		return fault_system(fault, -ENOENT, "the directory %s does not exist", subject->name);
	snprintf(directory, sizeof directory, "%.*s",
		 slash ? (int)(slash - subject->name) + (slash == subject->name) : 1,
		 slash ? subject->name : ".");
	if (!realpath(directory, real))
		return fault_system(fault, -errno, "the directory %s: %s", directory, strerror(errno));
	if (snprintf(subject->path, sizeof subject->path, "%s%s%s", real, strcmp(real, "/") ? "/" : "",
		     last) >= (int)sizeof subject->path)
		return fault_system(fault, -ENAMETOOLONG, "%s: the path is too long", subject->name);
	return examine_new_file(subject, real, fault);
}
