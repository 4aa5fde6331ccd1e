/* Is a target what it was when the run was made? A block device by its id and serial number; a file by its
 * place in its file system and the time at which it was made: a copy has what can be copied, but neither of
 * these. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include "assay/resume.h"
#include "base/units.h"

json_t *resume_file_json(const struct guard_subject *subject)
{
	if (subject->kind != TARGET_FILE || !subject->exists)
		return json_null();
	return json_pack("{s:I, s:I, s:i, s:i}", "inode", (json_int_t)subject->inode, "birth_ns",
			 (json_int_t)subject->birth_ns, "major", (int)major(subject->dev), "minor",
			 (int)minor(subject->dev));
}

/* Without the time at which it was made an inode's number says little: then the file system has to have the
 * number that it had, which it keeps until the host boots. */
static bool is_same_file(const struct resume *resume, const json_t *was, const struct guard_subject *subject)
{
	const json_int_t birth_ns = json_integer_value(json_object_get(was, "birth_ns"));

	if ((uint64_t)json_integer_value(json_object_get(was, "inode")) != subject->inode)
		return false;
	if (birth_ns && subject->birth_ns)
		return (uint64_t)birth_ns == subject->birth_ns;
	return !resume->same_boot || (json_integer_value(json_object_get(was, "major")) == major(subject->dev) &&
				      json_integer_value(json_object_get(was, "minor")) == minor(subject->dev));
}

/* A file in a directory may be made anew; older run files do not say which file it was. */
static int file_check(const struct resume *resume, uint32_t index, const struct guard_subject *subject,
		      struct fault *fault)
{
	json_t *options = resume->run->options_json ? json_loads(resume->run->options_json, 0, NULL) : NULL;
	const json_t *was = json_array_get(json_object_get(options, "files"), index);
	const bool same_one = !json_is_object(was) || subject->temporary || !subject->exists ||
			      is_same_file(resume, was, subject);

	json_decref(options);
	return same_one ? 0 : fault_system(fault, -EPERM,
					   "%.300s is another file than the one that the run was made on, "
					   "even if a copy of it: name that one, or begin a new run", subject->name);
}

static bool same(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static int differs(struct fault *fault, const struct assay_target *target, const char *what, const char *was,
		   const char *is)
{
	return fault_system(fault, -EPERM,
			    "%.200s is not what the run was made on: its %s was %.100s and is %.100s",
			    target->subject.name, what, was && *was ? was : "(none)", is && *is ? is : "(none)");
}

static int serial_check(const struct drive_record *drive, const struct assay_target *target,
			const struct resume_drive *now, struct fault *fault)
{
	if (!drive->serial || !drive->serial[0] || !now->found || same(drive->serial, now->serial))
		return 0;
	return differs(fault, target, "serial number", drive->serial, now->serial);
}

static int target_check(const struct drive_record *drive, const struct assay_target *target,
			const struct resume_drive *now, struct fault *fault)
{
	const struct guard_subject *subject = &target->subject;
	bool is_sim = subject->kind == TARGET_SIM, is_file = subject->kind == TARGET_FILE;
	uint64_t bytes = is_sim ? target->sim.size_bytes : subject->size_bytes;
	char was[UNITS_TEXT], is[UNITS_TEXT];

	if (!same(drive->kind, target_kind_name(subject->kind)))
		return differs(fault, target, "kind", drive->kind, target_kind_name(subject->kind));
	if (is_file && !subject->exists && !subject->temporary)
		return fault_system(fault, -EPERM, "%.300s, which the run was made on, is not there any more",
				    subject->name);
	if (!same(drive->id, subject->id))
		return differs(fault, target, "ID", drive->id, subject->id);
	if (drive->capacity_bytes != bytes && !subject->temporary) {
		snprintf(was, sizeof(was), "%llu bytes", (unsigned long long)drive->capacity_bytes);
		snprintf(is, sizeof(is), "%llu bytes", (unsigned long long)bytes);
		return differs(fault, target, "size", was, is);
	}
	return subject->kind == TARGET_BLOCK ? serial_check(drive, target, now, fault) : 0;
}

int resume_identity(const struct resume *resume, const struct assay_target *targets, uint32_t count,
		    struct fault *fault)
{
	int error = 0;

	if (!resume->drive_count && !resume->step_count)
		return 0;
	if (count != resume->drive_count)
		return fault_system(fault, -EPERM, "the run was made on %u targets and not on %u",
				    resume->drive_count, count);
	for (uint32_t i = 0; i < count && !error; i++)
		error = target_check(&resume->drives[i], &targets[i], &resume->now[i], fault);
	for (uint32_t i = 0; i < count && !error; i++)
		if (targets[i].subject.kind == TARGET_FILE)
			error = file_check(resume, i, &targets[i].subject, fault);
	return error;
}
