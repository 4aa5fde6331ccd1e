/* blocking: the operations on a target that are one blocking system call, for the synchronous engines and
 * for the side thread of the others. All return what struct io_done's result holds: bytes, 0 or -errno. */
#pragma once
#include <linux/fs.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/io.h"
#include "base/target.h"

/* RWF_ flags that headers older than the kernel lack. */
#define BLOCKING_RWF_ATOMIC 0x40u	/* Linux 6.11 */

/* Of the flags that were asked for, those that fit the operation. */
static inline uint32_t blocking_rw_flags(uint64_t asked, enum io_op op)
{
	return (uint32_t)asked &
	       (op == IO_WRITE ? ~0u : ~(uint32_t)(RWF_SYNC | RWF_DSYNC | BLOCKING_RWF_ATOMIC));
}

/* BLKDISCARD on a block device, punching a hole in a file. */
int32_t blocking_trim(const struct target *target, uint64_t offset, uint64_t bytes);
/* fdatasync (IO_FLUSH) or fsync (IO_FSYNC). */
int32_t blocking_sync(const struct target *target, enum io_op op);
/* Trim, flush or fsync, by io->op. */
int32_t blocking_control(const struct target *target, const struct io *io);
/* Whether trims can work at all on this kind of target. */
bool blocking_can_trim(const struct target *target);
/* Whether statx(2) says that writes to it can be atomic. */
bool blocking_can_write_atomically(const struct target *target);
/* The engine contract's reading of a raw result: a transfer of 0 bytes inside the target is a removed
 * drive. */
int32_t blocking_result(const struct target *target, enum io_op op, uint32_t bytes, int64_t raw);
