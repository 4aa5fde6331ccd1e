#include "drive/block.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int copy_name(char name[64], const char *from)
{
	if (strlen(from) >= 64)
		return -ENAMETOOLONG;
	strcpy(name, from);
	return 0;
}

/* The disk of a partition is the directory above it. */
static int block_fill_disk(struct block *block, const char *real_path, uint64_t partition)
{
	char above[PATH_MAX];

	if (partition == DRIVE_UNKNOWN)
		return copy_name(block->disk, block->name);
	block->partition = (uint32_t)partition;
	snprintf(above, sizeof above, "%s", real_path);
	*strrchr(above, '/') = 0;
	return copy_name(block->disk, last_component(above));
}

int block_by_name(const struct machine *machine, const char *name, struct block *ret_block)
{
	struct block block = {0};
	char real[PATH_MAX], numbers[32];
	unsigned int major, minor;
	int result;

	if (!*name || strchr(name, '/') || *name == '.')
		return -ENOENT;
	result = copy_name(block.name, name);
	if (!result)
		result = machine_real_path(machine, real, "/sys/class/block/%s", name);
	if (result)
		return result;
	if (machine_read_text(machine, numbers, sizeof numbers, "/sys/class/block/%s/dev", name) < 0 ||
	    sscanf(numbers, "%u:%u", &major, &minor) != 2)
		return -ENOENT;
	block.dev = makedev(major, minor);
	result = block_fill_disk(&block, real,
				 machine_read_u64(machine, "/sys/class/block/%s/partition", name));
	if (!result)
		*ret_block = block;
	return result;
}

int block_by_dev(const struct machine *machine, dev_t dev, struct block *ret_block)
{
	char real[PATH_MAX];
	const int result = machine_real_path(machine, real, "/sys/dev/block/%u:%u", major(dev), minor(dev));

	return result ? result : block_by_name(machine, last_component(real), ret_block);
}

/* "ng3n1" -> "nvme3n1": the generic node of an NVMe namespace has the numbers of the block device. */
static bool generic_to_block(const char *name, char block[64])
{
	unsigned int controller, nspace;
	char rest;

	if (sscanf(name, "ng%un%u%c", &controller, &nspace, &rest) != 2)
		return false;
	snprintf(block, 64, "nvme%un%u", controller, nspace);
	return true;
}

static int block_by_node_name(const struct machine *machine, const char *path, struct block *ret_block)
{
	char name[64];
	const char *below = strncmp(path, "/dev/", 5) ? last_component(path) : path + 5;

	if (generic_to_block(below, name))
		return block_by_name(machine, name, ret_block);
	if (strlen(below) >= sizeof name)
		return -ENAMETOOLONG;
	strcpy(name, below);
	for (char *c = name; *c; c++)
		if (*c == '/')
			*c = '!';
	return block_by_name(machine, name, ret_block);
}

int block_by_path(const struct machine *machine, const char *path, struct block *ret_block)
{
	const struct machine *here = machine_or_real(machine);
	char real[PATH_MAX], name[64];
	struct stat status;
	int result;

	if (here->root[0]) {
		result = machine_real_path(machine, real, "%s", path);
		return result ? result : block_by_node_name(machine, real, ret_block);
	}
	if (stat(path, &status))
		return -errno;
	if (S_ISBLK(status.st_mode))
		return block_by_dev(machine, status.st_rdev, ret_block);
	if (!S_ISCHR(status.st_mode))
		return -ENOTBLK;
	/* by its numbers: a node may have been made under any name */
	result = machine_real_path(machine, real, "/sys/dev/char/%u:%u", major(status.st_rdev),
				   minor(status.st_rdev));
	if (result)
		return -ENOTBLK;
	return generic_to_block(last_component(real), name) ? block_by_name(machine, name, ret_block) : -ENOTBLK;
}

void block_path(const struct block *block, char buffer[80])
{
	snprintf(buffer, 80, "/dev/%s", block->name);
	for (char *c = buffer; *c; c++)
		if (*c == '!')
			*c = '/';
}

