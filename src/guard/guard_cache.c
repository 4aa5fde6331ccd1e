#include "drive/block.h"
#include "drive/nvme.h"
#include "guard/guard.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FEATURE_WRITE_CACHE 0x06

static int nvme_write_cache(const struct block *disk, bool enable, bool *ret_was)
{
	uint32_t was;
	int result = nvme_get_feature(NULL, disk, FEATURE_WRITE_CACHE, &was);

	if (!result && (was & 1) != enable)
		result = nvme_set_feature(NULL, disk, FEATURE_WRITE_CACHE, enable);
	if (!result)
		*ret_was = was & 1;
	return result;
}

static int write_attribute(const char *path, const char *value)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	int result = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) < 0)
		result = -errno;
	close(fd);
	return result;
}

/* Attributes whose writing reaches the drive itself: SCSI and SATA (mode select), virtio. The queue's own
 * write_cache only changes what the kernel believes, so it is none of them. */
static int attribute_path(const struct block *disk, char path[PATH_MAX])
{
	struct lines names = {0};
	int result;

	snprintf(path, PATH_MAX, "/sys/class/block/%s/cache_type", disk->name);
	if (!access(path, F_OK))
		return 0;
	result = machine_list(NULL, &names, "/sys/class/block/%s/device/scsi_disk", disk->name);
	if (!result && !names.count)
		result = -ENOENT;
	if (!result)
		snprintf(path, PATH_MAX, "/sys/class/block/%s/device/scsi_disk/%s/cache_type", disk->name,
			 names.line[0]);
	lines_release(&names);
	return result == -ENOENT ? -EOPNOTSUPP : result;
}

static int attribute_write_cache(const struct block *disk, bool enable, bool *ret_was)
{
	char path[PATH_MAX], text[64];
	bool was;
	int result = attribute_path(disk, path);

	if (!result)
		result = machine_read_text(NULL, text, sizeof text, "%s", path);
	if (result < 0)
		return result;
	was = strncmp(text, "write back", 10) == 0;
	result = was == enable ? 0 : write_attribute(path, enable ? "write back" : "write through");
	if (!result)
		*ret_was = was;
	return result;
}

int guard_write_cache(const struct guard_subject *subject, bool enable, bool *ret_was, struct fault *fault)
{
	struct block block, disk;
	int result = -EOPNOTSUPP;

	if ((subject->kind == TARGET_BLOCK || subject->kind == TARGET_NVME_GENERIC) &&
	    !block_by_dev(NULL, subject->dev, &block) && !block_by_name(NULL, block.disk, &disk))
		result = strncmp(disk.name, "nvme", 4) ? attribute_write_cache(&disk, enable, ret_was) :
			 nvme_write_cache(&disk, enable, ret_was);
	return !result ? 0
		       : fault_system(fault, result, "%s: its write cache cannot be turned %s: %s",
				      subject->name, enable ? "on" : "off", strerror(-result));
}
