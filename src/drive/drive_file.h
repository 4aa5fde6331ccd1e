/* drive_file: what lies under a file target: its file system, how that is mounted, and the drive below it. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/fault.h"
#include "drive/lines.h"
#include "drive/machine.h"

struct drive_file_facts {
	char path[4096];		/* as asked */
	char mount_point[4096];
	char file_system[64];		/* "ext4" "xfs" "btrfs" "tmpfs" "fuse.sshfs" ... */
	char source[4096];		/* "/dev/nvme0n1p2", "tank/data", "server:/export" */
	char options[1024];		/* mount and superblock options, joined by ',' */
	bool in_memory;			/* tmpfs, ramfs: no drive at all */
	bool network;			/* nfs, cifs, ... */
	bool copy_on_write;		/* btrfs, zfs, bcachefs: data is cached and may be compressed */
	bool compressed;		/* the options say so */
	dev_t dev;			/* the block device underneath; 0 = none, or not known */
	char drive[64];			/* its kernel name, "" = unknown */
	uint64_t free_bytes, size_bytes;	/* of the file system; DRIVE_UNKNOWN */
	struct lines warnings;		/* sentences for the report */
};

/* `path` may not exist yet: then its directory counts. 0 or -errno with fault. */
int drive_file_facts(const struct machine *machine, const char *path, struct drive_file_facts *ret_facts,
		     struct fault *fault);
void drive_file_facts_release(struct drive_file_facts *facts);
char *drive_file_facts_json(const struct drive_file_facts *facts); /* caller frees; NULL when out of memory */
