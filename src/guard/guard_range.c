#include "guard/guard.h"
#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define EXTENTS_AT_ONCE 256u

static struct fiemap *fiemap_new(void)
{
	return calloc(1, sizeof(struct fiemap) + EXTENTS_AT_ONCE * sizeof(struct fiemap_extent));
}

static int fiemap_read(int fd, struct fiemap *map, uint64_t offset, uint64_t end)
{
	map->fm_start = offset;
	map->fm_length = end - offset;
	map->fm_flags = FIEMAP_FLAG_SYNC; /* delayed allocations count as written: write them out first */
	map->fm_extent_count = EXTENTS_AT_ONCE;
	map->fm_mapped_extents = 0;
	return ioctl(fd, FS_IOC_FIEMAP, map) ? -errno : 0;
}

/* Walks on from `at` while extents join without a gap; returns where the written part ends. */
static uint64_t written_until(const struct fiemap *map, uint64_t at, bool *ret_stopped)
{
	*ret_stopped = true;
	for (uint32_t i = 0; i < map->fm_mapped_extents; i++) {
		const struct fiemap_extent *extent = &map->fm_extents[i];

		if (extent->fe_logical > at || (extent->fe_flags & FIEMAP_EXTENT_UNWRITTEN))
			return at;
		at = extent->fe_logical + extent->fe_length;
		if (extent->fe_flags & FIEMAP_EXTENT_LAST)
			return at;
	}
	*ret_stopped = !map->fm_mapped_extents;
	return at;
}

static int written_by_extents(int fd, uint64_t offset, uint64_t end, uint64_t *ret_first_unwritten)
{
	struct fiemap *map = fiemap_new();
	uint64_t at = offset;
	bool stopped = false;
	int result = map ? 0 : -ENOMEM;

	while (!result && !stopped && at < end) {
		result = fiemap_read(fd, map, at, end);
		if (!result)
			at = written_until(map, at, &stopped);
	}
	free(map);
	if (result)
		return result;
	if (at >= end)
		return 1;
	*ret_first_unwritten = at;
	return 0;
}

/* File systems without extents to show (tmpfs): a hole is what was never written. */
static int written_by_holes(int fd, uint64_t offset, uint64_t end, uint64_t *ret_first_unwritten)
{
	const off_t hole = lseek(fd, (off_t)offset, SEEK_HOLE);

	if (hole < 0 && errno == ENXIO) {
		*ret_first_unwritten = offset;	/* beyond the end of the file */
		return 0;
	}
	if (hole < 0)
		return errno == EINVAL ? -EOPNOTSUPP : -errno;
	if ((uint64_t)hole >= end)
		return 1;
	*ret_first_unwritten = (uint64_t)hole;
	return 0;
}

int guard_range_written(const struct target *target, uint64_t offset, uint64_t bytes,
			uint64_t *ret_first_unwritten)
{
	int result;

	if (target->kind != TARGET_FILE)
		return -EOPNOTSUPP;
	if (!bytes)
		return 1;
	result = written_by_extents(target->fd, offset, offset + bytes, ret_first_unwritten);
	if (result != -EOPNOTSUPP && result != -ENOTTY && result != -ENOSYS)
		return result;
	return written_by_holes(target->fd, offset, offset + bytes, ret_first_unwritten);
}
