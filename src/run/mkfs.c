#include "run/mkfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "run/fs.h"

static struct run_target file_target(const struct keeper *keeper)
{
	struct run_target file = { .subject = keeper->file, .inside = keeper->child.pid };

	coverage_purged(&file.coverage);
	return file;
}

static int made_tell(struct conductor *conductor, const struct step_record *record,
		     const struct keeper *keeper)
{
	char json[256];

	snprintf(json, sizeof(json),
		 "{\"target\":%u,\"fs\":\"%s\",\"mounted_as\":\"%s\",\"directory\":\"%s\",\"file_bytes\":"
		 "%" PRIu64 "}",
		 conductor->target, keeper->fs.name, keeper->fs.type, keeper->fs.directory,
		 keeper->file_bytes);
	return conductor_event(
		conductor, record->id, "file_system", json,
		"%s on %s, mounted at %s (as %s) for the processes of this run only. If it is killed: the "
		"mount goes with process %d; what may stay is removed by --resume, or by: wipefs -a %s",
		keeper->fs.name, keeper->fs.device, keeper->fs.directory, keeper->fs.type,
		(int)keeper->child.pid, keeper->fs.device);
}

/* What this system cannot make is told and left out, with everything that is on it. */
static int skip(struct conductor *conductor, struct step_record *record, const char *name,
		const struct fault *fault)
{
	conductor->fs.state = FS_SKIPPED;
	record->note = "skipped";
	record->status_text = "skipped: this system cannot make it";
	return conductor_event(conductor, record->id, "skipped", NULL,
			       "%s: fs=%s skipped, and all that is on it: %s", record->name, name,
			       fault->text);
}

static int make(struct conductor *conductor, struct step_record *record, const char *name,
		struct fault *fault)
{
	struct run_target *drive = conductor_drive(conductor);
	struct fs *fs = &conductor->fs;
	int error = guard_fs_check(&drive->subject, name, fault);

	if (!error)
		error = keeper_new(&drive->subject, name, fs->bytes, conductor->config->interrupted,
				   &fs->keeper, fault);
	if (error == -EOPNOTSUPP)
		return skip(conductor, record, name, fault);
	if (error) {
		record->status = error == -EINTR ? RUN_INTERRUPTED : RUN_FAILED;
		record->status_text = fault->text;
		conductor_end(conductor,
			      error == -EINTR	? RUN_INTERRUPTED
			      : error == -EPERM ? RUN_REFUSED
						: RUN_FAILED,
			      "step '%s': %.400s", record->name, fault->text);
		return 0;
	}
	fs->state = FS_MOUNTED;
	fs->file = file_target(fs->keeper);
	coverage_purged(&drive->coverage);	 /* what was on the drive is not to be read any more */
	drive->subject.examined_content = false; /* the guard sees to it that the file system is gone */
	return made_tell(conductor, record, fs->keeper);
}

int mkfs_run(struct conductor *conductor, struct point *point, struct step_record *record)
{
	const struct run_observer *observer = conductor->config->observer;
	const char *name = point->instance->fs;
	struct fault fault = { 0 };
	uint64_t bytes;
	int error = fs_leave(conductor);

	conductor->settled.valid = false;
	if (error || conductor->ended)
		return error;
	if (fs_bytes(point->instance, conductor_drive(conductor), &bytes, &fault)) {
		conductor_end(conductor, RUN_FAILED, "step '%s': %.400s", record->name, fault.text);
		return 0;
	}
	record->started_ns = conductor_now_ns(conductor);
	error = observer->step_begin(observer->context, record);
	if (error)
		return error;
	conductor->fs = (struct fs){ .state = FS_RAW, .step = point->step->index, .bytes = bytes };
	record->status = RUN_COMPLETE;
	record->status_text = "done";
	record->note = point->instance->fs;
	if (strcmp(name, "raw"))
		error = make(conductor, record, name, &fault);
	if (error)
		return error;
	record->duration_ns = conductor_now_ns(conductor) - record->started_ns;
	return observer->step_end(observer->context, record);
}
