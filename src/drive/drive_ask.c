#include "drive/drive_read.h"
#include "drive/health.h"
#include "drive/nvme.h"
#include "drive/nvme_log.h"
#include "drive/scsi.h"
#include "drive/smartctl.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void prefer(char *field, size_t bytes, const char *told)
{
	if (!field[0])
		snprintf(field, bytes, "%s", told);
}

/* -- NVMe -- */

static void ask_sanitize(const struct machine *machine, const struct block *disk, struct drive_facts *facts)
{
	struct nvme_sanitize_status status;

	if (nvme_read_sanitize(machine, disk, &status))
		return;
	if (status.state == NVME_SANITIZE_RUNNING)
		lines_add(
			&facts->warnings,
			"a sanitize is in progress (%.0f %%): it answers no reads or writes until it is done",
			100 * status.share);
	else if (status.state == NVME_SANITIZE_FAILED)
		lines_add(&facts->warnings,
			  "its last sanitize failed: it refuses reads and writes until one succeeds");
}

static void ask_nvme_more(const struct machine *machine, const struct block *disk,
			  const struct nvme_identity *identity, struct drive_facts *facts)
{
	uint32_t ids[1];
	int result = nvme_namespaces(machine, disk, ids, 1);

	if (result >= 0)
		facts->namespace_count = (uint64_t)result;
	facts->power_state_count = identity->power_state_count;
	memcpy(facts->power_state, identity->power_state, sizeof facts->power_state);
	result = nvme_read_errors(machine, disk, identity->error_entries, &facts->errors);
	if (result)
		lines_add(&facts->not_read, "NVMe error log of /dev/%s: %s", disk->name, strerror(-result));
	if (identity->can_sanitize_block || identity->can_sanitize_crypto || identity->can_sanitize_overwrite)
		ask_sanitize(machine, disk, facts);
}

static void ask_nvme(const struct machine *machine, const struct block *disk, struct drive_facts *facts)
{
	struct nvme_identity identity;
	const int result = nvme_identify(machine, disk, &identity);

	if (result) {
		lines_add(&facts->not_read, "NVMe identify, SMART and error log of /dev/%s: %s", disk->name,
			  strerror(-result));
		return;
	}
	prefer(facts->model, sizeof facts->model, identity.model);
	prefer(facts->firmware, sizeof facts->firmware, identity.firmware);
	ask_nvme_more(machine, disk, &identity, facts);
}

/* -- SATA, SCSI, USB -- */

/* The unit serial number page is readable by all. */
static void read_serial_page(const struct machine *machine, const struct block *disk,
			     struct drive_facts *facts)
{
	uint8_t page[128];
	char raw[128];
	const int bytes = machine_read_bytes(machine, page, sizeof page, "/sys/class/block/%s/device/vpd_pg80",
					     disk->name);

	if (facts->serial[0] || bytes <= 4)
		return;
	memcpy(raw, page + 4, (size_t)bytes - 4);
	raw[bytes - 4] = 0;
	machine_clean_text(raw, facts->serial, sizeof facts->serial);
}

/* Sysfs cuts the model to 16 characters and has no serial. */
static int ask_ata(const struct machine *machine, const struct block *disk, struct drive_facts *facts)
{
	struct ata_identity identity;
	const int result = ata_identify(machine, disk, &identity);

	if (result) {
		lines_add(&facts->not_read, "ATA identify and SMART of /dev/%s: %s", disk->name,
			  strerror(-result));
		return result;
	}
	snprintf(facts->model, sizeof facts->model, "%s", identity.model);
	snprintf(facts->serial, sizeof facts->serial, "%s", identity.serial);
	snprintf(facts->firmware, sizeof facts->firmware, "%s", identity.firmware);
	return 0;
}

static void take_smartctl(const struct smartctl *smartctl, struct drive_facts *facts)
{
	smartctl_complete(smartctl, &facts->health);
	if (!strcmp(facts->interface, "usb")) {	/* what sysfs has is the bridge's */
		facts->serial[0] = facts->firmware[0] = 0;
		if (smartctl->model[0])
			facts->model[0] = 0;
	}
	prefer(facts->model, sizeof facts->model, smartctl->model);
	prefer(facts->serial, sizeof facts->serial, smartctl->serial);
	prefer(facts->firmware, sizeof facts->firmware, smartctl->firmware);
	if (smartctl->passed == 0)
		lines_add(&facts->warnings, "the drive's own SMART verdict is that it is failing");
}

static void smartctl_failed(const struct block *disk, int error, const char *message,
			    struct drive_facts *facts)
{
	if (error == -ENOENT)
		lines_add(&facts->not_read,
			  "counters that /dev/%s does not give us itself: smartctl is not installed (package "
			  "smartmontools)",
			  disk->name);
	else if (error == -EBADMSG)
		lines_add(&facts->not_read, "counters of /dev/%s: smartctl says %s", disk->name,
			  message[0] ? message : "nothing of it");
	else if (error != -EOPNOTSUPP)
		lines_add(&facts->not_read, "counters of /dev/%s: smartctl: %s", disk->name,
			  strerror(-error));
}

static void ask_smartctl(const struct machine *machine, const struct block *disk, struct drive_facts *facts)
{
	const struct drive_health *health = &facts->health;
	struct smartctl *smartctl;
	char path[80];
	int result;

	if (health->host_write_bytes != DRIVE_UNKNOWN && health->used_percent != DRIVE_UNKNOWN &&
	    strcmp(facts->interface, "usb"))
		return;
	smartctl = calloc(1, sizeof *smartctl);
	if (!smartctl)
		return;
	block_path(disk, path);
	result = smartctl_read(machine, path, smartctl);
	if (result)
		smartctl_failed(disk, result, smartctl->message, facts);
	else
		take_smartctl(smartctl, facts);
	free(smartctl);
}

void drive_ask(const struct machine *machine, const struct block *disk, struct drive_facts *facts)
{
	int result = 0;

	if (!strcmp(facts->interface, "nvme")) {
		ask_nvme(machine, disk, facts);
		return;
	}
	if (strcmp(facts->interface, "sata") && strcmp(facts->interface, "scsi") &&
	    strcmp(facts->interface, "usb"))
		return;
	if (strcmp(facts->interface, "usb"))
		read_serial_page(machine, disk, facts);
	if (!strcmp(facts->interface, "sata"))
		result = ask_ata(machine, disk, facts);
	if (result != -EACCES && result != -EPERM)
		ask_smartctl(machine, disk, facts);
}
