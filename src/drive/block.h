/* block: a block device as the kernel names it, and its relations: parent disk, partitions, holders, backing
 * file. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "drive/lines.h"
#include "drive/machine.h"

struct block {
	char name[64];		/* kernel name: "sda1", "cciss!c0d0" */
	char disk[64];		/* the whole disk's name; equals name unless it is a partition */
	dev_t dev;
	uint32_t partition;	/* number, 0 = whole disk */
};

/* 0, -ENOENT or -ENOTBLK. */
int block_by_dev(const struct machine *machine, dev_t dev, struct block *ret_block);
int block_by_name(const struct machine *machine, const char *name, struct block *ret_block);
/* Follows links; a character device /dev/ngXnY (or its captured name) gives the block device of that
 * namespace. */
int block_by_path(const struct machine *machine, const char *path, struct block *ret_block);
/* "/dev/cciss/c0d0" */
void block_path(const struct block *block, char buffer[80]);
uint64_t block_size_bytes(const struct machine *machine, const char *name);	/* DRIVE_UNKNOWN */

/* Kernel names. 0 or -errno. */
int block_partitions(const struct machine *machine, const char *disk, struct lines *names);
int block_holders(const struct machine *machine, const char *name, struct lines *names);
/* NVMe native multipath: the hidden nodes ("nvme0c1n1") behind head "nvme0n1"; none otherwise. */
int block_paths(const struct machine *machine, const char *disk, struct lines *names);
/* Backing file of a loop device as the kernel tells it; false = not a bound loop device. */
bool block_loop_file(const struct machine *machine, const char *disk, char path[PATH_MAX]);
/* "loop", "dm", "md", "nvme", "zram", "virtio", "usb", "sata", "scsi", "nbd", "mmc" ... */
void block_interface(const struct machine *machine, const char *disk, char buffer[16]);
