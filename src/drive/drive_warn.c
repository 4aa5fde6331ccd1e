#include "drive/drive_read.h"
#include <string.h>

static bool narrower(const struct drive_link *link, const struct drive_link *than)
{
	if (link->width_now == DRIVE_UNKNOWN || than->width_now == DRIVE_UNKNOWN)
		return link->speed_now < than->speed_now;
	return link->speed_now * (double)link->width_now < than->speed_now * (double)than->width_now;
}

/* The drive's own link is judged by what the drive could; a bridge, which may have spare, by what the drive
 * uses. */
static void warn_link(struct drive_facts *facts)
{
	const struct drive_link *own = &facts->link[0];

	if (!facts->link_count)
		return;
	if (own->speed_now < own->speed_max)
		lines_add(&facts->warnings,
			  "PCIe link of %s runs at %g of %g GT/s (idle links may rest; look "
			  "again under load)",
			  own->address, own->speed_now, own->speed_max);
	if (own->width_now != DRIVE_UNKNOWN && own->width_max != DRIVE_UNKNOWN &&
	    own->width_now < own->width_max)
		lines_add(&facts->warnings, "PCIe link of %s has %llu of %llu lanes", own->address,
			  (unsigned long long)own->width_now, (unsigned long long)own->width_max);
	for (uint32_t i = 1; i < facts->link_count; i++)
		if (narrower(&facts->link[i], own))
			lines_add(&facts->warnings,
				  "the bridge %s above the drive has a narrower PCIe link than the drive",
				  facts->link[i].address);
}

static void warn_health(struct drive_facts *facts)
{
	const struct drive_health *health = &facts->health;

	if (health->critical_warning && health->critical_warning != DRIVE_UNKNOWN)
		lines_add(&facts->warnings, "critical warning 0x%02llx from the drive",
			  (unsigned long long)health->critical_warning);
	if (health->media_errors && health->media_errors != DRIVE_UNKNOWN)
		lines_add(&facts->warnings, "%llu media errors in the drive's log",
			  (unsigned long long)health->media_errors);
	if (health->used_percent >= 90 && health->used_percent != DRIVE_UNKNOWN)
		lines_add(&facts->warnings, "%llu %% of its rated life is used",
			  (unsigned long long)health->used_percent);
	if (health->temperature_c >= health->warning_c - 10)
		lines_add(&facts->warnings, "%.0f C, and throttling may begin at %.0f C",
			  health->temperature_c, health->warning_c);
}

static void warn_layout(struct drive_facts *facts, bool ambiguous)
{
	if (ambiguous)
		lines_add(&facts->warnings,
			  "another drive has the same serial or WWID, so the id is made of its numbers");
	for (uint32_t i = 0; i < facts->partition_count; i++)
		if (!facts->partition[i].aligned_4k)
			lines_add(&facts->warnings, "partition %s does not start at a multiple of 4096 bytes",
				  facts->partition[i].name);
	if (!strcmp(facts->zoned, "host-managed"))
		lines_add(&facts->warnings, "zones that must be written in order: not written here");
	if (facts->read_only == 1)
		lines_add(&facts->warnings, "read-only");
	if (facts->rotational == 1)
		lines_add(&facts->warnings, "the kernel takes it for a rotating disk");
	if (facts->discard_max_bytes == 0)
		lines_add(&facts->warnings, "no discard: it cannot be purged by TRIM");
	if (!strcmp(facts->interface, "usb"))
		lines_add(&facts->warnings, "behind a USB bridge: that is measured too");
	if (!strcmp(facts->interface, "nvme") && facts->scheduler[0] && strcmp(facts->scheduler, "none"))
		lines_add(&facts->warnings, "I/O scheduler %s: it costs time on an NVMe drive",
			  facts->scheduler);
}

void drive_warn(struct drive_facts *facts, bool ambiguous)
{
	warn_layout(facts, ambiguous);
	warn_link(facts);
	warn_health(facts);
}
