#include "run/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILES_MAX 1024

/* The run file and its lock are the caller's: a child that hangs must not hold them when the caller has
 * ended. And the pipes of others, started by another thread at this moment, are theirs: who holds one keeps
 * their end from being seen. */
static void files_close(int own, int kept)
{
	struct stat status;

	for (int fd = 3; fd < FILES_MAX; fd++)
		if (fd != own && fd != kept && !fstat(fd, &status) &&
		    (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)))
			close(fd);
}

int child_start(struct child *child, int (*function)(void *context), void *context)
{
	return child_start_keeping(child, function, context, -1);
}

int child_start_keeping(struct child *child, int (*function)(void *context), void *context, int kept_fd)
{
	int end[2];
	pid_t pid;

	if (pipe2(end, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		close(end[0]);
		files_close(end[1], kept_fd);
		_exit(function(context));
	}
	close(end[1]);
	if (pid < 0) {
		int error = -errno;

		close(end[0]);
		return error;
	}
	*child = (struct child){ .pid = pid, .fd = end[0] };
	return 0;
}

/* The pipe is closed early on its way out. Closing a device may still hang, when the page cache has something
 * for it. */
static bool is_reaped(pid_t pid, int timeout_ms, int *ret_status)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	pid_t reaped = waitpid(pid, ret_status, WNOHANG);

	for (int waited_ms = 0; !reaped && waited_ms < timeout_ms; waited_ms++) {
		if (nanosleep(&moment, NULL))	/* a signal: the user may want to stop */
			return false;
		reaped = waitpid(pid, ret_status, WNOHANG);
	}
	return reaped != 0;
}

int child_wait(struct child *child, int timeout_ms, int *ret_status)
{
	struct pollfd poll_one = { .fd = child->fd, .events = POLLIN };

	if (poll(&poll_one, 1, timeout_ms) <= 0 || !is_reaped(child->pid, timeout_ms, ret_status))
		return 0;
	close(child->fd);
	child->fd = -1;
	return 1;
}

void child_abandon(struct child *child)
{
	int status;

	kill(child->pid, SIGKILL);
	waitpid(child->pid, &status, WNOHANG);
	close(child->fd);
	child->fd = -1;
}

void child_leave(struct child *child)
{
	close(child->fd);
	child->fd = -1;
}

void child_detach(void)
{
	const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < 3 && nothing >= 0; fd++)
		dup2(nothing, fd);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
}
