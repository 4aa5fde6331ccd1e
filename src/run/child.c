#include "run/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int child_start(struct child *child, int (*function)(void *context), void *context)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0)
		_exit(function(context));
	child->pid = pid;
	child->fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (child->fd < 0) {
		int error = -errno;

		kill(pid, SIGKILL);
		return error;
	}
	return 0;
}

int child_wait(struct child *child, int timeout_ms, int *ret_status)
{
	struct pollfd poll_one = { .fd = child->fd, .events = POLLIN };

	if (poll(&poll_one, 1, timeout_ms) <= 0)
		return 0;
	while (waitpid(child->pid, ret_status, 0) < 0 && errno == EINTR)
		;
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
