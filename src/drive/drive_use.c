#include "drive/drive_use.h"
#include "base/text.h"
#include "drive/backing.h"
#include "drive/drive_id.h"
#include "drive/mounts.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define MEMBERS_MAX 256		/* partitions and holders of one drive; the kernel allows 256 partitions */
#define SWAPS_BYTES_MAX (1u << 20)

enum relation {
	RELATION_SELF,
	RELATION_PARTITION,
	RELATION_PARENT,
	RELATION_HOLDER,
	RELATION_SIBLING,
};

struct member {
	struct block block;
	enum relation relation;
};

/* The device and everything whose use is its use too. */
struct family {
	const struct machine *machine;
	struct member member[MEMBERS_MAX];
	uint32_t count;
	bool overflow;
	struct lines *reasons, *warnings;
};

static void family_add(struct family *family, const char *name, enum relation relation)
{
	struct block block;

	if (block_by_name(family->machine, name, &block))
		return;			/* gone since it was listed */
	for (uint32_t i = 0; i < family->count; i++)
		if (family->member[i].block.dev == block.dev)
			return;
	if (family->count == MEMBERS_MAX)
		family->overflow = true;
	else
		family->member[family->count++] = (struct member){block, relation};
}

/* What cannot be listed is gone since, or never was a list; but a list that lacked memory may hide a use. */
static int not_gone(int result)
{
	return result == -ENOMEM ? result : 0;
}

static int family_add_partitions(struct family *family, const char *disk, enum relation relation)
{
	struct lines names = {0};
	const int result = block_partitions(family->machine, disk, &names);

	for (uint32_t i = 0; i < names.count; i++)
		family_add(family, names.line[i], relation);
	lines_release(&names);
	return result;
}

static const char *mapper_kind(const char *uuid)
{
	if (!strncmp(uuid, "LVM-", 4))
		return "LVM volume";
	if (!strncmp(uuid, "CRYPT-", 6))
		return "encrypted device";
	return !strncmp(uuid, "mpath-", 6) ? "multipath device" : "device mapper";
}

static const char *holder_kind(const struct machine *machine, const char *holder, char text[320])
{
	char name[128], uuid[128];

	if (!strncmp(holder, "md", 2))
		return "RAID";
	if (!strncmp(holder, "bcache", 6))
		return "bcache";
	if (strncmp(holder, "dm-", 3))
		return "holder";
	machine_read_text(machine, name, sizeof name, "/sys/class/block/%s/dm/name", holder);
	machine_read_text(machine, uuid, sizeof uuid, "/sys/class/block/%s/dm/uuid", holder);
	snprintf(text, 320, "%s %s", mapper_kind(uuid), name);
	return text;
}

/* Holders of members [first, count), which grows while we look: holders of holders are found too. */
static int family_add_holders(struct family *family)
{
	struct lines names = {0};
	char text[320];
	int result = 0;

	for (uint32_t i = 0; !result && i < family->count; i++) {
		const struct member member = family->member[i];

		if (member.relation == RELATION_SIBLING)
			continue;
		lines_release(&names);
		result = block_holders(family->machine, member.block.name, &names);
		for (uint32_t n = 0; !result && n < names.count; n++) {
			lines_add_once(family->reasons, "%s is part of %s (%s)", member.block.name,
				       names.line[n], holder_kind(family->machine, names.line[n], text));
			family_add(family, names.line[n], RELATION_HOLDER);
			result = not_gone(family_add_partitions(family, names.line[n], RELATION_HOLDER));
		}
	}
	lines_release(&names);
	return result;
}

static int family_gather(struct family *family, const struct block *block)
{
	int result;

	family_add(family, block->name, RELATION_SELF);
	if (!family->count)
		return -ENOENT;
	if (block->partition) {
		family_add(family, block->disk, RELATION_PARENT);
		result = family_add_partitions(family, block->disk, RELATION_SIBLING);
	} else {
		result = family_add_partitions(family, block->name, RELATION_PARTITION);
	}
	if (!result)
		result = family_add_holders(family);
	return result ? result : family->overflow ? -E2BIG : 0;
}

static const struct member *family_find(const struct family *family, dev_t dev)
{
	for (uint32_t i = 0; i < family->count; i++)
		if (family->member[i].block.dev == dev)
			return &family->member[i];
	return NULL;
}

/* A use of `member` becomes a reason, or for a sibling a warning. Mount points are named by whoever made
 * them: what a terminal would obey is taken out. */
static void family_tell(struct family *family, const struct member *member, const char *use)
{
	char what[2 * PATH_MAX];

	machine_clean_text(use, what, sizeof what);
	if (member->relation != RELATION_SIBLING)
		lines_add_once(family->reasons, "%s is %s", member->block.name, what);
	else if (family->warnings)
		lines_add_once(family->warnings,
			       "%s on the same drive is %s: its load disturbs the measurement",
			       member->block.name, what);
}

