#include "drive/nvme_log.h"
#include "drive/bytes.h"
#include "drive/nvme_admin.h"
#include <math.h>
#include <string.h>

enum { OPCODE_GET_LOG = 0x02 };
enum { LOG_ERRORS = 0x01, LOG_SMART = 0x02, LOG_SANITIZE = 0x81, LOG_OCP = 0xc0 };
#define DATA_UNIT_BYTES 512000ull	/* 1000 x 512 */
#define KELVIN 273
#define SANITIZE_WHOLE 65536.0		/* what its progress counts to */

/* -- layouts -- */

/* 128-bit counters; what exceeds 64 bits is not believable. */
static uint64_t get128(const uint8_t *at)
{
	return le64(at + 8) ? DRIVE_UNKNOWN : le64(at);
}

static uint64_t data_units(const uint8_t *at)
{
	const uint64_t units = get128(at);

	return units > UINT64_MAX / DATA_UNIT_BYTES ? DRIVE_UNKNOWN : units * DATA_UNIT_BYTES;
}

static double celsius(uint16_t kelvin)
{
	return kelvin ? (double)kelvin - KELVIN : NAN;
}

void nvme_parse_smart(const uint8_t page[NVME_SMART_BYTES], struct drive_health *health)
{
	health->critical_warning = page[0];
	health->temperature_c = celsius(le16(page + 1));
	health->spare_percent = page[3];
	health->spare_threshold_percent = page[4];
	health->used_percent = page[5];
	health->host_read_bytes = data_units(page + 32);
	health->host_write_bytes = data_units(page + 48);
	health->power_cycles = get128(page + 112);
	health->power_on_hours = get128(page + 128);
	health->unsafe_shutdowns = get128(page + 144);
	health->media_errors = get128(page + 160);
	health->error_log_entries = get128(page + 176);
	health->warning_minutes = le32(page + 192);
	health->critical_minutes = le32(page + 196);
	for (int i = 0; i < 8; i++)
		health->sensor_c[i] = celsius(le16(page + 200 + 2 * i));
	health->throttle1_count = le32(page + 216);
	health->throttle2_count = le32(page + 220);
	health->throttle1_seconds = le32(page + 224);
	health->throttle2_seconds = le32(page + 228);
}

/* Bit 0 of the status field is the phase tag, bits 8:1 the code, bits 11:9 its type. */
void nvme_parse_errors(const uint8_t *page, uint32_t entries, struct drive_errors *ret_errors)
{
	*ret_errors = (struct drive_errors){.known = true};
	for (uint32_t i = 0; i < entries && ret_errors->count < DRIVE_ERRORS_MAX; i++, page += NVME_ERROR_BYTES)
		if (le64(page))
			ret_errors->entry[ret_errors->count++] = (struct drive_error){
				.number = le64(page),
				.queue = le16(page + 8),
				.status = le16(page + 12) >> 1 & 0x7ff,
				.block = le64(page + 16),
				.namespace_id = le32(page + 24),
			};
}

bool nvme_parse_ocp(const uint8_t page[NVME_VENDOR_LOG_BYTES], uint64_t *ret_nand_write_bytes)
{
	static const uint8_t guid[16] = {0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
					 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf};

	if (memcmp(page + 496, guid, sizeof guid))
		return false;
	*ret_nand_write_bytes = get128(page);
	return true;
}

static uint64_t bytes_first(const uint8_t *page)
{
	return get128(page);
}

/* Items of 12 bytes: key, two reserved, normalized value, one reserved, 48-bit raw value, one reserved. */
static uint64_t intel_item(const uint8_t *page)
{
	enum { ITEM_BYTES = 12, KEY_NAND_WRITTEN = 0xf4, UNIT_SHIFT = 25 /* 32 MiB */ };

	for (uint32_t at = 0; at + ITEM_BYTES <= NVME_VENDOR_LOG_BYTES; at += ITEM_BYTES)
		if (page[at] == KEY_NAND_WRITTEN && le48(page + at + 5) < UINT64_MAX >> UNIT_SHIFT)
			return le48(page + at + 5) << UNIT_SHIFT;
	return DRIVE_UNKNOWN;
}

static uint64_t micron_bytes(const uint8_t *page)
{
	return le64(page + 176);
}

static const struct vendor_log {
	uint16_t vendor;	/* PCI */
	uint8_t log;
	uint64_t (*parse)(const uint8_t *page);
} vendor_logs[] = {
	{ 0x8086, 0xca, intel_item },	/* Intel */
	{ 0x025e, 0xca, intel_item },	/* Solidigm */
	{ 0x144d, 0xca, bytes_first },	/* Samsung */
	{ 0x15b7, 0xca, bytes_first },	/* SanDisk, WDC */
	{ 0x1b96, 0xca, bytes_first },	/* WDC */
	{ 0x1344, 0xd0, micron_bytes },	/* Micron */
};

static const struct vendor_log *vendor_log_find(uint16_t vendor)
{
	for (uint32_t i = 0; i < sizeof vendor_logs / sizeof *vendor_logs; i++)
		if (vendor_logs[i].vendor == vendor)
			return &vendor_logs[i];
	return NULL;
}

