#include "drive/drive_file.h"
#include "drive/block.h"
#include "drive/json.h"
#include "drive/mounts.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

/* The existing directory or file that the path lies on. */
static int existing_path(const struct machine *machine, const char *path, char real[PATH_MAX])
{
	char directory[PATH_MAX], *slash;
	int result = machine_real_path(machine, real, "%s", path);

	if (result != -ENOENT)
		return result;
	if (snprintf(directory, sizeof directory, "%s", path) >= (int)sizeof directory)
		return -ENAMETOOLONG;
	slash = strrchr(directory, '/');
	if (!slash)
		strcpy(directory, ".");
	else
		slash[slash == directory] = 0;
	return machine_real_path(machine, real, "%s", directory);
}

/* The mount with the longest mount point above the path; of two on the same point the later one covers the
 * other. */
struct mount_search {
	const char *path;
	size_t longest;
	struct mount_entry found;
};

static int visit_candidate(void *context, const struct mount_entry *entry)
{
	struct mount_search *search = context;
	const size_t length = strcmp(entry->point, "/") ? strlen(entry->point) : 0;

	if (strncmp(search->path, entry->point, length) ||
	    (search->path[length] && search->path[length] != '/'))
		return 0;
	if (length + 1 < search->longest)
		return 0;
	search->longest = length + 1;
	search->found = *entry;
	return 0;
}

static bool one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

static bool options_compress(const char *options)
{
	const char *at = strstr(options, "compress");

	return at && !strstr(options, "compress=no") && !strstr(options, "compress-force=no") &&
	       (at == options || at[-1] == ',');
}

static void classify(struct drive_file_facts *facts)
{
	static const char *const memory[] = {"tmpfs", "ramfs", "devtmpfs", "hugetlbfs", NULL};
	static const char *const network[] = {"nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "fuse.sshfs",
					      "fuse.glusterfs", "lustre", "afs", NULL};
	static const char *const copying[] = {"btrfs", "zfs", "bcachefs", "f2fs", "nilfs2", NULL};
	const bool flash_log = !strcmp(facts->file_system, "f2fs") || !strcmp(facts->file_system, "nilfs2");

	facts->in_memory = one_of(facts->file_system, memory);
	facts->network = one_of(facts->file_system, network);
	facts->copy_on_write = one_of(facts->file_system, copying);
	facts->compressed = facts->copy_on_write && !flash_log && options_compress(facts->options);
}

static void warn(struct drive_file_facts *facts)
{
	const char *type = facts->file_system;

	if (facts->in_memory)
		lines_add(&facts->warnings, "%s keeps files in memory: no drive is measured", type);
	if (facts->network)
		lines_add(&facts->warnings,
			  "%s is a network file system: the network and the server are measured too", type);
	if (facts->compressed)
		lines_add(&facts->warnings,
			  "%s compresses here (%s): compressible data looks faster than the drive is", type,
			  facts->options);
	if (!strcmp(type, "zfs"))
		lines_add(&facts->warnings,
			  "zfs caches reads in its ARC and may compress: see `zfs get compression`");
	else if (facts->copy_on_write)
		lines_add(&facts->warnings,
			  "%s writes every block to a new place: random writes are not those of the drive",
			  type);
	if (!strcmp(type, "overlay"))
		lines_add(&facts->warnings, "overlay hides the file system that does the work");
}

/* Anonymous device numbers (btrfs, overlay) lead nowhere; a source under /dev does. */
static void find_drive(const struct machine *machine, const struct mount_entry *entry,
		       struct drive_file_facts *facts)
{
	struct block block;
	int result = -ENOENT;

	if (major(entry->dev))
		result = block_by_dev(machine, entry->dev, &block);
	if (result && !strncmp(entry->source, "/dev/", 5))
		result = block_by_path(machine, entry->source, &block);
	if (result)
		return;
	facts->dev = block.dev;
	snprintf(facts->drive, sizeof facts->drive, "%s", block.name);
}

static void read_space(const char *path, struct drive_file_facts *facts)
{
	struct statvfs space;

	facts->free_bytes = facts->size_bytes = DRIVE_UNKNOWN;
	if (statvfs(path, &space))
		return;
	facts->free_bytes = (uint64_t)space.f_bavail * space.f_frsize;
	facts->size_bytes = (uint64_t)space.f_blocks * space.f_frsize;
}

static void fill_from_mount(const struct machine *machine, const struct mount_entry *entry,
			    struct drive_file_facts *facts)
{
	snprintf(facts->mount_point, sizeof facts->mount_point, "%s", entry->point);
	snprintf(facts->file_system, sizeof facts->file_system, "%s", entry->file_system);
	snprintf(facts->source, sizeof facts->source, "%s", entry->source);
	snprintf(facts->options, sizeof facts->options, "%s", entry->options);
	find_drive(machine, entry, facts);
	classify(facts);
	warn(facts);
}

static int file_facts(const struct machine *machine, const char *path, const char *real,
		      struct drive_file_facts *ret_facts)
{
	struct mount_search *search = calloc(1, sizeof *search);
	struct drive_file_facts *facts = calloc(1, sizeof *facts);
	int result = search && facts ? 0 : -ENOMEM;

	if (!result) {
		search->path = real;
		result = mounts_visit_own(machine, visit_candidate, search);
	}
	if (!result) {
		snprintf(facts->path, sizeof facts->path, "%s", path);
		read_space(real, facts);
		if (search->longest)
			fill_from_mount(machine, &search->found, facts);
		result = facts->warnings.error;
	}
	if (!result)
		*ret_facts = *facts;
	else if (facts)
		lines_release(&facts->warnings);
	free(search);
	free(facts);
	return result;
}

int drive_file_facts(const struct machine *machine, const char *path, struct drive_file_facts *ret_facts,
		     struct fault *fault)
{
	char real[PATH_MAX];
	int result = existing_path(machine, path, real);

	if (!result)
		result = file_facts(machine, path, real, ret_facts);
	return result ? fault_system(fault, result, "%s: %s", path, strerror(-result)) : 0;
}

void drive_file_facts_release(struct drive_file_facts *facts)
{
	lines_release(&facts->warnings);
	*facts = (struct drive_file_facts){0};
}

/* Paths are bytes, JSON text is UTF-8. */
static void put_path(json_t *object, const char *key, const char *path)
{
	char clean[PATH_MAX];

	machine_clean_text(path, clean, sizeof clean);
	json_put_text(object, key, clean);
}

char *drive_file_facts_json(const struct drive_file_facts *facts)
{
	json_t *object = json_object();
	char numbers[32];

	snprintf(numbers, sizeof numbers, "%u:%u", major(facts->dev), minor(facts->dev));
	put_path(object, "path", facts->path);
	put_path(object, "mount_point", facts->mount_point);
	json_put_text(object, "file_system", facts->file_system);
	put_path(object, "source", facts->source);
	put_path(object, "options", facts->options);
	json_put_flag(object, "in_memory", facts->in_memory);
	json_put_flag(object, "network", facts->network);
	json_put_flag(object, "copy_on_write", facts->copy_on_write);
	json_put_flag(object, "compressed", facts->compressed);
	json_put_text(object, "dev", facts->dev ? numbers : "");
	json_put_text(object, "drive", facts->drive);
	json_put_u64(object, "free_bytes", facts->free_bytes);
	json_put_u64(object, "size_bytes", facts->size_bytes);
	json_object_set_new(object, "warnings", json_from_lines(&facts->warnings));
	return json_take_text(object);
}
