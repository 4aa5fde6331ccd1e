/* backing: what loop devices stand on. By path from sysfs; exact (device and inode) where the loop device is
 * asked through machine->io and may be. That opens it, and opening one that hangs hangs: only who needs it
 * asks. */
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
	bool exact;		/* it was asked: dev and inode are known */
	dev_t dev;
	uint64_t inode;
};

/* false: no loop device, or nothing bound to it. */
bool backing_read(const struct machine *machine, const char *loop, struct backing *ret_backing);
void backing_ask(const struct machine *machine, struct backing *backing);
/* Of two that were asked. */
bool backing_same(const struct backing *left, const struct backing *right);
/* Every bound loop device, not asked. 0 or -errno. */
int backings_visit(const struct machine *machine, void (*visit)(void *context, struct backing *backing),
		   void *context);
