/* libFuzzer target for what drives and kernels say: the first byte picks the parser, the rest is the page or
 * text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "clean.h"
#include "drive/mounts.h"
#include "drive/nvme.h"
#include "drive/nvme_log.h"
#include "drive/scsi.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static int visit(void *context, const struct mount_entry *entry)
{
	if (strlen(entry->point) >= sizeof entry->point || strlen(entry->options) >= sizeof entry->options)
		abort();
	return 0;
}

static void mounts(const uint8_t *data, size_t bytes)
{
	struct mount_entry *entry = calloc(1, sizeof *entry);
	char *text = calloc(1, bytes + 1);

	memcpy(text, data, bytes);
	if (mounts_visit_text(text, entry, visit, NULL))
		abort();
	free(text);
	free(entry);
}

static void clean(const uint8_t *data, size_t bytes)
{
	char *raw = calloc(1, bytes + 1), out[64];

	memcpy(raw, data, bytes);
	machine_clean_text(raw, out, sizeof out);
	check_clean(out, sizeof out);
	free(raw);
}

static void nvme_pages(const uint8_t page[NVME_IDENTIFY_BYTES])
{
	struct nvme_identity identity;
	struct drive_health health = {0};
	char *json;

	nvme_parse_identity(page, &identity);
	check_clean(identity.model, sizeof identity.model);
	check_clean(identity.serial, sizeof identity.serial);
	nvme_parse_smart(page, &health);
	json = drive_health_json(&health);
	if (!json)
		abort();
	free(json);
}

/* The error log has as many entries as were read; a page holds 64 of them. */
static void nvme_errors(const uint8_t page[NVME_IDENTIFY_BYTES], uint32_t entries)
{
	struct drive_errors errors = {0};

	nvme_parse_errors(page, entries, &errors);
	if (errors.count > DRIVE_ERRORS_MAX || errors.count > entries)
		abort();
	for (uint32_t i = 0; i < errors.count; i++) {
		const char *text = nvme_status_text(errors.entry[i].status);

		if (text && !*text)
			abort();
	}
}

/* Logs that only vendors have: a number that is believed is none of those that mean "none". */
static void nvme_vendor_logs(const uint8_t page[NVME_IDENTIFY_BYTES])
{
	static const uint16_t vendors[] = {0x8086, 0x025e, 0x144d, 0x15b7, 0x1b96, 0x1344, 0x1234};
	struct nvme_sanitize_status sanitize;
	uint64_t nand;

	for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++)
		if (nvme_parse_vendor(vendors[i], page, &nand) &&
		    (!nand || nand == DRIVE_UNKNOWN || vendors[i] == 0x1234))
			abort();
	nvme_parse_ocp(page, &nand);
	nvme_parse_sanitize(page, &sanitize);
	if (!(sanitize.share >= 0 && sanitize.share <= 1))
		abort();
}

static void ata_pages(const uint8_t page[ATA_PAGE_BYTES], size_t bytes)
{
	static const uint8_t numbers[] = {1, 4, 5, 7};
	struct ata_identity identity;
	struct drive_health health = {.temperature_c = NAN};

	ata_parse_identity(page, &identity);
	check_clean(identity.model, sizeof identity.model);
	check_clean(identity.serial, sizeof identity.serial);
	ata_parse_smart(page, &health);
	for (int i = 0; i < 4; i++)
		ata_parse_statistics(page, numbers[i], &health);
	scsi_parse_log(page, bytes < ATA_PAGE_BYTES ? (uint32_t)bytes : ATA_PAGE_BYTES, &health);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint8_t page[NVME_IDENTIFY_BYTES] = {0};

	if (!bytes)
		return 0;
	memcpy(page, data + 1, bytes - 1 < sizeof page ? bytes - 1 : sizeof page);
	switch (data[0] & 7) {
	case 0:
		mounts(data + 1, bytes - 1);
		break;
	case 1:
		clean(data + 1, bytes - 1);
		break;
	case 2:
		nvme_pages(page);
		break;
	case 3:
		ata_pages(page, bytes - 1);
		break;
	case 4:
		nvme_vendor_logs(page);
		break;
	case 5:
		nvme_errors(page, bytes - 1 < sizeof page ? (uint32_t)(bytes - 1) / NVME_ERROR_BYTES : 64);
		break;
	}
	return 0;
}
