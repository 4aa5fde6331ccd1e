#include "store/writer_lock.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

/* Bytes far behind the database and behind all that SQLite locks, which is around 1 GiB. */
#define WRITER_BYTE ((off_t)1 << 61)
#define NOBODYS_BYTE (WRITER_BYTE + 2)

static int range_lock(int fd, int command, short type, off_t at, short *ret_type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1 };

	if (fcntl(fd, command, &lock))
		return errno == EACCES || errno == EAGAIN ? -EWOULDBLOCK : -errno;
	if (ret_type)
		*ret_type = lock.l_type;
	return 0;
}

/* NFS, 9p and CIFS turn flock() into a lock of all bytes, which excludes SQLite's own locks on the same file:
 * they are another owner's. What such a file system calls itself cannot be relied on, so it is asked for a
 * byte that nobody locks. */
static bool flock_took_all_bytes(int fd)
{
	short type = F_UNLCK;

	return !range_lock(fd, F_GETLK, F_WRLCK, NOBODYS_BYTE, &type) && type != F_UNLCK;
}

int writer_lock(int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB))
		return -errno;
	if (!flock_took_all_bytes(fd))
		return 0;
	flock(fd, LOCK_UN);
	return range_lock(fd, F_OFD_SETLK, F_WRLCK, WRITER_BYTE, NULL);
}

void writer_unlock(int fd)
{
	range_lock(fd, F_OFD_SETLK, F_UNLCK, WRITER_BYTE, NULL);
	flock(fd, LOCK_UN);
}

enum answer { ANSWER_NOBODY, ANSWER_SOMEBODY, ANSWER_UNKNOWN };

/* After fork: only what is safe there. */
static enum answer ask(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	short type = F_UNLCK;

	if (fd < 0)
		return ANSWER_UNKNOWN;
	if (flock(fd, LOCK_SH | LOCK_NB))
		return errno == EWOULDBLOCK ? ANSWER_SOMEBODY : ANSWER_UNKNOWN;
	if (range_lock(fd, F_OFD_GETLK, F_WRLCK, WRITER_BYTE, &type))
		return ANSWER_UNKNOWN;
	return type == F_UNLCK ? ANSWER_NOBODY : ANSWER_SOMEBODY;
}

int writer_is_there(const char *path)
{
	const pid_t pid = fork();
	int status;

	if (pid < 0)
		return -errno;
	if (pid == 0)
		_exit((int)ask(path));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (!WIFEXITED(status) || WEXITSTATUS(status) > ANSWER_SOMEBODY)
		return -EIO;
	return WEXITSTATUS(status) == ANSWER_SOMEBODY;
}
