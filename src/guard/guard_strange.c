/* Files that are no place for a measurement: of the kernel itself, or results of this program. */
#include "guard/subject.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>
#include "base/run_mark.h"

#define CONFIGFS 0x62656570	/* not in linux/magic.h */

static const char *kernel_file_system(const char *path)
{
	static const struct {
		unsigned long type;
		const char *name;
	} rows[] = {
		{PROC_SUPER_MAGIC, "proc"}, {SYSFS_MAGIC, "sysfs"}, {DEBUGFS_MAGIC, "debugfs"},
		{TRACEFS_MAGIC, "tracefs"}, {SECURITYFS_MAGIC, "securityfs"}, {CGROUP_SUPER_MAGIC, "cgroup"},
		{CGROUP2_SUPER_MAGIC, "cgroup2"}, {EFIVARFS_MAGIC, "efivarfs"}, {PSTOREFS_MAGIC, "pstore"},
		{BPF_FS_MAGIC, "bpf"}, {SELINUX_MAGIC, "selinuxfs"}, {CONFIGFS, "configfs"},
		{DEVPTS_SUPER_MAGIC, "devpts"}, {NSFS_MAGIC, "nsfs"},
	};
	struct statfs status;

	if (statfs(path, &status))
		return NULL;
	for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if ((unsigned long)status.f_type == rows[i].type)
			return rows[i].name;
	return NULL;
}

int subject_refuse_kernel_files(const struct guard_subject *subject, const char *path, struct fault *fault)
{
	const char *name = kernel_file_system(path);

	return name ? fault_set(fault, 0, 0, "%s lies on %s: its files are the kernel's own and hold no data",
				subject->name, name) : 0;
}

void subject_judge_run_files(struct guard_subject *subject)
{
	char run[PATH_MAX];

	if (run_mark_is(AT_FDCWD, subject->path))
		lines_add(&subject->refusals, "it is a run file: the results of a measurement would be lost");
	if (run_mark_is_side(AT_FDCWD, subject->path, run))
		lines_add(&subject->refusals, "it belongs to the run file %s", run);
}

/* "/proc/123/fd" and the like. */
static bool is_table_of_open_files(const char *directory)
{
	const size_t bytes = strlen(directory);

	return !strncmp(directory, "/proc/", 6) && bytes > 3 && !strcmp(directory + bytes - 3, "/fd");
}

int subject_refuse_open_files(const struct guard_subject *subject, struct fault *fault)
{
	char directory[PATH_MAX], real[PATH_MAX], *slash;

	strcpy(directory, subject->name);
	slash = strrchr(directory, '/');
	if (!slash)
		return 0;
	slash[slash == directory] = 0;
	if (!realpath(directory, real) || !is_table_of_open_files(real))
		return 0;
	return fault_set(fault, 0, 0,
			 "%s names what one process has open: give the device or file its own name",
			 subject->name);
}
