/* smartctl: what smartmontools' program tells of a drive that does not answer us itself: SATA and SCSI drives
 * behind USB bridges and RAID controllers, and SATA drives whose counters are vendor attributes.
 *
 * Run without a shell, with a clean environment and a time limit: "smartctl --json=c -a DEVICE". Its document
 * is that of smartctl(8) 7.0 and later ("json_format_version": [1, 0]); it is hostile input like everything a
 * drive says. */
#pragma once
#include <stdbool.h>
#include "base/text.h"
#include "drive/drive.h"

struct smartctl {
	char model[128], serial[128], firmware[32];	/* "" = not told */
	struct drive_health health;	/* unknown where it says nothing */
	int passed;			/* overall verdict: 1, 0, -1 = none */
	char message[160];		/* its first complaint; "" */
};

/* Runs it: its output, whatever its exit code (its bits are about the drive). -ENOENT: not installed;
 * -ETIMEDOUT; -EFBIG; another -errno of starting it. */
int smartctl_spawn(const char *device, struct text *out);
/* Reads its document. Counts in units that the attribute's name does not tell are left out: guessing them
 * would be wrong by a factor of thousands. 0, or -EBADMSG: no such document, or it says nothing of a drive
 * (message may say why). */
int smartctl_parse(const char *json, struct smartctl *ret_smartctl);
/* Both, through machine->io; -EOPNOTSUPP without io, -ENOENT where it has no smartctl. */
int smartctl_read(const struct machine *machine, const char *device, struct smartctl *ret_smartctl);

/* Fills the fields that are unknown in `health` with those that smartctl told. */
void smartctl_complete(const struct smartctl *smartctl, struct drive_health *health);
