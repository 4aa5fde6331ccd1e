/* subject: how guard_examine works inside. Each kind of target has an examiner that fills the subject's
 * facts, its refusals, what an option would allow (missing), what would be lost (destroys) and warnings. */
#pragma once
#include <sys/stat.h>
#include "guard/guard.h"

#define GUARD_MARK "user.ssdassay"	/* extended attribute of a file that we made */

/* All return 0 (the lists tell the verdict) or -errno with fault: cannot be a target at all. */
int subject_examine_block(struct guard_subject *subject, dev_t dev, struct fault *fault);
int subject_examine_file(struct guard_subject *subject, const struct stat *status, struct fault *fault);
int subject_examine_missing(struct guard_subject *subject, struct fault *fault);
int subject_examine_directory(struct guard_subject *subject, struct fault *fault);
int subject_examine_char(struct guard_subject *subject, const struct stat *status, struct fault *fault);
int subject_examine_sim(struct guard_subject *subject, struct fault *fault);

/* A purge by format: lists each namespace that it would wipe, and what each one lacks. */
int subject_examine_format(const struct machine *machine, struct guard_subject *subject, struct fault *fault);
int subject_format(const struct guard_subject *subject, uint64_t offset, uint64_t bytes, struct fault *fault);

/* Looks again by name: is it granted, and what was shown to the user? 0, -EPERM, -ESTALE ... with fault. */
int subject_examine_again(const struct guard_subject *subject, struct fault *fault);

bool subject_permits_id(const struct guard_subject *subject, const char *id);
bool path_is_under_dev(const char *real_path);