uint64_t block_size_bytes(const struct machine *machine, const char *name)
{
	const uint64_t sectors = machine_read_u64(machine, "/sys/class/block/%s/size", name);

	return sectors == DRIVE_UNKNOWN || sectors > UINT64_MAX / 512 ? DRIVE_UNKNOWN : sectors * 512;
}

int block_partitions(const struct machine *machine, const char *disk, struct lines *names)
{
	struct lines entries = {0};
	int result = machine_list(machine, &entries, "/sys/class/block/%s", disk);

	for (uint32_t i = 0; !result && i < entries.count; i++)
		if (machine_read_u64(machine, "/sys/class/block/%s/%s/partition", disk, entries.line[i]) !=
		    DRIVE_UNKNOWN)
			lines_add(names, "%s", entries.line[i]);
	lines_release(&entries);
	return result ? result : names->error;
}

int block_holders(const struct machine *machine, const char *name, struct lines *names)
{
	const int result = machine_list(machine, names, "/sys/class/block/%s/holders", name);

	return result == -ENOENT ? 0 : result;
}

int block_paths(const struct machine *machine, const char *disk, struct lines *names)
{
	unsigned int subsystem, head, paths_subsystem, controller, nspace;
	struct lines all = {0};
	char rest;
	int result;

	if (sscanf(disk, "nvme%un%u%c", &subsystem, &head, &rest) != 2)
		return 0;
	result = machine_list(machine, &all, "/sys/block");
	for (uint32_t i = 0; !result && i < all.count; i++)
		if (sscanf(all.line[i], "nvme%uc%un%u%c", &paths_subsystem, &controller, &nspace,
			   &rest) == 3 &&
		    paths_subsystem == subsystem && nspace == head)
			lines_add(names, "%s", all.line[i]);
	lines_release(&all);
	return result ? result : names->error;
}

bool block_loop_file(const struct machine *machine, const char *disk, char path[PATH_MAX])
{
	return machine_read_text(machine, path, PATH_MAX, "/sys/class/block/%s/loop/backing_file", disk) > 0;
}

/* Kernel names whose interface follows from the name. */
static const struct {
	const char *prefix, *interface;
} interface_names[] = {
	{"loop", "loop"}, {"zram", "zram"}, {"ram", "ram"}, {"dm-", "dm"}, {"md", "md"}, {"nvme", "nvme"},
	{"vd", "virtio"}, {"nbd", "nbd"}, {"mmcblk", "mmc"}, {"nullb", "null_blk"}, {"ublk", "ublk"},
	{"pmem", "pmem"}, {"bcache", "bcache"}, {"rbd", "rbd"}, {"drbd", "drbd"}, {"xvd", "xen"},
	{"sr", "optical"}, {"fd", "floppy"}, {"zd", "zvol"},
};

static const char *scsi_interface(const struct machine *machine, const char *disk)
{
	char real[PATH_MAX], vendor[32];

	if (!machine_real_path(machine, real, "/sys/class/block/%s/device", disk) && strstr(real, "/usb"))
		return "usb";
	if (machine_read_text(machine, vendor, sizeof vendor, "/sys/class/block/%s/device/vendor",
			      disk) > 0 &&
	    !strcmp(vendor, "ATA"))
		return "sata";
	return "scsi";
}

void block_interface(const struct machine *machine, const char *disk, char buffer[16])
{
	const char *interface = NULL;
	uint32_t letters = 0;

	for (uint32_t i = 0; !interface && i < sizeof interface_names / sizeof *interface_names; i++)
		if (!strncmp(disk, interface_names[i].prefix, strlen(interface_names[i].prefix)))
			interface = interface_names[i].interface;
	if (!interface && !strncmp(disk, "sd", 2))
		interface = scsi_interface(machine, disk);
	if (interface) {
		snprintf(buffer, 16, "%s", interface);
		return;
	}
	while (letters < 15 && isalpha((unsigned char)disk[letters]))
		letters++;
	snprintf(buffer, 16, "%.*s", letters ? (int)letters : 5, letters ? disk : "block");
}
