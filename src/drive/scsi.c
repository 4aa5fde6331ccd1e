#include "drive/scsi.h"
#include "drive/scsi_command.h"
#include <errno.h>
#include <math.h>
#include <string.h>

enum { ATA_IDENTIFY = 0xec, ATA_SMART = 0xb0, ATA_SMART_READ_DATA = 0xd0, ATA_READ_LOG_EXT = 0x2f };
enum { LOG_STATISTICS = 0x04 };
enum { SCSI_ATA_PASS_THROUGH_16 = 0x85, SCSI_LOG_SENSE = 0x4d };
enum { PAGE_TEMPERATURE = 0x0d, PAGE_SOLID_STATE = 0x11 };
#define PIO_IN (4 << 1)			/* ATA PASS-THROUGH protocol field */
#define EXTENDED 1			/* 48-bit command */
#define FROM_DEVICE_BY_SECTORS 0x0e	/* direction in, length in the sector count, in blocks */
#define SECTOR_BYTES 512u
#define SMART_ATTRIBUTES 30
#define STATISTIC_VALID 3u		/* bits 63 and 62: supported, valid */

/* -- layouts -- */

static uint16_t word_of(const uint8_t *page, uint32_t word)
{
	return (uint16_t)(page[2 * word] | page[2 * word + 1] << 8);
}

/* ATA strings: two characters a word, the first one in the high byte. */
static void get_string(const uint8_t *page, uint32_t word, uint32_t words, char *buffer,
		       uint32_t buffer_bytes)
{
	char raw[64];

	for (uint32_t i = 0; i < words; i++) {
		raw[2 * i] = (char)page[2 * (word + i) + 1];
		raw[2 * i + 1] = (char)page[2 * (word + i)];
	}
	raw[2 * words] = 0;
	machine_clean_text(raw, buffer, buffer_bytes);
}

/* Words 89 and 90: with bit 15 set bits 14:0 count two minutes each, else bits 7:0 do; 255 = longer than 508
 * minutes. */
static uint32_t erase_minutes(uint16_t word)
{
	return 2u * (word & 0x8000 ? word & 0x7fffu : word & 0xffu);
}

static void parse_security(const uint8_t *page, struct ata_security *security)
{
	const uint16_t status = word_of(page, 128);

	*security = (struct ata_security){
		.supported = word_of(page, 82) & 2 && status & 1,
		.enabled = status & 2,
		.locked = status & 4,
		.frozen = status & 8,
		.expired = status & 16,
		.enhanced = status & 32,
		.erase_minutes = erase_minutes(word_of(page, 89)),
		.enhanced_minutes = erase_minutes(word_of(page, 90)),
	};
}

void ata_parse_identity(const uint8_t page[ATA_PAGE_BYTES], struct ata_identity *ret_identity)
{
	const uint16_t supported = word_of(page, 82), enabled = word_of(page, 85),
		       extended = word_of(page, 84);

	*ret_identity = (struct ata_identity){
		.rotation = word_of(page, 217) == 0xffff ? 0 : word_of(page, 217),
		.trim = word_of(page, 169) & 1,
		.write_cache_known = supported & 1 << 5,
		.write_cache_on = enabled & 1 << 5,
		.has_statistics = (extended & 0xc000) == 0x4000 && extended & 1 << 5,
	};
	parse_security(page, &ret_identity->security);
	get_string(page, 10, 10, ret_identity->serial, sizeof ret_identity->serial);
	get_string(page, 23, 4, ret_identity->firmware, sizeof ret_identity->firmware);
	get_string(page, 27, 20, ret_identity->model, sizeof ret_identity->model);
}

static uint64_t raw_value(const uint8_t *attribute, int bytes)
{
	uint64_t value = 0;

	for (int i = bytes - 1; i >= 0; i--)
		value = value << 8 | attribute[5 + i];
	return value;
}

void ata_parse_smart(const uint8_t page[ATA_PAGE_BYTES], struct drive_health *health)
{
	double airflow_c = NAN;

	for (int i = 0; i < SMART_ATTRIBUTES; i++) {
		const uint8_t *attribute = page + 2 + 12 * i;

		switch (attribute[0]) {
		case 9: /* some count minutes or half hours in the upper bytes: the lower 32 bits are hours */
			health->power_on_hours = raw_value(attribute, 4);
			break;
		case 12:
			health->power_cycles = raw_value(attribute, 6);
			break;
		case 190:
			airflow_c = attribute[5];
			break;
		case 194:
			health->temperature_c = attribute[5];	/* minimum and maximum may follow */
			break;
		}
	}
	if (isnan(health->temperature_c))
		health->temperature_c = airflow_c;
}

/* A statistic at `offset` of its page; DRIVE_UNKNOWN unless supported and valid. */
static uint64_t statistic(const uint8_t *page, uint32_t offset)
{
	uint64_t value = 0;

	for (int i = 7; i >= 0; i--)
		value = value << 8 | page[offset + (uint32_t)i];
	return value >> 62 == STATISTIC_VALID ? value & 0xffffffffffffull : DRIVE_UNKNOWN;
}

