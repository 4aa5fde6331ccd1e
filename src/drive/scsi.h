/* scsi: the few SCSI and ATA commands that identity and health need, through SG_IO on the block device node.
 *
 * SATA drives answer ATA PASS-THROUGH (SAT-4, 12.2.2); the layouts are those of ACS-4: IDENTIFY DEVICE
 * (7.13), SMART READ DATA (attribute table as every vendor keeps it), Device Statistics log 04h (9.5). SAS
 * drives: LOG SENSE pages 0Dh and 11h (SPC-5, SBC-4). The parsers are pure functions on captured pages. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "drive/block.h"
#include "drive/drive.h"

#define ATA_PAGE_BYTES 512u

struct ata_identity {
	char model[64], serial[32], firmware[16];
	bool trim, write_cache_on, write_cache_known;
	uint32_t rotation;		/* 1 = solid state, else turns per minute; 0 = not told */
	bool has_statistics;		/* general purpose logging: the statistics log may be there */
	struct ata_security {		/* words 82, 89, 90, 128 */
		bool supported, enabled, locked, frozen, expired, enhanced;
		/* the drive's own estimates; 0 = it does not say */
		uint32_t erase_minutes, enhanced_minutes;
	} security;
};

void ata_parse_identity(const uint8_t page[ATA_PAGE_BYTES], struct ata_identity *ret_identity);
/* Temperature (194, else 190), hours (9), power cycles (12) of the SMART attributes; vendors differ in the
 * others. */
void ata_parse_smart(const uint8_t page[ATA_PAGE_BYTES], struct drive_health *health);
/* One page (1, 4, 5 or 7) of the Device Statistics log; a page with another number in it is ignored. */
void ata_parse_statistics(const uint8_t page[ATA_PAGE_BYTES], uint8_t number, struct drive_health *health);
/* LOG SENSE page 0Dh (temperature) or 11h (solid state media), told by its first byte. */
void scsi_parse_log(const uint8_t *page, uint32_t bytes, struct drive_health *health);

/* 0; -EOPNOTSUPP without io or when the drive does not know the command; -errno of open or ioctl. */
int ata_identify(const struct machine *machine, const struct block *disk, struct ata_identity *ret_identity);
/* Fills what the drive tells; the rest stays as it is. */
int ata_read_health(const struct machine *machine, const struct block *disk, struct drive_health *health);
int scsi_read_health(const struct machine *machine, const struct block *disk, struct drive_health *health);