/* Device of a path in a kernel table ("/dev/sda1", "/dev/mapper/x"); 0 when it is none. */
static dev_t table_device(const struct machine *machine, const char *path)
{
	struct block block;

	return path[0] == '/' && !block_by_path(machine, path, &block) ? block.dev : 0;
}

static int visit_mount(void *context, const struct mount_entry *entry)
{
	struct family *family = context;
	const struct member *member = family_find(family, entry->dev);
	char what[2 * PATH_MAX], where[64] = "";

	if (!member && !major(entry->dev) && !strncmp(entry->source, "/dev/", 5))
		member = family_find(family, table_device(family->machine, entry->source));
	if (!member)
		return 0;
	if (entry->foreign)
		snprintf(where, sizeof where, " in another mount namespace (process %d)", entry->pid);
	snprintf(what, sizeof what, "mounted on %s (%s)%s", entry->point, entry->file_system, where);
	family_tell(family, member, what);
	return 0;
}

/* Lines of /proc/swaps after its heading: "/dev/sda2  partition  8388604  0  -2". */
static int swaps_visit(const struct machine *machine, void (*visit)(void *context, const char *path),
		       void *context)
{
	char path[PATH_MAX], *line, *rest;
	struct text table = {0};
	int result;

	snprintf(path, sizeof path, "%s/proc/swaps", machine_or_real(machine)->root);
	result = text_read_file(&table, path, SWAPS_BYTES_MAX);
	if (result == -ENOENT)
		result = 0;		/* a kernel without swap */
	line = table.data ? strchr(table.data, '\n') : NULL;
	for (line = line ? line + 1 : NULL; line && *line; line = rest) {
		rest = line + strcspn(line, "\n");
		if (*rest)
			*rest++ = 0;
		line[strcspn(line, " \t")] = 0;
		mounts_unescape(line);
		visit(context, line);
	}
	text_release(&table);
	return result;
}

static void visit_swap(void *context, const char *path)
{
	struct family *family = context;
	const struct member *member = family_find(family, table_device(family->machine, path));

	if (member)
		family_tell(family, member, "used as swap");
}

/* btrfs mounts have anonymous device numbers; its members are listed by file system. */
static int family_check_btrfs(struct family *family)
{
	struct lines systems = {0}, devices = {0};
	int result = machine_list(family->machine, &systems, "/sys/fs/btrfs");

	for (uint32_t i = 0; !result && i < systems.count; i++) {
		lines_release(&devices);
		/* "features" and the like have none */
		result = not_gone(machine_list(family->machine, &devices, "/sys/fs/btrfs/%s/devices", systems.line[i]));
		for (uint32_t d = 0; d < devices.count; d++) {
			struct block block;
			const struct member *member = NULL;
			char what[128];

			if (!block_by_name(family->machine, devices.line[d], &block))
				member = family_find(family, block.dev);
			snprintf(what, sizeof what, "a member of a mounted btrfs (%s)", systems.line[i]);
			if (member)
				family_tell(family, member, what);
		}
	}
	lines_release(&devices);
	lines_release(&systems);
	return result == -ENOENT ? 0 : result;
}

static void visit_backing(void *context, struct backing *backing)
{
	struct family *family = context;
	const struct member *member = family_find(family, backing->block_dev);
	char what[128];

	if (!member || !backing->block_dev)
		return;
	snprintf(what, sizeof what, "the backing of loop device %s", backing->loop);
	family_tell(family, member, what);
}

static int family_examine(struct family *family, const struct block *block)
{
	int result = family_gather(family, block);

	if (!result)
		result = mounts_visit(family->machine, visit_mount, family);
	if (!result)
		result = swaps_visit(family->machine, visit_swap, family);
	if (!result)
		result = family_check_btrfs(family);
	if (!result)
		result = backings_visit(family->machine, visit_backing, family);
	return result;
}

static int examine_block(const struct machine *machine, const struct block *block, struct lines *reasons,
			 struct lines *warnings)
{
	struct family *family = calloc(1, sizeof *family);
	int result;

	if (!family)
		return -ENOMEM;
	family->machine = machine;
	family->reasons = reasons;
	family->warnings = warnings;
	result = family_examine(family, block);
	free(family);
	return result ? result : reasons->error;
}

/* Other loop devices on the same file, and the devices that are used through them. */
struct twins {
	const struct machine *machine;
	const struct backing *own;
	struct lines *reasons;
	int result;
};

