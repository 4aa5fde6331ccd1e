/* scsi_sanitize: a SAS drive's own erasure of its logical unit (SBC-4, 5.35 SANITIZE; SPC-5, REPORT SUPPORTED
 * OPERATION CODES). Errors as scsi_send; -EOPNOTSUPP: the drive does not have the command. */
#pragma once
#include "drive/block.h"

enum scsi_sanitize_action { SCSI_SANITIZE_BLOCK = 2, SCSI_SANITIZE_CRYPTO = 3 };
/* The one that the drive has, block erase before crypto erase. */
int scsi_sanitize_find(const struct machine *machine, const struct block *disk,
		       enum scsi_sanitize_action *ret_action);
/* Begins it and returns at once. */
int scsi_sanitize(const struct machine *machine, const struct block *disk, enum scsi_sanitize_action action);
/* 1 = it runs, and *ret_share is set (NAN = the drive does not say how far it is); 0 = it is done; -EIO = it
 * failed. */
int scsi_sanitize_progress(const struct machine *machine, const struct block *disk, double *ret_share);
