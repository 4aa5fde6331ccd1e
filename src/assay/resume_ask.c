/* What the drives of a run that goes on say now, asked where a drive that hangs holds up nobody. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "assay/look.h"
#include "assay/resume.h"
#include "base/units.h"
#include "drive/drive.h"
#include "drive/drive_counters.h"

static void block_ask(const struct guard_subject *subject, struct resume_drive *drive)
{
	struct drive_facts facts;
	struct drive_health health;
	struct drive_counters counters;

	if (!drive_find_dev(NULL, subject->dev, &facts, NULL)) {
		drive->found = true;
		snprintf(drive->serial, sizeof(drive->serial), "%s", facts.serial);
		drive_facts_release(&facts);
	}
	if (!drive_health(NULL, subject->dev, &health))
		drive->host_write_bytes = health.host_write_bytes;
	if (!drive_counters(NULL, subject->dev, &counters))
		drive->block_write_bytes = counters.write_bytes;
}

static void file_ask(const struct guard_subject *subject, struct resume_drive *drive)
{
	struct stat status;

	drive->found = !stat(subject->path, &status);
	if (drive->found)
		drive->changed_s = (double)status.st_mtim.tv_sec + (double)status.st_mtim.tv_nsec / 1e9;
}

static void drive_ask(void *context, struct text *answer)
{
	const struct guard_subject *subject = context;
	struct resume_drive drive = {
		.host_write_bytes = DRIVE_UNKNOWN, .block_write_bytes = DRIVE_UNKNOWN, .changed_s = NAN,
	};

	if (subject->kind == TARGET_BLOCK || subject->kind == TARGET_NVME_GENERIC)
		block_ask(subject, &drive);
	if (subject->kind == TARGET_FILE)
		file_ask(subject, &drive);
	text_append_bytes(answer, &drive, sizeof(drive));
}

static int drive_take(const struct assay_target *target, const volatile sig_atomic_t *interrupted,
		      struct resume_drive *ret_drive, struct fault *fault)
{
	struct guard_subject subject = target->subject;
	struct text answer = { 0 };
	char waited[UNITS_TEXT];
	int error = look(drive_ask, &subject, LOOK_ANSWER_NS, interrupted, &answer);

	if (!error && answer.bytes == sizeof(*ret_drive))
		memcpy(ret_drive, answer.data, sizeof(*ret_drive));
	text_release(&answer);
	if (error == -ETIMEDOUT)
		return fault_system(fault, error, "%.300s has not answered for %s: does it hang? The run file is as it was",
				    subject.name, duration_format(LOOK_ANSWER_NS, waited));
	return error ? fault_system(fault, error, "%.300s cannot be asked whether it is as the run left it: %s",
				    subject.name, strerror(-error)) : 0;
}

int resume_ask(struct resume *resume, const struct assay_target *targets, uint32_t count,
	       const volatile sig_atomic_t *interrupted, struct fault *fault)
{
	int error = 0;

	resume->now = calloc(count, sizeof(*resume->now));
	if (!resume->now)
		return fault_system(fault, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < count && !error; i++)
		if (targets[i].subject.kind != TARGET_SIM)
			error = drive_take(&targets[i], interrupted, &resume->now[i], fault);
	return error;
}
