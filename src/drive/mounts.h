/* mounts: the mount tables of every mount namespace that can be read (proc(5), mountinfo). */
#pragma once
#include <stdbool.h>
#include <sys/types.h>
#include "drive/machine.h"

struct mount_entry {
	dev_t dev;			/* of the file system; anonymous for btrfs, zfs, overlay ... */
	char root[PATH_MAX];		/* inside the file system; not "/" = bind mount or subvolume */
	char point[PATH_MAX];
	char options[512];		/* mount, then superblock options, joined by ',' */
	char file_system[64];
	char source[PATH_MAX];
	bool foreign;			/* of another namespace than ours */
	int pid;			/* a process of that namespace */
};

/* Calls `visit` for each entry until it returns non-zero, which is then returned. -errno when our own table
 * cannot be read; tables of processes that vanished or are not ours to read are skipped. */
int mounts_visit(const struct machine *machine, int (*visit)(void *context, const struct mount_entry *entry),
		 void *context);
/* Only our own namespace. */
int mounts_visit_own(const struct machine *machine,
		     int (*visit)(void *context, const struct mount_entry *entry), void *context);
/* A table in memory, which is cut to pieces; `entry` is where each line is put. Lines that are none are
 * skipped. */
int mounts_visit_text(char *text, struct mount_entry *entry,
		      int (*visit)(void *context, const struct mount_entry *entry), void *context);
/* Undoes the octal escapes of /proc tables (\040 and the like) in place. */
void mounts_unescape(char *text);
