#include "drive/ata_erase.h"
#include "drive/scsi_command.h"
#include <errno.h>
#include <string.h>

enum { SET_PASSWORD = 0xf1, UNLOCK = 0xf2, ERASE_PREPARE = 0xf3, ERASE_UNIT = 0xf4, DISABLE_PASSWORD = 0xf6 };
enum { SCSI_ATA_PASS_THROUGH_16 = 0x85 };
enum { NO_DATA = 3 << 1, PIO_OUT = 5 << 1 };	/* ATA PASS-THROUGH protocol field (SAT-4, 12.2.2) */
#define TO_DEVICE_BY_SECTORS 0x06		/* direction out, length in the sector count, in blocks */
#define ENHANCED 2				/* bit 1 of ERASE UNIT's first word */
#define PASSWORD_BYTES 32
#define SHORT_TIMEOUT_MS 15000u
#define ERASE_TIMEOUT_MIN_MS (2u * 3600 * 1000)
#define ERASE_TIMEOUT_UNKNOWN_MS (24u * 3600 * 1000)

static int security_command(const struct machine *machine, const struct block *disk, uint8_t command,
			    uint8_t *data, uint32_t timeout_ms)
{
	uint8_t words[16] = {
		[0] = SCSI_ATA_PASS_THROUGH_16,
		[1] = data ? PIO_OUT : NO_DATA,
		[2] = data ? TO_DEVICE_BY_SECTORS : 0,
		[6] = data ? 1 : 0 /* sector */,
		[14] = command,
	};
	struct scsi_command send = {
		.bytes = words, .length = sizeof words, .data = data, .data_bytes = data ? ATA_PAGE_BYTES : 0,
		.timeout_ms = timeout_ms,
	};

	return scsi_send(machine, disk, &send);
}

/* The user password, in words 1 to 16; `first` is the low byte of word 0. */
static int password_command(const struct machine *machine, const struct block *disk, uint8_t command,
			    uint8_t first, uint32_t timeout_ms)
{
	uint8_t data[ATA_PAGE_BYTES] = {first};

	memcpy(data + 2, ATA_ERASE_PASSWORD, strlen(ATA_ERASE_PASSWORD));
	return security_command(machine, disk, command, data, timeout_ms);
}

int ata_erase_possible(const char *name, const struct ata_security *security, struct fault *fault)
{
	if (!security->supported)
		return fault_system(fault, -EOPNOTSUPP,
				    "%s has no ATA security feature set, so it cannot be purged by "
				    "method=secure_erase",
				    name);
	if (security->frozen)
		return fault_system(
			fault, -EPERM,
			"the security settings of %s are frozen (most firmware does that at boot): "
			"suspend the machine and wake it up, or unplug the drive's power for a moment",
			name);
	if (security->locked)
		return fault_system(fault, -EPERM,
				    "%s is locked by a password: it has to be unlocked first (hdparm "
				    "--security-unlock)",
				    name);
	if (security->enabled)
		return fault_system(fault, -EPERM,
				    "%s has a password already: it has to be taken away first (hdparm "
				    "--security-disable)",
				    name);
	if (security->expired)
		return fault_system(fault, -EPERM,
				    "%s has seen too many wrong passwords: unplug its power for a moment",
				    name);
	return 0;
}

bool ata_erase_enhanced(const struct ata_security *security)
{
	return security->enhanced;
}

uint32_t ata_erase_seconds(const struct ata_security *security)
{
	return 60 * (security->enhanced ? security->enhanced_minutes : security->erase_minutes);
}

static uint32_t erase_timeout_ms(const struct ata_security *security)
{
	const uint32_t estimate_ms = 2000 * ata_erase_seconds(security);

	if (!estimate_ms)
		return ERASE_TIMEOUT_UNKNOWN_MS;
	return estimate_ms > ERASE_TIMEOUT_MIN_MS ? estimate_ms : ERASE_TIMEOUT_MIN_MS;
}

static bool has_password(const struct machine *machine, const struct block *disk)
{
	struct ata_identity identity;

	return ata_identify(machine, disk, &identity) || identity.security.enabled;
}

/* After an erase the password is gone with the data; after one that failed it is not. */
static bool password_remains(const struct machine *machine, const struct block *disk)
{
	if (!has_password(machine, disk))
		return false;
	password_command(machine, disk, UNLOCK, 0, SHORT_TIMEOUT_MS);
	password_command(machine, disk, DISABLE_PASSWORD, 0, SHORT_TIMEOUT_MS);
	return has_password(machine, disk);
}

static int erase_with_password(const struct machine *machine, const struct block *disk,
			       const struct ata_security *security)
{
	const int result = security_command(machine, disk, ERASE_PREPARE, NULL, SHORT_TIMEOUT_MS);

	return result ? result : password_command(machine, disk, ERASE_UNIT, security->enhanced ? ENHANCED : 0,
						  erase_timeout_ms(security));
}

int ata_erase(const struct machine *machine, const struct block *disk, const char *name, bool *ret_password,
	      struct fault *fault)
{
	struct ata_identity identity;
	int result = ata_identify(machine, disk, &identity);

	*ret_password = false;
	if (result)
		return fault_system(fault, result, "%s cannot be asked whether it can erase itself: %s", name,
				    strerror(-result));
	result = ata_erase_possible(name, &identity.security, fault);
	if (result)
		return result;
	result = password_command(machine, disk, SET_PASSWORD, 0, SHORT_TIMEOUT_MS);
	if (result)
		return fault_system(
			fault, result,
			"%s does not take the password that an erase needs (%s): it is not erased", name,
			strerror(-result));
	result = erase_with_password(machine, disk, &identity.security);
	*ret_password = password_remains(machine, disk);
	if (*ret_password)
		return fault_system(fault, result ? result : -EIO,
				    "%s: the erase failed and the password is still set: "
				    "hdparm --user-master u --security-disable %s %s", name, ATA_ERASE_PASSWORD, name);
	return result ? fault_system(fault, result,
				     "%s: the erase failed (%s); the password is cleared again", name,
				     strerror(-result)) : 0;
}
