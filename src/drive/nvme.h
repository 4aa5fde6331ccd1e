/* nvme: the few admin commands and log pages that facts and health need, by plain ioctl through machine->io.
 *
 * Layouts: NVM Express Base Specification 2.0, Identify Controller (figure 275), SMART / Health Information
 * (figure 207); OCP Datacenter NVMe SSD Specification 2.0, log C0h. The parsers are pure functions on
 * captured pages. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "drive/block.h"
#include "drive/drive.h"

#define NVME_IDENTIFY_BYTES 4096u
#define NVME_SMART_BYTES 512u
#define NVME_OCP_BYTES 512u

struct nvme_identity {
	char model[64], serial[32], firmware[16];
	double warning_c, critical_c;		/* NAN = the drive does not say */
	bool volatile_write_cache;
	bool format_all, erase_all;		/* FNA: a format (with erase) hits every namespace */
	bool can_format, can_sanitize_block, can_sanitize_crypto, can_sanitize_overwrite;
	bool can_trim, can_write_zeroes;
};

void nvme_parse_identity(const uint8_t page[NVME_IDENTIFY_BYTES], struct nvme_identity *ret_identity);
/* Fills the fields of the log; a temperature of 0 K is "not there". */
void nvme_parse_smart(const uint8_t page[NVME_SMART_BYTES], struct drive_health *health);
/* Physical media bytes written; false when the page is not an OCP log (its GUID is checked). */
bool nvme_parse_ocp(const uint8_t page[NVME_OCP_BYTES], uint64_t *ret_nand_write_bytes);

/* A controller's name ("nvme0") for a namespace's disk, through multipath heads; 0 or -errno. */
int nvme_controller(const struct machine *machine, const char *disk, char controller[64]);

/* 0; -EOPNOTSUPP without io; -errno of open or command; -EIO when the drive answered with an error status. */
int nvme_identify(const struct machine *machine, const struct block *block,
		  struct nvme_identity *ret_identity);
int nvme_read_smart(const struct machine *machine, const struct block *block, struct drive_health *health);
/* The ids of the controller's active namespaces: the count (at most `max` are written), or -errno. */
int nvme_namespaces(const struct machine *machine, const struct block *block, uint32_t *ids, uint32_t max);
/* How a namespace is formatted now (Identify Namespace, FLBAS and DPS bytes). */
struct nvme_format {
	uint8_t lba_format, protection;	/* as the fields of the page */
};
int nvme_read_format(const struct machine *machine, const struct block *block, uint32_t namespace_id,
		     struct nvme_format *ret_format);
/* Format NVM with the format it has, user data erased (SES 1). Destroys the namespace, or all of the
 * controller's when its FNA says so. Returns when the drive has done it, which may take an hour. */
int nvme_format(const struct machine *machine, const struct block *block, uint32_t namespace_id,
		const struct nvme_format *format);

/* A feature's current value (Get Features) and its change (Set Features, not saved over power cycles). */
int nvme_get_feature(const struct machine *machine, const struct block *block, uint8_t feature,
		     uint32_t *ret_value);
int nvme_set_feature(const struct machine *machine, const struct block *block, uint8_t feature,
		     uint32_t value);
