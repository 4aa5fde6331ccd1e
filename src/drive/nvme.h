/* nvme: the admin commands that facts, health and purges need, by plain ioctl through machine->io.
 *
 * Layouts: NVM Express Base Specification 2.0, Identify Controller (figure 275), Identify Namespace, Get/Set
 * Features, Format NVM (figure 328), Sanitize (figure 402). What the log pages say is in nvme_log.h. The
 * parsers are pure functions on captured pages.
 *
 * Commands give 0; -EOPNOTSUPP without io; -errno of open or ioctl; -EIO when the drive answered with an
 * error status. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "drive/block.h"
#include "drive/drive.h"

#define NVME_IDENTIFY_BYTES 4096u

struct nvme_identity {
	uint16_t vendor;			/* PCI vendor id */
	char model[64], serial[32], firmware[16];
	double warning_c, critical_c;		/* NAN = the drive does not say */
	uint32_t error_entries;			/* that its error log holds */
	uint32_t power_state_count;
	struct drive_power_state power_state[DRIVE_POWER_STATES_MAX];
	bool host_thermal;			/* it can be told from where on to throttle (feature 10h) */
	bool volatile_write_cache;
	bool format_all, erase_all;		/* FNA: a format (with erase) hits every namespace */
	bool can_format, can_sanitize_block, can_sanitize_crypto, can_sanitize_overwrite;
	bool can_manage_namespaces;		/* then there may be namespaces that no controller shows */
	bool can_trim, can_write_zeroes;
};

void nvme_parse_identity(const uint8_t page[NVME_IDENTIFY_BYTES], struct nvme_identity *ret_identity);

/* A controller's name ("nvme0") for a namespace's disk, through multipath heads; 0 or -errno. */
int nvme_controller(const struct machine *machine, const char *disk, char controller[64]);

int nvme_identify(const struct machine *machine, const struct block *block,
		  struct nvme_identity *ret_identity);
/* The ids of the controller's active namespaces: the count (at most `max` are written), or -errno. */
int nvme_namespaces(const struct machine *machine, const struct block *block, uint32_t *ids, uint32_t max);
/* The same for all namespaces that exist, attached to a controller or not. */
int nvme_namespaces_allocated(const struct machine *machine, const struct block *block, uint32_t *ids,
			      uint32_t max);
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

/* Begins a sanitize operation, which destroys every namespace of the NVM subsystem and cannot be stopped.
 * Returns at once; nvme_read_sanitize (nvme_log.h) tells how far it is. */
enum nvme_sanitize_action { NVME_SANITIZE_EXIT_FAILURE = 1, NVME_SANITIZE_BLOCK = 2, NVME_SANITIZE_CRYPTO = 4 };
int nvme_sanitize(const struct machine *machine, const struct block *block, enum nvme_sanitize_action action);

/* A feature's current value (Get Features) and its change (Set Features, not saved over power cycles). */
int nvme_get_feature(const struct machine *machine, const struct block *block, uint8_t feature,
		     uint32_t *ret_value);
int nvme_set_feature(const struct machine *machine, const struct block *block, uint8_t feature,
		     uint32_t value);
