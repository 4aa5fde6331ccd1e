#include "drive/block.h"
#include "drive/nvme.h"
#include "guard/guard.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FEATURE_WRITE_CACHE 0x06

static int nvme_look(const struct block *disk, bool *ret_on)
{
	uint32_t feature;
	int result = nvme_get_feature(NULL, disk, FEATURE_WRITE_CACHE, &feature);

	if (!result)
		*ret_on = feature & 1;
	return result;
}

static int nvme_set(const struct block *disk, bool on)
{
	return nvme_set_feature(NULL, disk, FEATURE_WRITE_CACHE, on);
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

static int attribute_look(const struct block *disk, bool *ret_on)
{
	char path[PATH_MAX], text[64];
	int result = attribute_path(disk, path);

	if (!result)
		result = machine_read_text(NULL, text, sizeof text, "%s", path);
	if (result < 0)
		return result;
	*ret_on = strncmp(text, "write back", 10) == 0;
	return 0;
}

static int attribute_set(const struct block *disk, bool on)
{
	char path[PATH_MAX];
	int result = attribute_path(disk, path);

	return result ? result : write_attribute(path, on ? "write back" : "write through");
}

static bool is_nvme(const struct block *disk)
{
	return !strncmp(disk->name, "nvme", 4);
}

static int disk_of(const struct guard_subject *subject, struct block *ret_disk)
{
	struct block block;

	if ((subject->kind == TARGET_BLOCK || subject->kind == TARGET_NVME_GENERIC) &&
	    !block_by_dev(NULL, subject->dev, &block) && !block_by_name(NULL, block.disk, ret_disk))
		return 0;
	return -EOPNOTSUPP;
}

int guard_write_cache_look(const struct guard_subject *subject, bool *ret_on, struct fault *fault)
{
	struct block disk;
	int result = disk_of(subject, &disk);

	if (!result)
		result = is_nvme(&disk) ? nvme_look(&disk, ret_on) : attribute_look(&disk, ret_on);
	if (!result)
		return 0;
	return fault_system(fault, result, "%s: it does not tell whether its write cache is on: %s",
			    subject->name, strerror(-result));
}

int guard_write_cache(const struct guard_subject *subject, bool enable, bool *ret_was, struct fault *fault)
{
	struct block disk;
	bool was = enable;
	int result = guard_write_cache_look(subject, &was, fault);

	if (!result && was != enable && !disk_of(subject, &disk))
		result = is_nvme(&disk) ? nvme_set(&disk, enable) : attribute_set(&disk, enable);
	if (result)
		return fault_system(fault, result, "%s: its write cache cannot be turned %s: %s",
				    subject->name, enable ? "on" : "off", strerror(-result));
	*ret_was = was;
	return 0;
}
