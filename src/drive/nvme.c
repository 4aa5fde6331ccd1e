#include "drive/nvme.h"
#include "drive/bytes.h"
#include "drive/nvme_admin.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

enum { OPCODE_IDENTIFY = 0x06, OPCODE_SET_FEATURES = 0x09, OPCODE_GET_FEATURES = 0x0a, OPCODE_FORMAT = 0x80,
       OPCODE_SANITIZE = 0x84 };
enum { IDENTIFY_NAMESPACE = 0, IDENTIFY_CONTROLLER = 1, IDENTIFY_ACTIVE_NAMESPACES = 2,
       IDENTIFY_ALLOCATED_NAMESPACES = 0x10 };
#define TIMEOUT_MS 5000u
#define FORMAT_TIMEOUT_MS 3600000u
#define ERASE_USER_DATA 1u
#define UNRESTRICTED_EXIT (1u << 3)	/* AUSE: a drive whose sanitize failed can be brought back */
#define KELVIN 273

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

/* Power State Descriptor: maximum power in units of 0.01 W, or of 0.0001 W when bit 0 of byte 3 is set; bit 1
 * of it: no I/O in this state. */
static void parse_power_states(const uint8_t *page, struct nvme_identity *identity)
{
	identity->power_state_count = page[263] < DRIVE_POWER_STATES_MAX ? page[263] + 1u : DRIVE_POWER_STATES_MAX;
	for (uint32_t i = 0; i < identity->power_state_count; i++) {
		const uint8_t *at = page + 2048 + 32 * i;

		identity->power_state[i] = (struct drive_power_state){
			.watts = le16(at) ? le16(at) / (at[3] & 1 ? 10000.0 : 100.0) : NAN,
			.operational = !(at[3] & 2),
			.entry_us = le32(at + 4),
			.exit_us = le32(at + 8),
		};
	}
}

void nvme_parse_identity(const uint8_t page[NVME_IDENTIFY_BYTES], struct nvme_identity *ret_identity)
{
	const uint32_t sanitize = le32(page + 328);
	const uint16_t admin = le16(page + 256), optional = le16(page + 520);

	*ret_identity = (struct nvme_identity){
		.vendor = le16(page),
		.error_entries = page[262] + 1u,
		.host_thermal = page[322] & 1,
		.can_manage_namespaces = admin & 8,
		.warning_c = celsius(le16(page + 266)),
		.critical_c = celsius(le16(page + 268)),
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
	parse_power_states(page, ret_identity);
	get_string(page + 4, 20, ret_identity->serial, sizeof ret_identity->serial);
	get_string(page + 24, 40, ret_identity->model, sizeof ret_identity->model);
	get_string(page + 64, 8, ret_identity->firmware, sizeof ret_identity->firmware);
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

int nvme_admin(const struct machine *machine, const struct block *block, struct nvme_admin_cmd *command)
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

int nvme_admin_read(const struct machine *machine, const struct block *block, struct nvme_admin_cmd *command,
		    void *data, uint32_t bytes)
{
	memset(data, 0, bytes);
	command->addr = (uint64_t)(uintptr_t)data;
	command->data_len = bytes;
	return nvme_admin(machine, block, command);
}

int nvme_identify(const struct machine *machine, const struct block *block,
		  struct nvme_identity *ret_identity)
{
	struct nvme_admin_cmd command = {.opcode = OPCODE_IDENTIFY, .cdw10 = IDENTIFY_CONTROLLER};
	uint8_t page[NVME_IDENTIFY_BYTES];
	const int result = nvme_admin_read(machine, block, &command, page, sizeof page);

	if (!result)
		nvme_parse_identity(page, ret_identity);
	return result;
}

static int list_namespaces(const struct machine *machine, const struct block *block, uint32_t which,
			   uint32_t *ids, uint32_t max)
{
	struct nvme_admin_cmd command = {.opcode = OPCODE_IDENTIFY, .cdw10 = which};
	uint8_t page[NVME_IDENTIFY_BYTES];
	uint32_t count = 0;
	const int result = nvme_admin_read(machine, block, &command, page, sizeof page);

	if (result)
		return result;
	for (; count < NVME_IDENTIFY_BYTES / 4 && le32(page + 4 * count); count++)
		if (count < max)
			ids[count] = le32(page + 4 * count);
	return (int)count;
}

int nvme_namespaces(const struct machine *machine, const struct block *block, uint32_t *ids, uint32_t max)
{
	return list_namespaces(machine, block, IDENTIFY_ACTIVE_NAMESPACES, ids, max);
}

int nvme_namespaces_allocated(const struct machine *machine, const struct block *block, uint32_t *ids,
			      uint32_t max)
{
	return list_namespaces(machine, block, IDENTIFY_ALLOCATED_NAMESPACES, ids, max);
}

int nvme_read_format(const struct machine *machine, const struct block *block, uint32_t namespace_id,
		     struct nvme_format *ret_format)
{
	struct nvme_admin_cmd command = {
		.opcode = OPCODE_IDENTIFY, .nsid = namespace_id, .cdw10 = IDENTIFY_NAMESPACE};
	uint8_t page[NVME_IDENTIFY_BYTES];
	const int result = nvme_admin_read(machine, block, &command, page, sizeof page);

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

	return nvme_admin(machine, block, &command);
}

int nvme_sanitize(const struct machine *machine, const struct block *block, enum nvme_sanitize_action action)
{
	struct nvme_admin_cmd command = {.opcode = OPCODE_SANITIZE, .cdw10 = action | UNRESTRICTED_EXIT};

	return nvme_admin(machine, block, &command);
}

int nvme_get_feature(const struct machine *machine, const struct block *block, uint8_t feature,
		     uint32_t *ret_value)
{
	struct nvme_admin_cmd command = {.opcode = OPCODE_GET_FEATURES, .cdw10 = feature};
	const int result = nvme_admin(machine, block, &command);

	if (!result)
		*ret_value = command.result;
	return result;
}

int nvme_set_feature(const struct machine *machine, const struct block *block, uint8_t feature,
		     uint32_t value)
{
	struct nvme_admin_cmd command = {.opcode = OPCODE_SET_FEATURES, .cdw10 = feature, .cdw11 = value};

	return nvme_admin(machine, block, &command);
}
