/* drive_id: the word that --destroy must name: what a person can only know by looking at this very drive.
 *
 *   NVMe                        SERIAL:NAMESPACE            S5GXNX0T:1
 *   other drives with a WWID    the WWID                    naa.5002538e40a1b2c3
 *   virtio with a serial        the serial
 *   md, dm                      its UUID
 *   loop                        loop:BACKINGFILE
 *   what has none of these      INTERFACE:MAJOR:MINOR:BYTES zram:253:1:4294967296
 * A partition adds ":pN". An id that a second drive of the machine has too identifies nothing and falls to
 * the last form. Blanks inside become '_'. */
#pragma once
#include <stdbool.h>
#include "drive/block.h"
#include "drive/drive.h"

/* Other disks (kernel names) that say the same of themselves as `disk`: clones, or one drive on two paths. */
int drive_id_sharers(const struct machine *machine, const char *disk, struct lines *disks);
/* `ret_ambiguous` may be NULL. 0 or -errno. */
int drive_id(const struct machine *machine, const struct block *block, char id[DRIVE_ID_BYTES],
	     bool *ret_ambiguous);
