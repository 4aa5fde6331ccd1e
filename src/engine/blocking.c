#include "engine/blocking.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef STATX_WRITE_ATOMIC	/* Linux 6.11 */
#define STATX_WRITE_ATOMIC 0x00010000u
#define STATX_ATTR_WRITE_ATOMIC 0x00400000u
#endif

bool blocking_can_write_atomically(const struct target *target)
{
	struct statx status;

	return statx(target->fd, "", AT_EMPTY_PATH, STATX_WRITE_ATOMIC, &status) == 0 &&
	       status.stx_attributes & STATX_ATTR_WRITE_ATOMIC;
}

bool blocking_can_trim(const struct target *target)
{
	return target->kind == TARGET_FILE || target->kind == TARGET_BLOCK;
}

int32_t blocking_trim(const struct target *target, uint64_t offset, uint64_t bytes)
{
	uint64_t range[2] = { offset, bytes };

	switch (target->kind) {
	case TARGET_BLOCK:
		return ioctl(target->fd, BLKDISCARD, range) < 0 ? -errno : 0;
	case TARGET_FILE:
		return fallocate(target->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
				 (off_t)bytes) < 0 ? -errno : 0;
	default:
		return -EOPNOTSUPP;
	}
}

int32_t blocking_sync(const struct target *target, enum io_op op)
{
	int err = op == IO_FLUSH ? fdatasync(target->fd) : fsync(target->fd);

	return err < 0 ? -errno : 0;
}

int32_t blocking_control(const struct target *target, const struct io *io)
{
	if (io->op == IO_TRIM)
		return blocking_trim(target, io->offset, io->bytes);
	return blocking_sync(target, (enum io_op)io->op);
}

int32_t blocking_result(const struct target *target, enum io_op op, uint32_t bytes, int64_t raw)
{
	if (raw == 0 && bytes && op <= IO_WRITE && target->kind != TARGET_CHAR)
		return -ENODEV;
	return (int32_t)raw;
}
