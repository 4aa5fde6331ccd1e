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

bool guard_must_make(const struct guard_subject *subject)
{
	const bool too_short = subject->writes && subject->size_bytes < subject->wish.file_bytes;

	return subject->kind == TARGET_FILE && (!subject->exists || too_short);
}

int guard_make_file(struct guard_subject *subject, struct fault *fault)
{
	struct target target;
	int result;

	if (!guard_must_make(subject))
		return 0;
	result = guard_open(subject, false, &target, fault);
	if (result)
		return result;
	close(target.fd);
	subject->open = false;
	return examine_made(subject, fault);
}

static void remove_if_same(const char *path, dev_t dev, uint64_t inode)
{
	struct stat there;

	if (!lstat(path, &there) && there.st_dev == dev && there.st_ino == inode)
		unlink(path);
}

void guard_remove_made(const struct guard_made *made)
{
	if (made->made)
		remove_if_same(made->path, made->dev, made->inode);
}

bool guard_has_temporary(const struct guard_subject *subject)
{
	return subject->kind == TARGET_FILE && subject->temporary && subject->made;
}

void guard_remove_temporary(struct guard_subject *subject)
{
	if (!guard_has_temporary(subject))
		return;
	remove_if_same(subject->path, subject->dev, subject->inode);
	subject->made = false;
}
