#include "drive/scsi_command.h"
#include "drive/bytes.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <scsi/sg.h>
#include <string.h>

#define TIMEOUT_MS 5000u
#define HOST_TIMED_OUT 3		/* DID_TIME_OUT */
#define PROGRESS_WHOLE 65536.0

/* SPC-5, 4.4: descriptor format (72h, 73h) and fixed format (70h, 71h). The sense-key specific bytes carry
 * progress when their first bit is set. */
static void sense_read(const uint8_t sense[SCSI_SENSE_BYTES], struct scsi_command *command)
{
	const uint8_t format = sense[0] & 0x7f;
	const uint8_t *specific = NULL;

	if (format == 0x72 || format == 0x73) {
		command->key = sense[1] & 0xf;
		command->code = sense[2];
		command->qualifier = sense[3];
		for (uint32_t at = 8; at + 8 <= SCSI_SENSE_BYTES && at < 8u + sense[7]; at += 2u + sense[at + 1])
			if (sense[at] == 2)
				specific = sense + at + 4;
	} else if (format == 0x70 || format == 0x71) {
		command->key = sense[2] & 0xf;
		command->code = sense[12];
		command->qualifier = sense[13];
		specific = sense + 15;
	}
	if (specific && specific[0] & 0x80)
		command->progress = be16(specific + 1) / PROGRESS_WHOLE;
}

static int send_to(const struct drive_io *io, int fd, struct scsi_command *command)
{
	uint8_t sense[SCSI_SENSE_BYTES] = {0};
	sg_io_hdr_t header = {
		.interface_id = 'S',
		.dxfer_direction = !command->data ? SG_DXFER_NONE
				   : command->from_drive ? SG_DXFER_FROM_DEV : SG_DXFER_TO_DEV,
		.cmd_len = command->length,
		.cmdp = command->bytes,
		.mx_sb_len = sizeof sense,
		.sbp = sense,
		.dxfer_len = command->data ? command->data_bytes : 0,
		.dxferp = command->data,
		.timeout = command->timeout_ms ? command->timeout_ms : TIMEOUT_MS,
	};
	const int result = io->command(io->context, fd, SG_IO, &header);

	if (result < 0)
		return result;
	if (header.host_status == HOST_TIMED_OUT)
		return -ETIMEDOUT;
	sense_read(sense, command);
	return header.status || header.host_status || header.driver_status & 0xf ? -EIO : 0;
}

int scsi_send(const struct machine *machine, const struct block *disk, struct scsi_command *command)
{
	const struct drive_io *io = machine_or_real(machine)->io;
	char path[80];
	int fd, result;

	command->key = command->code = command->qualifier = 0;
	command->progress = NAN;
	if (!io)
		return -EOPNOTSUPP;
	block_path(disk, path);
	fd = io->open(io->context, path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return fd;
	if (command->data && command->from_drive)
		memset(command->data, 0, command->data_bytes);
	result = send_to(io, fd, command);
	io->close(io->context, fd);
	return result;
}
