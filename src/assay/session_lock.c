/* Who holds the locks is a process of its own, because giving back a file whose device hangs may hang. It ends
 * when it is told to, and when this process is gone: then the locks are free. */
#include "assay/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "run/child.h"

#define SLICE_MS 50	/* how soon an interruption is seen */
#define LEAVE_MS 100	/* it only has to end */

/* Shared with the holder. */
struct session_lock {
	const struct session *session;	/* as it was when the holder was started */
	pid_t parent;
	int holder_fd, our_fd;		/* a pair of sockets: a byte when all is locked, and the end from here */
	int32_t error;			/* out */
	struct fault fault;		/* out */
	struct child child;
};

static int holder_main(void *context)
{
	struct session_lock *lock = context;
	const struct session *session = lock->session;
	char byte = 0;

	prctl(PR_SET_NAME, "lock-holder");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != lock->parent)
		return 1;
	child_detach();
	signal(SIGTSTP, SIG_IGN);
	close(lock->our_fd);
	for (uint32_t i = 0; i < session->target_count && !lock->error; i++) {
		int fd = 0;

		if (guard_can_hold(&session->targets[i].subject))
			fd = guard_hold(&session->targets[i].subject, &lock->fault);
		lock->error = fd < 0 ? fd : 0;
	}
	if (!lock->error && write(lock->holder_fd, &byte, 1) == 1)
		while (read(lock->holder_fd, &byte, 1) < 0 && errno == EINTR)
			;
	return 0;	/* which closes the files */
}

static void lock_free(struct session_lock *lock)
{
	close(lock->holder_fd);
	close(lock->our_fd);
	munmap(lock, sizeof(*lock));
}

/* Everything is locked (1), that failed (0), or the user does not want to wait (-EINTR). */
static int holder_wait(const struct session_lock *lock, const volatile sig_atomic_t *interrupted)
{
	struct pollfd ends[] = {
		{ .fd = lock->our_fd, .events = POLLIN },
		{ .fd = lock->child.fd, .events = POLLIN },
	};

	while (poll(ends, 2, SLICE_MS) <= 0)
		if (interrupted && *interrupted)
			return -EINTR;
	return ends[0].revents & POLLIN ? 1 : 0;
}

static int lock_start(struct session_lock *lock, const volatile sig_atomic_t *interrupted, struct fault *fault)
{
	int status, error = child_start(&lock->child, holder_main, lock);

	if (error)
		return fault_system(fault, error, "cannot start a process: %s", strerror(-error));
	error = holder_wait(lock, interrupted);
	if (error > 0)
		return 0;
	if (error || !child_wait(&lock->child, LEAVE_MS, &status))
		child_abandon(&lock->child);
	if (error)
		return error;
	*fault = lock->fault;
	return lock->error ? lock->error
			   : fault_system(fault, -ECHILD, "the process that locks the files was ended by somebody");
}

static struct session_lock *lock_new(const struct session *session)
{
	struct session_lock *lock =
		mmap(NULL, sizeof(*lock), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ends[2];

	if (lock == MAP_FAILED)
		return NULL;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		munmap(lock, sizeof(*lock));
		return NULL;
	}
	lock->session = session;
	lock->parent = getpid();
	lock->our_fd = ends[0];
	lock->holder_fd = ends[1];
	return lock;
}

static bool anything_to_hold(const struct session *session)
{
	for (uint32_t i = 0; i < session->target_count; i++)
		if (guard_can_hold(&session->targets[i].subject))
			return true;
	return false;
}

int session_lock_take(struct session *session, struct assay_result *result, struct fault *fault)
{
	struct session_lock *lock;
	int error;

	if (!anything_to_hold(session))
		return 0;
	lock = lock_new(session);
	if (!lock)
		return fault_system(fault, -errno, "cannot lock the target: %s", strerror(errno));
	error = lock_start(lock, session->request->interrupted, fault);
	if (error) {
		lock_free(lock);
		result->status = RUN_INTERRUPTED;
		snprintf(result->text, sizeof(result->text), "interrupted while the target was locked");
		return error == -EINTR ? 1 : error;
	}
	session->lock = lock;
	for (uint32_t i = 0; i < session->target_count; i++)
		session->targets[i].subject.wish.held = guard_can_hold(&session->targets[i].subject);
	return 0;
}

void session_lock_give(struct session *session)
{
	struct session_lock *lock = session->lock;
	int status;

	if (!lock)
		return;
	session->lock = NULL;
	shutdown(lock->our_fd, SHUT_RDWR);	/* processes of steps may still have it open */
	if (!child_wait(&lock->child, LEAVE_MS, &status))
		child_abandon(&lock->child);
	lock_free(lock);
}
