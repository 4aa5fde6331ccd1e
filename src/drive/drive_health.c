#include "drive/drive.h"
#include "drive/nvme.h"
#include "drive/scsi.h"
#include <math.h>
#include <string.h>

#define FEATURE_POWER 0x02

static void health_unknown(struct drive_health *health)
{
	/* every integer field all ones = DRIVE_UNKNOWN, then the floating-point ones */
	memset(health, 0xff, sizeof *health);
	health->temperature_c = health->warning_c = health->critical_c = NAN;
	for (int i = 0; i < 8; i++)
		health->sensor_c[i] = NAN;
}

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

static void health_nvme(const struct machine *machine, const struct block *disk, struct drive_health *health)
{
	struct nvme_identity identity;
	uint32_t power;

	if (nvme_read_smart(machine, disk, health))
		return;
	if (!nvme_get_feature(machine, disk, FEATURE_POWER, &power))
		health->power_state = power & 0x1f;
	if (nvme_identify(machine, disk, &identity))
		return;
	health->warning_c = identity.warning_c;
	health->critical_c = identity.critical_c;
}

int drive_health(const struct machine *machine, dev_t dev, struct drive_health *ret_health)
{
	struct block block, disk;
	char interface[16];

	health_unknown(ret_health);
	if (block_by_dev(machine, dev, &block) || block_by_name(machine, block.disk, &disk))
		return 0;
	block_interface(machine, disk.name, interface);
	if (!strcmp(interface, "nvme"))
		health_nvme(machine, &disk, ret_health);
	else if (!strcmp(interface, "sata"))
		ata_read_health(machine, &disk, ret_health);
	else if (!strcmp(interface, "scsi"))
		scsi_read_health(machine, &disk, ret_health);
	if (isnan(ret_health->temperature_c))
		health_hwmon(machine, disk.name, ret_health);
	return 0;
}
