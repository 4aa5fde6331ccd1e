#include "guard/subject.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>

#define DISCARD_AT_ONCE (64ull << 30)	/* a signal is noticed between two of them */

static const char *method_name(enum purge_method method)
{
	static const char *const names[] = {"auto", "trim", "format", "sanitize", "secure_erase", "punch",
					    "none"};

	return names[method];
}

static int discard(const struct guard_subject *subject, int fd, uint64_t offset, uint64_t bytes,
		   struct fault *fault)
{
	while (bytes) {
		uint64_t range[2] = {offset, bytes < DISCARD_AT_ONCE ? bytes : DISCARD_AT_ONCE};

		if (ioctl(fd, BLKDISCARD, range))
			return fault_system(
				fault, -errno, "%s: discard of %llu bytes at %llu: %s%s", subject->name,
				(unsigned long long)range[1], (unsigned long long)offset, strerror(errno),
				errno == EOPNOTSUPP
					? " (this device has no TRIM)"
					: "");
		offset += range[1];
		bytes -= range[1];
	}
	return 0;
}

static int punch(const struct guard_subject *subject, int fd, uint64_t offset, uint64_t bytes,
		 struct fault *fault)
{
	if (!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)bytes))
		return 0;
	return fault_system(fault, -errno, "%s: punching a hole of %llu bytes at %llu: %s", subject->name,
			    (unsigned long long)bytes, (unsigned long long)offset, strerror(errno));
}

/* PURGE_BEST becomes what this target has; a method that it has not is refused, never replaced. */
static int choose(const struct guard_subject *subject, enum purge_method wanted,
		  enum purge_method *ret_method, struct fault *fault)
{
	static const enum purge_method best[] = {
		[TARGET_FILE] = PURGE_PUNCH, [TARGET_BLOCK] = PURGE_TRIM, [TARGET_NVME_GENERIC] = PURGE_TRIM,
		[TARGET_CHAR] = PURGE_NONE, [TARGET_SIM] = PURGE_TRIM,
	};
	const enum purge_method has = best[subject->kind];
	const bool announced = subject->wish.purge_methods & 1u << wanted;

	if (subject->kind == TARGET_SIM && wanted != PURGE_NONE)
		return fault_system(fault, -EOPNOTSUPP, "%s is purged by TRIM commands in its own time",
				    subject->name);
	if (wanted == PURGE_BEST)
		*ret_method = has;
	else if (wanted == PURGE_NONE || wanted == has ||
		 (purge_is_whole(wanted) && has == PURGE_TRIM && announced))
		*ret_method = wanted;
	else
		return fault_system(fault, -EOPNOTSUPP,
				    "%s cannot be purged by method=%s; it can by method=%s", subject->name,
				    method_name(wanted), method_name(has));
	return 0;
}

static bool range_is_whole(const struct guard_subject *subject, uint64_t offset, uint64_t bytes)
{
	return !offset && bytes == subject->size_bytes;
}

/* Others are held only when they are wiped too: a mounted sister is no obstacle to a format of one
 * namespace. */
static bool wipes_others(const struct guard_subject *subject, enum purge_method method)
{
	return method == PURGE_SANITIZE ||
	       (method == PURGE_FORMAT && !subject_format_is_harmless(NULL, subject));
}

static int purge_whole(struct guard_subject *subject, enum purge_method method, uint64_t offset,
		       uint64_t bytes, struct fault *fault)
{
	struct fence fence = {0};
	int result;

	if (!range_is_whole(subject, offset, bytes))
		return fault_set(fault, 0, 0, "%s: method=%s purges the whole drive, not a range of it",
				 subject->name, method_name(method));
	result = subject_recheck_whole(NULL, subject, method, fault);
	if (!result && wipes_others(subject, method))
		result = fence_raise(subject, &fence, fault);
	if (!result)
		result = subject_purge_whole(NULL, subject, method, fault);
	fence_lower(&fence);
	return result;
}

static int check_range(const struct guard_subject *subject, const struct target *target, uint64_t offset,
		       uint64_t bytes, struct fault *fault)
{
	if (!bytes || offset > target->size_bytes || bytes > target->size_bytes - offset)
		return fault_set(fault, 0, 0, "%s: a purge of %llu bytes at %llu is outside its %llu bytes",
				 subject->name, (unsigned long long)bytes, (unsigned long long)offset,
				 (unsigned long long)target->size_bytes);
	if (offset % subject->block_bytes || bytes % subject->block_bytes)
		return fault_set(fault, 0, 0, "%s: a purge must begin and end at a multiple of %u bytes",
				 subject->name, subject->block_bytes);
	return 0;
}

/* TRIM, or for PURGE_BEST what is left on a drive without. */
static int purge_trim(struct guard_subject *subject, struct target *target, enum purge_method wanted,
		      uint64_t offset, uint64_t bytes, enum purge_method *used, struct fault *fault)
{
	const int fd = subject->fence_fd >= 0 ? subject->fence_fd : target->fd;
	const int result = discard(subject, fd, offset, bytes, fault);

	if (result != -EOPNOTSUPP || wanted != PURGE_BEST || !range_is_whole(subject, offset, bytes) ||
	    !subject_format_is_harmless(NULL, subject))
		return result;
	*used = PURGE_FORMAT;
	return purge_whole(subject, PURGE_FORMAT, offset, bytes, fault);
}

static int purge_by(struct guard_subject *subject, struct target *target, enum purge_method wanted,
		    uint64_t offset, uint64_t bytes, enum purge_method *used, struct fault *fault)
{
	if (*used == PURGE_NONE)
		return 0;
	if (purge_is_whole(*used))
		return purge_whole(subject, *used, offset, bytes, fault);
	return *used == PURGE_PUNCH ? punch(subject, target->fd, offset, bytes, fault)
				    : purge_trim(subject, target, wanted, offset, bytes, used, fault);
}

int guard_purge(struct guard_subject *subject, struct target *target, enum purge_method method,
		uint64_t offset, uint64_t bytes, enum purge_method *ret_used, struct fault *fault)
{
	enum purge_method used = PURGE_NONE;
	int result = choose(subject, method, &used, fault);

	if (!result)
		result = check_range(subject, target, offset, bytes, fault);
	if (!result && used != PURGE_NONE && !target->may_write)
		result = fault_system(fault, -EPERM, "%s was not opened for writing", subject->name);
	if (!result && used != PURGE_NONE)
		result = guard_recheck(subject, target, fault);
	if (!result)
		result = purge_by(subject, target, method, offset, bytes, &used, fault);
	if (!result)
		*ret_used = used;
	return result;
}
