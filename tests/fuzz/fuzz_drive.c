/* libFuzzer target for what drives and kernels say: the first byte picks the parser, the rest is the page or
 * text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "drive/mounts.h"
#include "drive/nvme.h"
#include "drive/nvme_log.h"
#include "drive/scsi.h"
#include "drive/smartctl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* A cleaned text is short enough, printable, and stays the same when cleaned again. */
static void check_clean(const char *text, size_t room)
{
	char again[512];

	if (strlen(text) >= room)
		abort();
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			abort();
	machine_clean_text(text, again, sizeof again);
	if (strcmp(text, again))
		abort();
}

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
	static const uint16_t vendors[] = {0x8086, 0x144d, 0x15b7, 0x1344};
	struct nvme_sanitize_status sanitize;
	struct drive_errors errors;
	uint64_t nand;

	nvme_parse_identity(page, &identity);
	check_clean(identity.model, sizeof identity.model);
	check_clean(identity.serial, sizeof identity.serial);
	nvme_parse_smart(page, &health);
	nvme_parse_ocp(page, &nand);
	for (int i = 0; i < 4; i++)
		nvme_parse_vendor(vendors[i], page, &nand);
	nvme_parse_errors(page, NVME_IDENTIFY_BYTES / NVME_ERROR_BYTES, &errors);
	if (errors.count > DRIVE_ERRORS_MAX)
		abort();
	nvme_parse_sanitize(page, &sanitize);
	if (!(sanitize.share >= 0 && sanitize.share <= 1))
		abort();
}

static void smartctl(const uint8_t *data, size_t bytes)
{
	struct smartctl *told = calloc(1, sizeof *told);
	char *text = calloc(1, bytes + 1);

	memcpy(text, data, bytes);
	if (!smartctl_parse(text, told)) {
		check_clean(told->model, sizeof told->model);
		check_clean(told->serial, sizeof told->serial);
	}
	check_clean(told->message, sizeof told->message);
	free(text);
	free(told);
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
		smartctl(data + 1, bytes - 1);
		break;
	}
	return 0;
}