static uint64_t sectors(uint64_t count)
{
	return count == DRIVE_UNKNOWN ? DRIVE_UNKNOWN : count * SECTOR_BYTES;
}

static void parse_general(const uint8_t *page, struct drive_health *health)
{
	health->power_cycles = statistic(page, 8);
	health->power_on_hours = statistic(page, 16);
	health->host_write_bytes = sectors(statistic(page, 24));
	health->host_read_bytes = sectors(statistic(page, 40));
}

void ata_parse_statistics(const uint8_t page[ATA_PAGE_BYTES], uint8_t number, struct drive_health *health)
{
	uint64_t value;

	if (page[2] != number)
		return;
	if (number == 1)
		parse_general(page, health);
	else if (number == 4)
		health->media_errors = statistic(page, 8);
	else if (number == 5 && (value = statistic(page, 8)) != DRIVE_UNKNOWN)
		health->temperature_c = (int8_t)value;
	else if (number == 7 && (value = statistic(page, 8)) != DRIVE_UNKNOWN)
		health->used_percent = value & 0xff;
}

void scsi_parse_log(const uint8_t *page, uint32_t bytes, struct drive_health *health)
{
	const uint8_t code = bytes ? page[0] & 0x3f : 0;

	if (bytes < 12)
		return;
	if (code == PAGE_TEMPERATURE && !page[4] && !page[5] && page[9] != 0xff)
		health->temperature_c = page[9];
	else if (code == PAGE_SOLID_STATE && !page[4] && page[5] == 1)
		health->used_percent = page[11];
}

/* -- commands -- */

/* A command that reads; the drive's complaint is -EOPNOTSUPP: it does not know the command. */
static int sg_read(const struct machine *machine, const struct block *disk, uint8_t *command, uint8_t length,
		   void *data, uint32_t bytes)
{
	struct scsi_command to_send = {
		.bytes = command, .length = length, .from_drive = true, .data = data, .data_bytes = bytes,
	};
	const int result = scsi_send(machine, disk, &to_send);

	return result == -EIO ? -EOPNOTSUPP : result;
}

static int ata_read(const struct machine *machine, const struct block *disk, uint8_t command, uint8_t feature,
		    uint32_t address, uint8_t *page)
{
	const bool extended = command == ATA_READ_LOG_EXT;
	uint8_t words[16] = {
		[0] = SCSI_ATA_PASS_THROUGH_16,
		[1] = PIO_IN | (extended ? EXTENDED : 0),
		[2] = FROM_DEVICE_BY_SECTORS,
		[4] = feature,
		[6] = 1 /* sector */,
		[8] = (uint8_t)address,
		[10] = (uint8_t)(address >> 8),
		[12] = (uint8_t)(address >> 16),
		[14] = command,
	};

	return sg_read(machine, disk, words, sizeof words, page, ATA_PAGE_BYTES);
}

int ata_identify(const struct machine *machine, const struct block *disk, struct ata_identity *ret_identity)
{
	uint8_t page[ATA_PAGE_BYTES];
	const int result = ata_read(machine, disk, ATA_IDENTIFY, 0, 0, page);

	if (!result)
		ata_parse_identity(page, ret_identity);
	return result;
}

int ata_read_health(const struct machine *machine, const struct block *disk, struct drive_health *health)
{
	static const uint8_t pages[] = {1, 4, 5, 7};
	uint8_t page[ATA_PAGE_BYTES];
	struct ata_identity identity;
	int result = ata_identify(machine, disk, &identity);

	if (result)
		return result;
	if (!ata_read(machine, disk, ATA_SMART, ATA_SMART_READ_DATA, 0xc24f00, page))
		ata_parse_smart(page, health);
	for (uint32_t i = 0; identity.has_statistics && i < sizeof pages; i++)
		if (!ata_read(machine, disk, ATA_READ_LOG_EXT, 0, LOG_STATISTICS | (uint32_t)pages[i] << 8,
			      page))
			ata_parse_statistics(page, pages[i], health);
	return 0;
}

int scsi_read_health(const struct machine *machine, const struct block *disk, struct drive_health *health)
{
	static const uint8_t pages[] = {PAGE_TEMPERATURE, PAGE_SOLID_STATE};
	uint8_t page[64];
	int result = 0;

	for (uint32_t i = 0; i < sizeof pages; i++) {
		uint8_t command[10] = {[0] = SCSI_LOG_SENSE, [2] = 0x40 | pages[i], [8] = sizeof page};

		result = sg_read(machine, disk, command, sizeof command, page, sizeof page);
		if (!result)
			scsi_parse_log(page, sizeof page, health);
		else if (result != -EOPNOTSUPP)
			return result;
	}
	return result;
}
