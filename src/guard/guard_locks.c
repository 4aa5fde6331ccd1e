/* Locks on a target. Those that other programs hold: virtual machines on their images and disks, data bases,
 * partitioning tools. And our own, so that two runs do not write to one file. */
#include "guard/subject.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

/* A lock of a range, whoever holds it; *ret_pid is 0 when the kernel does not say who. */
static bool range_is_locked(int fd, int *ret_pid)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(fd, F_OFD_GETLK, &lock) || lock.l_type == F_UNLCK)
		return false;
	*ret_pid = lock.l_pid > 0 ? (int)lock.l_pid : 0;
	return true;
}

/* Those that only look (udev) share it. */
static bool whole_is_locked(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB))
		return errno == EWOULDBLOCK;
	flock(fd, LOCK_UN);
	return false;
}

void subject_judge_locks(struct guard_subject *subject, const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const uint32_t before = subject->refusals.count;
	int pid = 0;

	if (fd < 0)
		return;		/* what cannot be opened is refused elsewhere */
	if (subject->wish.held && !whole_is_locked(fd))
		;		/* ours is exclusive: nobody else has one */
	else if (range_is_locked(fd, &pid) && pid)
		lines_add(&subject->refusals, "%s is locked by another program, process %d", path, pid);
	else if (range_is_locked(fd, &pid))
		lines_add(&subject->refusals,
			  "%s is locked by another program, as by a second run or a virtual machine", path);
	else if (whole_is_locked(fd))
		lines_add(&subject->refusals, "%s is locked by another program", path);
	subject->is_locked = subject->refusals.count > before;
	close(fd);
}

int subject_lock(const struct guard_subject *subject, int fd, struct fault *fault)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (!fcntl(fd, F_OFD_SETLK, &lock) || (errno != EAGAIN && errno != EACCES))
		return 0;
	return fault_system(fault, -EBUSY, "%s was locked by another program just now", subject->path);
}

/* Whoever held it for the run may have been killed. */
int subject_lock_step(const struct guard_subject *subject, int fd, struct fault *fault)
{
	int pid;

	return subject->wish.held && range_is_locked(fd, &pid) ? 0 : subject_lock(subject, fd, fault);
}
