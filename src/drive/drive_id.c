#include "drive/drive_id.h"
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

static void join_blanks(char *text)
{
	char *out = text;

	for (const char *in = text; *in; in++)
		if (*in != ' ')
			*out++ = *in;
		else if (out == text || out[-1] != '_')
			*out++ = '_';
	*out = 0;
}

/* NVMe serials that are all blanks or zeros are those of a factory that forgot them. */
static bool is_serial(const char *serial)
{
	return strspn(serial, "0 .-_") != strlen(serial);
}

static bool nvme_id(const struct machine *machine, const char *disk, char id[DRIVE_ID_BYTES])
{
	const uint64_t namespace_id = machine_read_u64(machine, "/sys/class/block/%s/nsid", disk);
	char serial[128];

	machine_read_text(machine, serial, sizeof serial, "/sys/class/block/%s/device/serial", disk);
	if (!is_serial(serial) || namespace_id == DRIVE_UNKNOWN)
		return false;
	snprintf(id, DRIVE_ID_BYTES, "%s:%llu", serial, (unsigned long long)namespace_id);
	return true;
}

static bool attribute_id(const struct machine *machine, const char *disk, const char *attribute,
			 char id[DRIVE_ID_BYTES])
{
	return machine_read_text(machine, id, DRIVE_ID_BYTES - 16, "/sys/class/block/%s/%s", disk,
				 attribute) > 0 &&
	       is_serial(id);
}

/* Kernels without md/uuid: udev's link md-uuid-XXXX names it. */
static bool md_link_id(const struct machine *machine, const char *disk, char id[DRIVE_ID_BYTES])
{
	struct lines names = {0};
	char target[64];
	bool found = false;

	const int failed = machine_list(machine, &names, "/dev/disk/by-id");

	for (uint32_t i = 0; !failed && !found && i < names.count; i++) {
		found = !strncmp(names.line[i], "md-uuid-", 8) && !strstr(names.line[i], "-part") &&
			!machine_read_link(machine, target, sizeof target, "/dev/disk/by-id/%s",
					   names.line[i]) &&
			!strcmp(target, disk);
		if (found)
			snprintf(id, DRIVE_ID_BYTES, "%s", names.line[i] + 8);
	}
	lines_release(&names);
	return found;
}

static bool loop_id(const struct machine *machine, const char *disk, char id[DRIVE_ID_BYTES])
{
	char file[PATH_MAX];

	if (!block_loop_file(machine, disk, file) || strlen(file) > DRIVE_ID_BYTES - 32)
		return false;
	snprintf(id, DRIVE_ID_BYTES, "loop:%.*s", DRIVE_ID_BYTES - 32, file);
	return true;
}

/* What the drive says about itself; false when it says nothing. */
static bool natural_id(const struct machine *machine, const char *disk, char id[DRIVE_ID_BYTES])
{
	char interface[16];

	block_interface(machine, disk, interface);
	if (!strcmp(interface, "loop"))
		return loop_id(machine, disk, id);	/* a file name keeps its blanks */
	if (!(!strcmp(interface, "nvme") && nvme_id(machine, disk, id)) &&
	    !attribute_id(machine, disk, "dm/uuid", id) && !attribute_id(machine, disk, "md/uuid", id) &&
	    !(!strcmp(interface, "md") && md_link_id(machine, disk, id)) &&
	    !attribute_id(machine, disk, "wwid", id) && !attribute_id(machine, disk, "device/wwid", id) &&
	    !attribute_id(machine, disk, "serial", id))
		return false;
	join_blanks(id);
	return true;
}

int drive_id_sharers(const struct machine *machine, const char *disk, struct lines *disks)
{
	char id[DRIVE_ID_BYTES], other[DRIVE_ID_BYTES];
	struct lines names = {0};
	int result;

	if (!natural_id(machine, disk, id))
		return 0;
	result = machine_list(machine, &names, "/sys/block");
	for (uint32_t i = 0; !result && i < names.count; i++)
		if (strcmp(names.line[i], disk) &&
		    machine_read_u64(machine, "/sys/class/block/%s/hidden", names.line[i]) != 1 &&
		    natural_id(machine, names.line[i], other) && !strcmp(other, id))
			lines_add(disks, "%s", names.line[i]);
	lines_release(&names);
	return result ? result : disks->error;
}

static void numbered_id(const struct machine *machine, const struct block *disk, char id[DRIVE_ID_BYTES])
{
	const uint64_t size = block_size_bytes(machine, disk->name);
	char interface[16];

	block_interface(machine, disk->name, interface);
	snprintf(id, DRIVE_ID_BYTES, "%s:%u:%u:%llu", interface, major(disk->dev), minor(disk->dev),
		 size == DRIVE_UNKNOWN ? 0ull : (unsigned long long)size);
}

int drive_id(const struct machine *machine, const struct block *block, char id[DRIVE_ID_BYTES],
	     bool *ret_ambiguous)
{
	struct lines sharers = {0};
	struct block disk;
	size_t used;
	int result = block_by_name(machine, block->disk, &disk);

	if (!result)
		result = drive_id_sharers(machine, disk.name, &sharers);
	if (!result && (sharers.count || !natural_id(machine, disk.name, id)))
		numbered_id(machine, &disk, id);
	if (!result && ret_ambiguous)
		*ret_ambiguous = sharers.count != 0;
	lines_release(&sharers);
	if (result || !block->partition)
		return result;
	used = strlen(id);
	snprintf(id + used, DRIVE_ID_BYTES - used, ":p%u", block->partition);
	return 0;
}
