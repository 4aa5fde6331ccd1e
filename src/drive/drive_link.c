/* PCIe links of a drive: its own, then those of the bridges above it, as sysfs-bus-pci tells them. */
#include "drive/drive.h"
#include "drive/nvme.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "8.0 GT/s PCIe" -> 8.0; "Unknown" -> NAN */
static double read_speed(const struct machine *machine, const char *device, const char *which)
{
	char text[64], *end;
	double speed;

	if (machine_read_text(machine, text, sizeof text, "%s/%s_link_speed", device, which) <= 0)
		return NAN;
	speed = strtod(text, &end);
	return end == text || strncmp(end, " GT/s", 5) || !(speed > 0) ? NAN : speed;
}

/* Some bridges say a width of 255 or 0 when they do not know. */
static uint64_t read_width(const struct machine *machine, const char *device, const char *which)
{
	const uint64_t width = machine_read_u64(machine, "%s/%s_link_width", device, which);

	return width >= 1 && width <= 32 ? width : DRIVE_UNKNOWN;
}

static bool link_read(const struct machine *machine, const char *device, struct drive_link *ret_link)
{
	const struct drive_link link = {
		.speed_now = read_speed(machine, device, "current"),
		.speed_max = read_speed(machine, device, "max"),
		.width_now = read_width(machine, device, "current"),
		.width_max = read_width(machine, device, "max"),
	};

	if (isnan(link.speed_now) && isnan(link.speed_max))
		return false;
	*ret_link = link;
	snprintf(ret_link->address, sizeof ret_link->address, "%s", strrchr(device, '/') + 1);
	return true;
}

static int device_directory(const struct machine *machine, const char *disk, char path[PATH_MAX])
{
	char controller[64];

	if (!strncmp(disk, "nvme", 4) && !nvme_controller(machine, disk, controller))
		return machine_real_path(machine, path, "/sys/class/nvme/%s/device", controller);
	return machine_real_path(machine, path, "/sys/class/block/%s/device", disk);
}

uint32_t drive_links(const struct machine *machine, dev_t dev, struct drive_link link[DRIVE_LINKS_MAX])
{
	char path[PATH_MAX], *slash;
	struct block block;
	uint32_t count = 0;

	if (block_by_dev(machine, dev, &block) || device_directory(machine, block.disk, path))
		return 0;
	while (count < DRIVE_LINKS_MAX && (slash = strrchr(path, '/')) && slash != path) {
		if (link_read(machine, path, &link[count]))
			count++;
		*slash = 0;
	}
	return count;
}
