#include "drive/scsi_sanitize.h"
#include "drive/scsi_command.h"
#include <errno.h>

enum { TEST_UNIT_READY = 0x00, SANITIZE = 0x48, MAINTENANCE_IN = 0xa3 };
enum { REPORT_SUPPORTED_OPERATION_CODES = 0x0c };
#define ONE_SERVICE_ACTION 2	/* reporting options: opcode and service action */
#define SUPPORTED 3		/* as the standard says */
#define AT_ONCE 0x80		/* return before it is done */
#define UNRESTRICTED_EXIT 0x20	/* a unit whose sanitize failed can be brought back */

static bool has_action(const struct machine *machine, const struct block *disk,
		       enum scsi_sanitize_action action, int *ret_error)
{
	uint8_t words[12] = {
		[0] = MAINTENANCE_IN,	  [1] = REPORT_SUPPORTED_OPERATION_CODES,
		[2] = ONE_SERVICE_ACTION, [3] = SANITIZE,
		[5] = (uint8_t)action,	  [9] = 64,
	};
	uint8_t page[64];
	struct scsi_command command = {
		.bytes = words,
		.length = sizeof words,
		.from_drive = true,
		.data = page,
		.data_bytes = sizeof page,
	};

	*ret_error = scsi_send(machine, disk, &command);
	return !*ret_error && (page[1] & 7) == SUPPORTED;
}

int scsi_sanitize_find(const struct machine *machine, const struct block *disk,
		       enum scsi_sanitize_action *ret_action)
{
	static const enum scsi_sanitize_action actions[] = {SCSI_SANITIZE_BLOCK, SCSI_SANITIZE_CRYPTO};
	int error = 0;

	for (uint32_t i = 0; i < 2; i++)
		if (has_action(machine, disk, actions[i], &error)) {
			*ret_action = actions[i];
			return 0;
		} else if (error && error != -EIO) {
			return error;
		}
	return -EOPNOTSUPP;
}

int scsi_sanitize(const struct machine *machine, const struct block *disk, enum scsi_sanitize_action action)
{
	uint8_t words[10] = {[0] = SANITIZE, [1] = (uint8_t)(AT_ONCE | UNRESTRICTED_EXIT | action)};
	struct scsi_command command = {.bytes = words, .length = sizeof words, .timeout_ms = 60000};

	return scsi_send(machine, disk, &command);
}

/* "Not ready, sanitize in progress" (04h/1Bh); a failed one is "medium error, sanitize command failed"
 * (31h/03h). */
int scsi_sanitize_progress(const struct machine *machine, const struct block *disk, double *ret_share)
{
	uint8_t words[6] = {TEST_UNIT_READY};
	struct scsi_command command = {.bytes = words, .length = sizeof words};
	int result = 0;

	for (int tries = 0; tries < 3; tries++) {	/* unit attentions come first */
		result = scsi_send(machine, disk, &command);
		if (result != -EIO || command.key != 6)
			break;
	}
	if (result != -EIO)
		return result;
	if (command.key == SENSE_NOT_READY && command.code == 0x04 && command.qualifier == 0x1b) {
		*ret_share = command.progress;
		return 1;
	}
	return -EIO;
}