static void visit_twin(void *context, struct backing *backing)
{
	struct twins *twins = context;
	struct lines uses = {0};
	struct block block;

	if (!strcmp(backing->loop, twins->own->loop))
		return;
	backing_ask(twins->machine, backing);
	if (!backing_same(backing, twins->own))
		return;
	if (!twins->result && !block_by_name(twins->machine, backing->loop, &block))
		twins->result = examine_block(twins->machine, &block, &uses, NULL);
	for (uint32_t i = 0; i < uses.count; i++)
		lines_add_once(twins->reasons, "%s (the same backing file as %s)", uses.line[i],
			       twins->own->loop);
	lines_release(&uses);
}

/* A loop device writes through to what is behind it, without holding that exclusively. */
static int examine_behind(const struct machine *machine, const struct block *block, struct lines *reasons)
{
	struct backing *own = calloc(1, sizeof *own);
	struct twins twins = {machine, own, reasons, 0};
	struct lines behind = {0};
	struct block below;
	char self[128];
	int result = own ? 0 : -ENOMEM;

	if (!result && backing_read(machine, block->disk, own)) {
		backing_ask(machine, own);
		result = backings_visit(machine, visit_twin, &twins);
		if (!result)
			result = twins.result;
		if (!result && own->block_dev && !block_by_dev(machine, own->block_dev, &below))
			result = examine_block(machine, &below, &behind, NULL);
	}
	snprintf(self, sizeof self, "the backing of loop device %s", block->disk);
	for (uint32_t i = 0; i < behind.count; i++)
		if (!strstr(behind.line[i], self))
			lines_add_once(reasons, "%s, and %s stands on it", behind.line[i], block->disk);
	lines_release(&behind);
	free(own);
	return result;
}

/* The same disk, or the same partition of it, under another name: 1, 0 = there is none, or -ENOMEM. */
static int same_place(const struct machine *machine, const struct block *block, const char *disk,
		      struct block *ret_block)
{
	struct lines names = {0};
	bool found = false;
	int result;

	if (!block->partition)
		return !block_by_name(machine, disk, ret_block);
	result = not_gone(block_partitions(machine, disk, &names));
	for (uint32_t i = 0; !result && !found && i < names.count; i++)
		found = !block_by_name(machine, names.line[i], ret_block) &&
			ret_block->partition == block->partition;
	lines_release(&names);
	return result ? result : found;
}

/* Two disks with one identity may be one drive on two paths without a multipath device above them: a use of
 * one is a use of the other, which no exclusive open would notice. */
static int examine_other_paths(const struct machine *machine, const struct block *block,
			       struct lines *reasons)
{
	struct lines disks = {0}, uses = {0};
	struct block other;
	int result = drive_id_sharers(machine, block->disk, &disks);

	for (uint32_t i = 0; !result && i < disks.count; i++) {
		result = same_place(machine, block, disks.line[i], &other);
		if (result > 0)
			result = examine_block(machine, &other, &uses, NULL);
		for (uint32_t u = 0; u < uses.count; u++)
			lines_add_once(reasons,
				       "%s, and it may be the same drive as %s: they have one identity",
				       uses.line[u], block->disk);
		lines_release(&uses);
	}
	lines_release(&disks);
	return result;
}

int drive_use(const struct machine *machine, const struct block *block, struct lines *reasons,
	      struct lines *warnings)
{
	int result = examine_block(machine, block, reasons, warnings);

	if (!result)
		result = examine_behind(machine, block, reasons);
	return result ? result : examine_other_paths(machine, block, reasons);
}

struct file_use {
	const struct machine *machine;
	dev_t dev;
	uint64_t inode;
	const char *path;
	struct lines *reasons;
};

static void visit_file_swap(void *context, const char *path)
{
	const struct file_use *file = context;
	struct stat status;
	const bool known = !stat(path, &status);

	if (!strcmp(path, file->path) ||
	    (known && status.st_dev == file->dev && status.st_ino == file->inode))
		lines_add_once(file->reasons, "%s is a swap file in use", file->path);
}

static void visit_file_backing(void *context, struct backing *backing)
{
	const struct file_use *file = context;
	const bool same_path = !strcmp(backing->path, file->path);

	if (!same_path)
		backing_ask(file->machine, backing);
	if (same_path ||
	    (backing->exact && backing->dev == file->dev && backing->inode == file->inode))
		lines_add_once(file->reasons, "%s is the backing file of loop device %s", file->path,
			       backing->loop);
}

int drive_use_file(const struct machine *machine, dev_t dev, uint64_t inode, const char *real_path,
		   struct lines *reasons)
{
	struct file_use file = {machine, dev, inode, real_path, reasons};
	int result = swaps_visit(machine, visit_file_swap, &file);

	if (!result)
		result = backings_visit(machine, visit_file_backing, &file);
	return result ? result : reasons->error;
}
