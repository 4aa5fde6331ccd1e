/* tree: a machine of tests/sysfs unpacked into a scratch directory (format: tests/sysfs/README.md). */
#pragma once
#include <limits.h>
#include "drive/machine.h"

struct tree {
	char directory[PATH_MAX];
	struct machine machine;		/* root = directory; no hardware unless the test sets io */
};

/* `name` without ".tree"; the folder is the environment's TREES. Fails the test when it cannot. */
void tree_unpack(struct tree *tree, const char *name);
void tree_remove(struct tree *tree);
