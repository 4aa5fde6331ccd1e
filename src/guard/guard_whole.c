/* Purges that a drive does itself, as a whole: which of them, and that all they wipe may be wiped. */
#include "guard/subject.h"
#include <errno.h>
#include <stdlib.h>

bool purge_is_whole(enum purge_method method)
{
	return method == PURGE_FORMAT || method == PURGE_SANITIZE || method == PURGE_SECURE_ERASE;
}

int subject_examine_whole(const struct machine *machine, struct guard_subject *subject,
			  enum purge_method method, struct fault *fault)
{
	switch (method) {
	case PURGE_FORMAT:
		return subject_examine_format(machine, subject, fault);
	case PURGE_SANITIZE:
		return subject_examine_sanitize(machine, subject, fault);
	case PURGE_SECURE_ERASE:
		return subject_examine_secure_erase(machine, subject, fault);
	default:
		return -EINVAL;
	}
}

int subject_purge_whole(const struct machine *machine, const struct guard_subject *subject,
			enum purge_method method, struct fault *fault)
{
	switch (method) {
	case PURGE_FORMAT:
		return subject_format(machine, subject, fault);
	case PURGE_SANITIZE:
		return subject_sanitize(machine, subject, fault);
	case PURGE_SECURE_ERASE:
		return subject_secure_erase(machine, subject, fault);
	default:
		return -EINVAL;
	}
}

static int first_objection(const struct guard_subject *subject, struct fault *fault)
{
	if (subject->refusals.error || subject->missing.error)
		return -ENOMEM;
	if (subject->refusals.count)
		return fault_system(fault, -EPERM, "%s is refused: %s", subject->name,
				    subject->refusals.line[0]);
	if (subject->missing.count)
		return fault_system(fault, -EPERM, "%s needs permission: %s", subject->name,
				    subject->missing.line[0]);
	return 0;
}

int subject_recheck_whole(const struct machine *machine, const struct guard_subject *subject,
			  enum purge_method method, struct fault *fault)
{
	struct guard_subject *now = malloc(sizeof *now);
	int result;

	if (!now)
		return -ENOMEM;
	*now = *subject;
	now->destroys = now->warnings = now->refusals = now->missing = (struct lines){0};
	result = subject_examine_whole(machine, now, method, fault);
	if (!result)
		result = first_objection(now, fault);
	guard_subject_release(now);
	free(now);
	return result;
}
