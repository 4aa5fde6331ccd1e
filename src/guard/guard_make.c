#include "guard/subject.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Looks at the file that was made, by its own name; what belongs to its making is carried over. */
static int examine_made(struct guard_subject *subject, struct fault *fault)
{
	const struct guard_permission permission = {
		.destroy = subject->permission.destroy, .destroy_count = subject->permission.destroy_count,
		.wipe_signatures = subject->permission.wipe_signatures,
		.overwrite = subject->permission.overwrite || subject->made,
		.allow_unwritten = subject->permission.allow_unwritten,
		.resumes = subject->permission.resumes,
	};
	const bool temporary = subject->temporary, made = subject->made;
	char path[PATH_MAX];
	struct guard_subject now;
	int result;

	strcpy(path, subject->path);
	result = guard_examine(path, &subject->wish, &permission, &now, fault);
	if (result) {
		guard_subject_release(&now);
		return result;
	}
	guard_subject_release(subject);
	*subject = now;
	subject->temporary = temporary;
	subject->made = made;
	return 0;
}

uint64_t guard_bytes(const struct guard_subject *subject)
{
	const bool grows = subject->kind == TARGET_FILE && subject->writes;

	return grows && subject->wish.file_bytes > subject->size_bytes ? subject->wish.file_bytes
								       : subject->size_bytes;
}

int guard_make_file(struct guard_subject *subject, struct fault *fault)
{
	struct target target;
	int result;

	if (subject->kind != TARGET_FILE || (subject->exists && (!subject->writes ||
	    subject->size_bytes >= subject->wish.file_bytes)))
		return 0;
	result = guard_open(subject, false, &target, fault);
	if (result)
		return result;
	close(target.fd);
	subject->open = false;
	return examine_made(subject, fault);
}

void guard_remove_temporary(struct guard_subject *subject)
{
	struct stat there;

	if (subject->kind != TARGET_FILE || !subject->temporary || !subject->made ||
	    lstat(subject->path, &there))
		return;
	if (there.st_dev == subject->dev && there.st_ino == subject->inode)
		unlink(subject->path);
	subject->made = false;
}