bool nvme_parse_vendor(uint16_t vendor, const uint8_t page[NVME_VENDOR_LOG_BYTES],
		       uint64_t *ret_nand_write_bytes)
{
	const struct vendor_log *log = vendor_log_find(vendor);
	const uint64_t bytes = log ? log->parse(page) : DRIVE_UNKNOWN;

	if (!bytes || bytes == DRIVE_UNKNOWN)
		return false;
	*ret_nand_write_bytes = bytes;
	return true;
}

void nvme_parse_sanitize(const uint8_t page[NVME_SANITIZE_BYTES], struct nvme_sanitize_status *ret_status)
{
	static const enum nvme_sanitize_state states[8] = {
		NVME_SANITIZE_NEVER, NVME_SANITIZE_DONE, NVME_SANITIZE_RUNNING, NVME_SANITIZE_FAILED,
		NVME_SANITIZE_DONE,	/* although it was asked not to deallocate */
	};

	*ret_status = (struct nvme_sanitize_status){
		.state = states[le16(page + 2) & 7],
		.share = le16(page) / SANITIZE_WHOLE,
		.block_s = le32(page + 12),
		.crypto_s = le32(page + 16),
	};
}

const char *nvme_status_text(uint16_t status)
{
	static const struct {
		uint16_t status;
		const char *text;
	} texts[] = {
		{ 0x001, "invalid command opcode" },
		{ 0x002, "invalid field in a command" },
		{ 0x004, "data transfer error" },
		{ 0x005, "aborted by power loss" },
		{ 0x006, "internal error" },
		{ 0x007, "aborted on request" },
		{ 0x00b, "invalid namespace or format" },
		{ 0x01d, "a sanitize is in progress" },
		{ 0x080, "LBA out of range" },
		{ 0x081, "capacity exceeded" },
		{ 0x109, "invalid log page" },
		{ 0x10c, "invalid format" },
		{ 0x280, "write fault" },
		{ 0x281, "unrecovered read error" },
		{ 0x282, "guard check error" },
		{ 0x286, "access denied" },
		{ 0x287, "deallocated or never written block" },
	};

	for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i].status == status)
			return texts[i].text;
	return NULL;
}

/* -- reading -- */

static int read_log(const struct machine *machine, const struct block *block, uint8_t log, void *page,
		    uint32_t bytes)
{
	struct nvme_admin_cmd command = {
		.opcode = OPCODE_GET_LOG, .nsid = NVME_ALL_NAMESPACES, .cdw10 = log | (bytes / 4 - 1) << 16,
	};

	return nvme_admin_read(machine, block, &command, page, bytes);
}

int nvme_read_smart(const struct machine *machine, const struct block *block, struct drive_health *health)
{
	uint8_t page[NVME_SMART_BYTES];
	const int result = read_log(machine, block, LOG_SMART, page, sizeof page);

	if (!result)
		nvme_parse_smart(page, health);
	return result;
}

int nvme_read_errors(const struct machine *machine, const struct block *block, uint32_t log_entries,
		     struct drive_errors *ret_errors)
{
	const uint32_t entries = log_entries < DRIVE_ERRORS_MAX ? log_entries : DRIVE_ERRORS_MAX;
	uint8_t page[DRIVE_ERRORS_MAX * NVME_ERROR_BYTES];
	const int result = read_log(machine, block, LOG_ERRORS, page, entries * NVME_ERROR_BYTES);

	if (!result)
		nvme_parse_errors(page, entries, ret_errors);
	return result;
}

static bool believable(uint64_t nand_bytes, const struct drive_health *health)
{
	const uint64_t host_bytes = health->host_write_bytes;

	if (nand_bytes == DRIVE_UNKNOWN)
		return false;
	return host_bytes == DRIVE_UNKNOWN || host_bytes < 1u << 30 ||
	       (nand_bytes >= host_bytes / 10 && nand_bytes / 1000 <= host_bytes);
}

static bool nand_from(const struct machine *machine, const struct block *block, uint8_t log, uint16_t vendor,
		      struct drive_health *health)
{
	uint8_t page[NVME_VENDOR_LOG_BYTES];
	uint64_t bytes;

	if (read_log(machine, block, log, page, sizeof page) ||
	    !(log == LOG_OCP ? nvme_parse_ocp(page, &bytes) : nvme_parse_vendor(vendor, page, &bytes)) ||
	    !believable(bytes, health))
		return false;
	health->nand_write_bytes = bytes;
	health->nand_log = log;
	return true;
}

void nvme_read_nand(const struct machine *machine, const struct block *block, uint16_t vendor,
		    struct drive_health *health)
{
	const struct vendor_log *own = vendor_log_find(vendor);

	health->nand_write_bytes = DRIVE_UNKNOWN;
	if (health->nand_log != DRIVE_UNKNOWN) {
		if (health->nand_log)
			nand_from(machine, block, (uint8_t)health->nand_log, vendor, health);
		return;
	}
	health->nand_log = 0;
	if (!nand_from(machine, block, LOG_OCP, vendor, health) && own)
		nand_from(machine, block, own->log, vendor, health);
}

int nvme_read_sanitize(const struct machine *machine, const struct block *block,
		       struct nvme_sanitize_status *ret_status)
{
	uint8_t page[NVME_SANITIZE_BYTES];
	const int result = read_log(machine, block, LOG_SANITIZE, page, sizeof page);

	if (!result)
		nvme_parse_sanitize(page, ret_status);
	return result;
}
