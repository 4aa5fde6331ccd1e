#include "drive/backing.h"
#include "drive/block.h"
#include "drive/lines.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* What a loop device is bound to, as the kernel knows it; false when it cannot be asked. */
static bool loop_status(const struct machine *machine, const char *name, struct loop_info64 *ret_info)
{
	const struct drive_io *io = machine_or_real(machine)->io;
	char path[80];
	int fd, result;

	if (!io)
		return false;
	snprintf(path, sizeof path, "/dev/%s", name);
	fd = io->open(io->context, path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return false;
	result = io->command(io->context, fd, LOOP_GET_STATUS64, ret_info);
	io->close(io->context, fd);
	return result >= 0;
}

/* Device numbers in LOOP_GET_STATUS64 have the kernel's 64-bit "huge" layout. */
static dev_t loop_device_number(uint64_t number)
{
	return makedev((unsigned int)(number >> 8 & 0xfff),
		       (unsigned int)((number & 0xff) | (number >> 12 & 0xfff00)));
}

bool backing_read(const struct machine *machine, const char *loop, struct backing *ret_backing)
{
	struct block block;

	*ret_backing = (struct backing){0};
	if (!block_loop_file(machine, loop, ret_backing->path))
		return false;
	snprintf(ret_backing->loop, sizeof ret_backing->loop, "%s", loop);
	if (!block_by_path(machine, ret_backing->path, &block))
		ret_backing->block_dev = block.dev;
	return true;
}

void backing_ask(const struct machine *machine, struct backing *backing)
{
	struct loop_info64 info;

	if (!loop_status(machine, backing->loop, &info))
		return;
	backing->exact = true;
	backing->inode = info.lo_inode;
	backing->dev = loop_device_number(info.lo_device);
}

int backings_visit(const struct machine *machine, void (*visit)(void *context, struct backing *backing),
		   void *context)
{
	struct backing *backing = calloc(1, sizeof *backing);
	struct lines names = {0};
	int result = backing ? machine_list(machine, &names, "/sys/block") : -ENOMEM;

	for (uint32_t i = 0; !result && i < names.count; i++)
		if (!strncmp(names.line[i], "loop", 4) && backing_read(machine, names.line[i], backing))
			visit(context, backing);
	lines_release(&names);
	free(backing);
	return result;
}

bool backing_same(const struct backing *left, const struct backing *right)
{
	if (left->exact && right->exact)
		return left->dev == right->dev && left->inode == right->inode;
	return !strcmp(left->path, right->path);
}
