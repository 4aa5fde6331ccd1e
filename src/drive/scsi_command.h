/* scsi_command: one SCSI command to a block device, through SG_IO (machine->io); what scsi.c, ata_erase.c and
 * scsi_sanitize.c are made of. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "drive/block.h"

#define SCSI_SENSE_BYTES 64u

struct scsi_command {
	uint8_t *bytes;			/* the CDB; borrowed */
	uint8_t length;
	bool from_drive;		/* direction of data; false: to the drive */
	void *data;			/* borrowed; zeroed first when it is read. NULL = none */
	uint32_t data_bytes;
	uint32_t timeout_ms;		/* 0 = 5 s */
	/* out: what the drive complained with (fixed or descriptor format sense data) */
	uint8_t key, code, qualifier;
	/* 0..1 of the operation that the complaint is about; NAN = it says nothing */
	double progress;
};

enum { SENSE_NOT_READY = 2, SENSE_ILLEGAL_REQUEST = 5 };

/* 0; -EOPNOTSUPP without io; -ETIMEDOUT; -EIO: the drive complained, command says with what; -errno of open
 * or ioctl. */
int scsi_send(const struct machine *machine, const struct block *disk, struct scsi_command *command);
