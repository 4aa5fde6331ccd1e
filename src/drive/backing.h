/* backing: what loop devices stand on. Exact (device and inode) where the loop device may be asked through
 * machine->io, by path from sysfs otherwise. */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "drive/machine.h"

struct backing {
	char loop[64];		/* kernel name of the loop device */
	char path[PATH_MAX];
	dev_t block_dev;	/* the backing is this block device; 0 = it is a file */
	bool exact;		/* dev and inode are known */
	dev_t dev;
	uint64_t inode;
};

/* false: no loop device, or nothing bound to it. */
bool backing_read(const struct machine *machine, const char *loop, struct backing *ret_backing);
bool backing_same(const struct backing *left, const struct backing *right);
/* Of every bound loop device. 0 or -errno. */
int backings_visit(const struct machine *machine, void (*visit)(void *context, const struct backing *backing),
		   void *context);
