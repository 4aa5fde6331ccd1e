#include "drive/nvme.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

enum { OPCODE_GET_LOG = 0x02, OPCODE_IDENTIFY = 0x06, OPCODE_SET_FEATURES = 0x09, OPCODE_GET_FEATURES = 0x0a,
       OPCODE_FORMAT = 0x80 };
enum { IDENTIFY_NAMESPACE = 0, IDENTIFY_CONTROLLER = 1, IDENTIFY_ACTIVE_NAMESPACES = 2 };
enum { LOG_SMART = 0x02, LOG_OCP = 0xc0 };
#define ALL_NAMESPACES 0xffffffffu
#define TIMEOUT_MS 5000u
#define FORMAT_TIMEOUT_MS 3600000u
#define ERASE_USER_DATA 1u
#define DATA_UNIT_BYTES 512000ull	/* 1000 x 512 */
#define KELVIN 273

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static uint32_t get32(const uint8_t *at)
{
	return get16(at) | (uint32_t)get16(at + 2) << 16;
}

static uint64_t get64(const uint8_t *at)
{
	return get32(at) | (uint64_t)get32(at + 4) << 32;
}

/* 128-bit counters; what exceeds 64 bits is not believable. */
static uint64_t get128(const uint8_t *at)
{
	return get64(at + 8) ? DRIVE_UNKNOWN : get64(at);
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

static void get_string(const uint8_t *at, uint32_t length, char *buffer, uint32_t buffer_bytes)
{
	char raw[64];

	memcpy(raw, at, length);
	raw[length] = 0;
	machine_clean_text(raw, buffer, buffer_bytes);
}

void nvme_parse_identity(const uint8_t page[NVME_IDENTIFY_BYTES], struct nvme_identity *ret_identity)
{
	const uint32_t sanitize = get32(page + 328);
	const uint16_t admin = get16(page + 256), optional = get16(page + 520);

	*ret_identity = (struct nvme_identity){
		.warning_c = celsius(get16(page + 266)),
		.critical_c = celsius(get16(page + 268)),
		.volatile_write_cache = page[525] & 1,
		.format_all = page[524] & 1,
		.erase_all = page[524] & 2,
		.can_format = admin & 2,
		.can_trim = optional & 4,
		.can_write_zeroes = optional & 8,
		.can_sanitize_crypto = sanitize & 1,
		.can_sanitize_block = sanitize & 2,
		.can_sanitize_overwrite = sanitize & 4,
	};
	get_string(page + 4, 20, ret_identity->serial, sizeof ret_identity->serial);
	get_string(page + 24, 40, ret_identity->model, sizeof ret_identity->model);
	get_string(page + 64, 8, ret_identity->firmware, sizeof ret_identity->firmware);
}

void nvme_parse_smart(const uint8_t page[NVME_SMART_BYTES], struct drive_health *health)
{
	health->critical_warning = page[0];
	health->temperature_c = celsius(get16(page + 1));
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
	health->warning_minutes = get32(page + 192);
	health->critical_minutes = get32(page + 196);
	for (int i = 0; i < 8; i++)
		health->sensor_c[i] = celsius(get16(page + 200 + 2 * i));
	health->throttle1_count = get32(page + 216);
	health->throttle2_count = get32(page + 220);
	health->throttle1_seconds = get32(page + 224);
	health->throttle2_seconds = get32(page + 228);
}

bool nvme_parse_ocp(const uint8_t page[NVME_OCP_BYTES], uint64_t *ret_nand_write_bytes)
{
	static const uint8_t guid[16] = {0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
					 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf};

	if (memcmp(page + 496, guid, sizeof guid))
		return false;
	*ret_nand_write_bytes = get128(page);
	return true;
}

int nvme_controller(const struct machine *machine, const char *disk, char controller[64])
{
	struct lines paths = {0};
	int result = machine_read_link(machine, controller, 64, "/sys/class/block/%s/device", disk);

	if (result || strncmp(controller, "nvme-subsys", 11))
		return result;
	result = block_paths(machine, disk, &paths);
	if (!result && !paths.count)
		result = -ENOENT;
	if (!result)
		result = machine_read_link(machine, controller, 64, "/sys/class/block/%s/device",
					   paths.line[0]);
	lines_release(&paths);
	return result;
}

/* One admin command, sent through the namespace's block device node. */
static int admin(const struct machine *machine, const struct block *block, struct nvme_admin_cmd *command)
{
	const struct drive_io *io = machine_or_real(machine)->io;
	char path[80];
	int fd, result;

	if (!io)
		return -EOPNOTSUPP;
	block_path(block, path);
	fd = io->open(io->context, path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return fd;
	if (!command->timeout_ms)
		command->timeout_ms = TIMEOUT_MS;
	result = io->command(io->context, fd, NVME_IOCTL_ADMIN_CMD, command);
	io->close(io->context, fd);
	return result > 0 ? -EIO : result;
}

static int admin_read(const struct machine *machine, const struct block *block,
		      struct nvme_admin_cmd *command, void *data, uint32_t bytes)
{
	memset(data, 0, bytes);
	command->addr = (uint64_t)(uintptr_t)data;
	command->data_len = bytes;
	return admin(machine, block, command);
}

static int read_log(const struct machine *machine, const struct block *block, uint8_t log, void *page,
		    uint32_t bytes)
{
	struct nvme_admin_cmd command = {
		.opcode = OPCODE_GET_LOG, .nsid = ALL_NAMESPACES, .cdw10 = log | (bytes / 4 - 1) << 16,
	};

	return admin_read(machine, block, &command, page, bytes);
}

int nvme_identify(const struct machine *machine, const struct block *block,
		  struct nvme_identity *ret_identity)
{
	struct nvme_admin_cmd command = {.opcode = OPCODE_IDENTIFY, .cdw10 = IDENTIFY_CONTROLLER};
	uint8_t page[NVME_IDENTIFY_BYTES];
	const int result = admin_read(machine, block, &command, page, sizeof page);

	if (!result)
		nvme_parse_identity(page, ret_identity);
	return result;
}

int nvme_read_smart(const struct machine *machine, const struct block *block, struct drive_health *health)
{
	uint8_t page[NVME_SMART_BYTES];
	const int result = read_log(machine, block, LOG_SMART, page, sizeof page);

	if (result)
		return result;
	nvme_parse_smart(page, health);
	if (!read_log(machine, block, LOG_OCP, page, NVME_OCP_BYTES))
		nvme_parse_ocp(page, &health->nand_write_bytes);
	return 0;
}

int nvme_namespaces(const struct machine *machine, const struct block *block, uint32_t *ids, uint32_t max)
{
	struct nvme_admin_cmd command = {.opcode = OPCODE_IDENTIFY, .cdw10 = IDENTIFY_ACTIVE_NAMESPACES};
	uint8_t page[NVME_IDENTIFY_BYTES];
	uint32_t count = 0;
	const int result = admin_read(machine, block, &command, page, sizeof page);

	if (result)
		return result;
	for (; count < NVME_IDENTIFY_BYTES / 4 && get32(page + 4 * count); count++)
		if (count < max)
			ids[count] = get32(page + 4 * count);
	return (int)count;
}

int nvme_read_format(const struct machine *machine, const struct block *block, uint32_t namespace_id,
		     struct nvme_format *ret_format)
{
	struct nvme_admin_cmd command = {
		.opcode = OPCODE_IDENTIFY, .nsid = namespace_id, .cdw10 = IDENTIFY_NAMESPACE};
	uint8_t page[NVME_IDENTIFY_BYTES];
	const int result = admin_read(machine, block, &command, page, sizeof page);

	if (!result)
		*ret_format = (struct nvme_format){.lba_format = page[26], .protection = page[29]};
	return result;
}

/* FLBAS: format 3:0, metadata setting 4, upper format bits 6:5. DPS: type 2:0, position 3. */
int nvme_format(const struct machine *machine, const struct block *block, uint32_t namespace_id,
		const struct nvme_format *format)
{
	struct nvme_admin_cmd command = {
		.opcode = OPCODE_FORMAT,
		.nsid = namespace_id,
		.timeout_ms = FORMAT_TIMEOUT_MS,
		.cdw10 = (format->lba_format & 0x1fu) | (format->protection & 7u) << 5 |
			 (format->protection >> 3 & 1u) << 8 | ERASE_USER_DATA << 9 |
			 (format->lba_format >> 5 & 3u) << 12,
	};

	return admin(machine, block, &command);
}

int nvme_get_feature(const struct machine *machine, const struct block *block, uint8_t feature,
		     uint32_t *ret_value)
{
	struct nvme_admin_cmd command = {.opcode = OPCODE_GET_FEATURES, .cdw10 = feature};
	const int result = admin(machine, block, &command);

	if (!result)
		*ret_value = command.result;
	return result;
}

int nvme_set_feature(const struct machine *machine, const struct block *block, uint8_t feature,
		     uint32_t value)
{
	struct nvme_admin_cmd command = {.opcode = OPCODE_SET_FEATURES, .cdw10 = feature, .cdw11 = value};

	return admin(machine, block, &command);
}
