#include "drive/drive.h"
#include "drive/block.h"
#include "drive/drive_id.h"
#include "drive/drive_read.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

static int drive_of_block(const struct machine *machine, const struct block *block,
			  struct drive_facts *ret_facts)
{
	struct drive_facts facts = {0};
	struct block disk;
	int result = block_by_name(machine, block->disk, &disk);

	if (!result)
		result = drive_read(machine, block, &disk, &facts);
	if (result)
		drive_facts_release(&facts);
	else
		*ret_facts = facts;
	return result;
}

int drive_find_dev(const struct machine *machine, dev_t dev, struct drive_facts *ret_facts,
		   struct fault *fault)
{
	struct block block;
	int result = block_by_dev(machine, dev, &block);

	if (!result)
		result = drive_of_block(machine, &block, ret_facts);
	return result ? fault_system(fault, result, "block device %u:%u: %s", major(dev), minor(dev),
				     strerror(-result)) : 0;
}

/* Drives of `names` whose id is `id`. */
static int block_by_id(const struct machine *machine, const char *id, struct block *ret_block)
{
	struct lines names = {0};
	int result = machine_list(machine, &names, "/sys/class/block"), found = -ENOENT;
	char other[DRIVE_ID_BYTES];
	struct block block;

	for (uint32_t i = 0; !result && found && i < names.count; i++) {
		if (block_by_name(machine, names.line[i], &block) || drive_id(machine, &block, other, NULL) ||
		    strcmp(other, id) ||
		    machine_read_u64(machine, "/sys/class/block/%s/hidden", block.name) == 1)
			continue;
		*ret_block = block;
		found = 0;
	}
	lines_release(&names);
	return result ? result : found;
}

int drive_find(const struct machine *machine, const char *path, struct drive_facts *ret_facts,
	       struct fault *fault)
{
	struct block block;
	int result = strchr(path, '/') ? block_by_path(machine, path, &block)
				       : block_by_name(machine, path, &block);

	if (result == -ENOENT)
		result = block_by_id(machine, path, &block);
	if (!result)
		result = drive_of_block(machine, &block, ret_facts);
	return result ? fault_system(fault, result, "%s: %s", path, strerror(-result)) : 0;
}

void drive_facts_release(struct drive_facts *facts)
{
	free(facts->partition);
	lines_release(&facts->in_use);
	lines_release(&facts->signatures);
	lines_release(&facts->warnings);
	lines_release(&facts->not_read);
	*facts = (struct drive_facts){0};
}

/* Loop, ram and zram devices without content, and the hidden paths of a multipath namespace, are no drives.
 */
static bool worth_listing(const struct machine *machine, const char *name)
{
	const uint64_t size = block_size_bytes(machine, name);

	return size && size != DRIVE_UNKNOWN && strncmp(name, "ram", 3) &&
	       machine_read_u64(machine, "/sys/class/block/%s/hidden", name) != 1;
}

int drive_names(const struct machine *machine, struct lines *ret_names)
{
	struct lines names = {0}, drives = {0};
	int result = machine_list(machine, &names, "/sys/block");

	for (uint32_t i = 0; !result && i < names.count; i++)
		if (worth_listing(machine, names.line[i]))
			lines_add(&drives, "%s", names.line[i]);
	lines_release(&names);
	result = result ? result : drives.error;
	if (result)
		lines_release(&drives);
	else
		*ret_names = drives;
	return result;
}
