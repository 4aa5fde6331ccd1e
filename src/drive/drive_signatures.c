#include "drive/drive_use.h"
#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Types that mean "a part of something bigger", beyond those that libblkid itself calls RAID. */
static const char *const member_types[] = {
	"LVM2_member", "LVM1_member", "zfs_member", "bcache", "ceph_bluestore", "drbd", "DM_snapshot_cow",
	"VMFS_volume_member", "stratis", "mpool", "jbd",
};

static const char *probe_value(blkid_probe probe, const char *name)
{
	const char *value;

	return blkid_probe_lookup_value(probe, name, &value, NULL) ? NULL : value;
}

static bool type_is_member(const char *type, const char *usage)
{
	if (usage && !strcmp(usage, "raid"))
		return true;
	for (uint32_t i = 0; i < sizeof member_types / sizeof *member_types; i++)
		if (!strcmp(type, member_types[i]))
			return true;
	return false;
}

static const char *type_noun(const char *type, const char *usage)
{
	if (usage && !strcmp(usage, "filesystem"))
		return " file system";
	return strcmp(type, "swap") ? "" : " space";
}

static void describe(blkid_probe probe, struct signature *signature)
{
	const char *table = probe_value(probe, "PTTYPE"), *type = probe_value(probe, "TYPE");
	const char *usage = probe_value(probe, "USAGE"), *label = probe_value(probe, "LABEL");
	char raw[160];

	if (!type) {
		snprintf(raw, sizeof raw, "%s partition table", table ? table : "unknown");
		signature->member = false;
	} else {
		signature->member = type_is_member(type, usage);
		snprintf(raw, sizeof raw, "%s%s%s%.80s", type, type_noun(type, usage),
			 label && *label ? ", label " : "", label ? label : "");
	}
	machine_clean_text(raw, signature->text, sizeof signature->text);
}

static void set_up(blkid_probe probe)
{
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
					  BLKID_SUBLKS_LABEL | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, 1);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
}

static bool known(const struct signature *signatures, int count, const char *text)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(signatures[i].text, text))
			return true;
	return false;
}

static int probe_all(blkid_probe probe, struct signature signatures[SIGNATURES_MAX])
{
	int count = 0, result;

	while (count < SIGNATURES_MAX && !(result = blkid_do_probe(probe))) {
		describe(probe, &signatures[count]);
		if (!known(signatures, count, signatures[count].text))
			count++;
	}
	return count ? count : result < 0 ? -EIO : 0;
}

int drive_signatures(const char *path, struct signature ret_signatures[SIGNATURES_MAX])
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	blkid_probe probe;
	int result;

	if (fd < 0)
		return -errno;
	probe = blkid_new_probe();
	if (!probe) {
		result = -ENOMEM;
	} else if (blkid_probe_set_device(probe, fd, 0, 0)) {
		result = -EIO;
	} else {
		set_up(probe);
		result = probe_all(probe, ret_signatures);
	}
	blkid_free_probe(probe);
	close(fd);
	return result;
}
