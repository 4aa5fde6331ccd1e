/* subject: how guard_examine works inside. Each kind of target has an examiner that fills the subject's
 * facts, its refusals, what an option would allow (missing), what would be lost (destroys) and warnings. */
#pragma once
#include <sys/stat.h>
#include "drive/block.h"
#include "guard/guard.h"

#define GUARD_MARK "user.ssdassay"	/* extended attribute of a file that we made */

/* All return 0 (the lists tell the verdict) or -errno with fault: cannot be a target at all. */
int subject_examine_block(struct guard_subject *subject, dev_t dev, struct fault *fault);
int subject_examine_file(struct guard_subject *subject, const struct stat *status, struct fault *fault);
int subject_examine_missing(struct guard_subject *subject, struct fault *fault);
int subject_examine_directory(struct guard_subject *subject, struct fault *fault);
int subject_examine_char(struct guard_subject *subject, const struct stat *status, struct fault *fault);
int subject_examine_sim(struct guard_subject *subject, struct fault *fault);

/* Purges that a drive does itself, as a whole: what they wipe beyond the subject is added to its lists, with
 * what each lacks. 0, or -errno with fault: this drive has no such purge. Nothing is sent that changes
 * anything. */
int subject_examine_format(const struct machine *machine, struct guard_subject *subject, struct fault *fault);
int subject_examine_sanitize(const struct machine *machine, struct guard_subject *subject,
			     struct fault *fault);
int subject_examine_secure_erase(const struct machine *machine, struct guard_subject *subject,
				 struct fault *fault);
/* And done; they return when the drive is ready. 0 or -errno with fault. */
int subject_format(const struct machine *machine, const struct guard_subject *subject, struct fault *fault);
int subject_sanitize(const struct machine *machine, const struct guard_subject *subject, struct fault *fault);
int subject_secure_erase(const struct machine *machine, const struct guard_subject *subject,
			 struct fault *fault);

/* One of the three by its method. */
bool purge_is_whole(enum purge_method method);
int subject_examine_whole(const struct machine *machine, struct guard_subject *subject,
			  enum purge_method method, struct fault *fault);
int subject_purge_whole(const struct machine *machine, const struct guard_subject *subject,
			enum purge_method method, struct fault *fault);
/* Would a format be the only purge this NVMe drive has, and hit no other namespace? */
bool subject_format_is_harmless(const struct machine *machine, const struct guard_subject *subject);
/* Looks again, with fresh lists, at what the method wipes: -EPERM with fault when something of it is in use
 * or not granted. */
int subject_recheck_whole(const struct machine *machine, const struct guard_subject *subject,
			  enum purge_method method, struct fault *fault);

/* The whole NVMe namespace that the subject is; -EOPNOTSUPP with fault when it is none. */
int subject_nvme_block(const struct machine *machine, const struct guard_subject *subject, const char *method,
		       struct block *ret_block, struct fault *fault);
/* Every other namespace of the controller (`all_allocated`: of the whole drive) is wiped too: lists it,
 * refuses what is in use, asks for its id. `verb`: "a format". */
int subject_judge_namespaces(const struct machine *machine, struct guard_subject *subject,
			     const struct block *block, const char *serial, const char *verb,
			     bool all_allocated, struct fault *fault);

/* The other namespaces of the subject's controller that this machine shows, opened exclusively so that nobody
 * can mount them while they are wiped. -EBUSY with fault. */
#define FENCE_MAX 128
struct fence {
	int fd[FENCE_MAX];
	uint32_t count;
};
int fence_raise(const struct guard_subject *subject, struct fence *fence, struct fault *fault);
void fence_lower(struct fence *fence);

/* Looks again by name: is it granted, and what was shown to the user? 0, -EPERM, -ESTALE ... with fault. */
int subject_examine_again(const struct guard_subject *subject, struct fault *fault);

/* Adds a refusal for each lock that another program holds on the file or device at `path`. */
void subject_judge_locks(struct guard_subject *subject, const char *path);
/* Locks the whole of a file that is written, for as long as fd is open, against whoever asks: a second run, a
 * virtual machine. Where the file system keeps no locks there is none. 0; -EBUSY with fault. */
int subject_lock(const struct guard_subject *subject, int fd, struct fault *fault);
/* The same for a step: nothing to do while the run holds the lock. */
int subject_lock_step(const struct guard_subject *subject, int fd, struct fault *fault);
/* Run files of this program are never written to, nor what belongs to them. */
void subject_judge_run_files(struct guard_subject *subject);
/* -EINVAL with fault when `path` (the subject, or the directory that it would be made in) lies on proc, sysfs
 * and the like; or when the subject is named by a descriptor of a process, which means something else in
 * every process. */
int subject_refuse_kernel_files(const struct guard_subject *subject, const char *path, struct fault *fault);
int subject_refuse_open_files(const struct guard_subject *subject, struct fault *fault);

/* `error` of open(2), as one sentence. Returns -error. */
int subject_open_failed(const char *path, int error, struct fault *fault);

bool subject_permits_id(const struct guard_subject *subject, const char *id);
bool path_is_under_dev(const char *real_path);
