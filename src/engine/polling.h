/* polling: whether completions of a target can be polled for, as far as the kernel says. */
#pragma once
#include <sys/types.h>
#include "base/fault.h"
#include "base/target.h"

/* 0, or -EOPNOTSUPP with the reason. The kernel takes polled I/O for a device without poll queues, too,
 * and quietly answers by interrupt: /sys/dev/block/MAJOR:MINOR/queue/io_poll tells. What it tells nothing
 * about (file systems over several devices) passes: there a trial I/O decides. */
int polling_check(const struct target *target, struct fault *fault);
/* The same of a target that is not open: `dev` is the block device, of a file its file system's. Files that are
 * still to be made, too. */
int polling_check_device(enum target_kind kind, dev_t dev, const char *name, struct fault *fault);
