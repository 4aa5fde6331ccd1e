/* nvme_log: what an NVMe drive writes down about itself: health, errors, data written to its flash, sanitize
 * state.
 *
 * Layouts: NVM Express Base Specification 2.0: Error Information 01h (figure 206), SMART / Health 02h (figure
 * 207), Sanitize Status 81h (figure 255); OCP Datacenter NVMe SSD Specification 2.0, log C0h. Vendors' own
 * logs as nvme-cli's plugins document them (facts only): Intel and Solidigm CAh, items of 12 bytes, key F4h
 * in units of 32 MiB; Samsung and WDC CAh, 128-bit count of bytes first; Micron D0h, count of bytes at offset
 * 176. Parsers are pure functions on captured pages. Errors as in nvme.h. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "drive/block.h"
#include "drive/drive.h"
#include "drive/nvme.h"

#define NVME_SMART_BYTES 512u
#define NVME_VENDOR_LOG_BYTES 512u	/* of every log that is asked for data written to flash */
#define NVME_ERROR_BYTES 64u		/* one entry */
#define NVME_SANITIZE_BYTES 512u

/* Fills the fields of the log; a temperature of 0 K is "not there". */
void nvme_parse_smart(const uint8_t page[NVME_SMART_BYTES], struct drive_health *health);
/* Entries of the error log, newest first; unused ones (number 0) are left out. */
void nvme_parse_errors(const uint8_t *page, uint32_t entries, struct drive_errors *ret_errors);
/* Physical media bytes written; false when the page is not an OCP log (its GUID is checked). */
bool nvme_parse_ocp(const uint8_t page[NVME_VENDOR_LOG_BYTES], uint64_t *ret_nand_write_bytes);
/* The same of a vendor's own log; false when it does not tell. */
bool nvme_parse_vendor(uint16_t vendor, const uint8_t page[NVME_VENDOR_LOG_BYTES],
		       uint64_t *ret_nand_write_bytes);

enum nvme_sanitize_state {
	NVME_SANITIZE_NEVER,
	NVME_SANITIZE_DONE,
	NVME_SANITIZE_RUNNING,
	NVME_SANITIZE_FAILED,
};
struct nvme_sanitize_status {
	enum nvme_sanitize_state state;
	double share;			/* 0..1 of the one that runs */
	uint32_t block_s, crypto_s;	/* the drive's own estimates; UINT32_MAX = it does not say */
};
void nvme_parse_sanitize(const uint8_t page[NVME_SANITIZE_BYTES], struct nvme_sanitize_status *ret_status);

int nvme_read_smart(const struct machine *machine, const struct block *block, struct drive_health *health);
/* As many entries as the log has (`log_entries`, of the identity) and fit. */
int nvme_read_errors(const struct machine *machine, const struct block *block, uint32_t log_entries,
		     struct drive_errors *ret_errors);
/* Sets health->nand_write_bytes and nand_log. With nand_log DRIVE_UNKNOWN each log is tried that a drive of
 * this vendor may have; after that only the one that told: a drive notes each log that it does not have as an
 * error in its error log, so a question once a second would fill that. health has its SMART fields already: a
 * count that no drive could have (below a tenth of what the host wrote, or above a thousand times it) is not
 * believed. */
void nvme_read_nand(const struct machine *machine, const struct block *block, uint16_t vendor,
		    struct drive_health *health);
int nvme_read_sanitize(const struct machine *machine, const struct block *block,
		       struct nvme_sanitize_status *ret_status);

/* "unrecovered read error", or NULL: not one of those that people meet. `status` as in struct drive_error. */
const char *nvme_status_text(uint16_t status);
