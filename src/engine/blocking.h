/* blocking: the operations on a target that are one blocking system call, for the synchronous engines and for the side
 * thread of the others. All return what struct io_done's result holds: bytes, 0 or -errno. */
#pragma once
#include <stdint.h>
#include "base/io.h"
#include "base/target.h"

/* BLKDISCARD on a block device, punching a hole in a file. */
int32_t blocking_trim(const struct target *target, uint64_t offset, uint64_t bytes);
/* fdatasync (IO_FLUSH) or fsync (IO_FSYNC). */
int32_t blocking_sync(const struct target *target, enum io_op op);
/* Trim, flush or fsync, by io->op. */
int32_t blocking_control(const struct target *target, const struct io *io);
/* Whether trims can work at all on this kind of target. */
bool blocking_can_trim(const struct target *target);
/* The engine contract's reading of a raw result: a transfer of 0 bytes inside the target is a removed drive. */
int32_t blocking_result(const struct target *target, enum io_op op, uint32_t bytes, int64_t raw);
