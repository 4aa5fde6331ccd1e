/* io_timeout: how long the kernel waits for an I/O on a device before it steps in: aborts it, resets the
 * drive, fails it. */
#pragma once
#include <stdint.h>
#include <sys/types.h>
#include "drive/machine.h"

/* In ns, of the slowest device that the block device stands on (device mapper, RAID, the paths of an NVMe
 * namespace). DRIVE_UNKNOWN: it has no such time-out (loop devices, most virtual disks), or `dev` is no block
 * device. Source: sysfs queue/io_timeout, in ms. */
uint64_t drive_io_timeout_ns(const struct machine *machine, dev_t dev);
