#include "drive/drive.h"
#include "drive/health.h"
#include "drive/nvme.h"
#include "drive/nvme_log.h"
#include "drive/scsi.h"
#include <math.h>
#include <string.h>

enum { FEATURE_POWER = 0x02, FEATURE_HOST_THERMAL = 0x10 };
#define KELVIN 273

static double milli_celsius(const struct machine *machine, const char *directory, const char *hwmon,
			    const char *what)
{
	const uint64_t value = machine_read_u64(machine, "%s/%s/%s", directory, hwmon, what);

	return value == DRIVE_UNKNOWN || value > 1000000 ? NAN : (double)value / 1000;
}

/* Directories "hwmonN" appear next to the device's other attributes or below "hwmon/", depending on the
 * driver. */
static bool health_from_hwmon(const struct machine *machine, const char *directory,
			      struct drive_health *health)
{
	struct lines names = {0};
	bool found = false;

	if (machine_list(machine, &names, "%s", directory)) {
		lines_release(&names);
		return false;
	}
	for (uint32_t i = 0; !found && i < names.count; i++) {
		if (strncmp(names.line[i], "hwmon", 5) || !names.line[i][5])
			continue;
		health->temperature_c = milli_celsius(machine, directory, names.line[i], "temp1_input");
		health->warning_c = milli_celsius(machine, directory, names.line[i], "temp1_max");
		health->critical_c = milli_celsius(machine, directory, names.line[i], "temp1_crit");
		found = !isnan(health->temperature_c);
	}
	lines_release(&names);
	return found;
}

static void health_hwmon(const struct machine *machine, const char *disk, struct drive_health *health)
{
	char real[PATH_MAX], below[PATH_MAX + 8], controller[64];
	int result;

	if (!strncmp(disk, "nvme", 4) && !nvme_controller(machine, disk, controller))
		result = machine_real_path(machine, real, "/sys/class/nvme/%s", controller);
	else
		result = machine_real_path(machine, real, "/sys/class/block/%s/device", disk);
	if (result || health_from_hwmon(machine, real, health))
		return;
	strcpy(below, real);
	strcat(below, "/hwmon");
	health_from_hwmon(machine, below, health);
}

/* Thresholds of host controlled thermal management, in kelvin; 0 = not set. */
static void health_throttling(const struct machine *machine, const struct block *disk,
			      struct drive_health *health)
{
	uint32_t value;

	if (nvme_get_feature(machine, disk, FEATURE_HOST_THERMAL, &value))
		return;
	if (value >> 16)
		health->throttle1_c = (double)(value >> 16) - KELVIN;
	if (value & 0xffff)
		health->throttle2_c = (double)(value & 0xffff) - KELVIN;
}

static void health_nvme(const struct machine *machine, const struct block *disk, bool again,
			struct drive_health *health)
{
	struct nvme_identity identity;
	uint32_t power;

	if (nvme_read_smart(machine, disk, health))
		return;
	if ((!again || health->power_state != DRIVE_UNKNOWN) &&
	    !nvme_get_feature(machine, disk, FEATURE_POWER, &power))
		health->power_state = power & 0x1f;
	else
		health->power_state = DRIVE_UNKNOWN;
	if (again && !health->nand_log)
		return;
	if (nvme_identify(machine, disk, &identity))
		return;
	nvme_read_nand(machine, disk, identity.vendor, health);
	if (again)
		return;
	health->warning_c = identity.warning_c;
	health->critical_c = identity.critical_c;
	if (identity.host_thermal)
		health_throttling(machine, disk, health);
}

/* What a later look goes by, or need not ask again; all else is of that moment only. */
static void health_forget(struct drive_health *health)
{
	const struct drive_health before = *health;

	health_unknown(health);
	health->warning_c = before.warning_c;
	health->critical_c = before.critical_c;
	health->throttle1_c = before.throttle1_c;
	health->throttle2_c = before.throttle2_c;
	health->nand_log = before.nand_log;
	health->power_state = before.power_state;
}

static void health_read(const struct machine *machine, dev_t dev, bool again, struct drive_health *health)
{
	struct block block, disk;
	char interface[16];

	if (block_by_dev(machine, dev, &block) || block_by_name(machine, block.disk, &disk))
		return;
	block_interface(machine, disk.name, interface);
	if (!strcmp(interface, "nvme"))
		health_nvme(machine, &disk, again, health);
	else if (!strcmp(interface, "sata"))
		ata_read_health(machine, &disk, health);
	else if (!strcmp(interface, "scsi"))
		scsi_read_health(machine, &disk, health);
	if (isnan(health->temperature_c))
		health_hwmon(machine, disk.name, health);
}

int drive_health(const struct machine *machine, dev_t dev, struct drive_health *ret_health)
{
	health_unknown(ret_health);
	health_read(machine, dev, false, ret_health);
	return 0;
}

int drive_health_again(const struct machine *machine, dev_t dev, struct drive_health *health)
{
	health_forget(health);
	health_read(machine, dev, true, health);
	return 0;
}
