/* child: a piece of work in a process of its own, so that nothing the kernel does to it can hold up the
 * caller. */
#pragma once
#include <stdint.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	int fd;			/* of a pipe that only the process holds open: hung up when it has ended */
};

/* Forks; the child closes all regular files and pipes, runs function(context) and exits with what it returns.
 * 0 or -errno. */
int child_start(struct child *child, int (*function)(void *context), void *context);
/* The same, but it keeps this one open: the end of a pipe by which it tells something. */
int child_start_keeping(struct child *child, int (*function)(void *context), void *context, int kept_fd);
/* Waits at most timeout_ms: 1 = it has ended (*ret_status as waitpid gives it), 0 = not yet (or a signal
 * came). */
int child_wait(struct child *child, int timeout_ms, int *ret_status);
/* Kills it and lets go, without waiting: a process that hangs in the kernel cannot be waited for. */
void child_abandon(struct child *child);
/* In the child: it has no terminal any more, and SIGINT, SIGTERM and SIGHUP, which are meant for the run, do not end it. */
void child_detach(void);
/* Lets go of one that has to finish what it does. */
void child_leave(struct child *child);
