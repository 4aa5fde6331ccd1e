/* ata_erase: a SATA drive's own erasure of everything on it (ACS-4, Security feature set, 7.43 to 7.48).
 *
 * The drive wants a password first, which is taken away again in every outcome that this program lives to
 * see; it is always ATA_ERASE_PASSWORD, so that a drive left with it (power cut, SIGKILL) can be freed by
 * hand: "hdparm --user-master u --security-disable ssdassay DEVICE". */
#pragma once
#include "base/fault.h"
#include "drive/scsi.h"

#define ATA_ERASE_PASSWORD "ssdassay"

/* May the erase begin? 0; -EOPNOTSUPP (no security feature set); -EPERM (frozen, locked, has a password
 * already, too many wrong passwords), with cause and cure in fault. */
int ata_erase_possible(const char *name, const struct ata_security *security, struct fault *fault);
/* Whether the enhanced erase will be taken: where there is one. */
bool ata_erase_enhanced(const struct ata_security *security);
/* The drive's own estimate in seconds; 0 = it does not say. */
uint32_t ata_erase_seconds(const struct ata_security *security);
/* Erases; hours on large disks, and it cannot be stopped. `name` is for the sentences. 0 or -errno with
 * fault; then *ret_password says whether the password is still set. */
int ata_erase(const struct machine *machine, const struct block *disk, const char *name, bool *ret_password,
	      struct fault *fault);
