#include "run/keeper.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"

#define TICK_MS 20
#define TICK_NS 20000000
#define INTERRUPT_WAIT_NS 500000000ull /* after Ctrl-C: then it goes on without us */

static bool wanted(const struct keeper *keeper)
{
	return !__atomic_load_n(&keeper->end, __ATOMIC_ACQUIRE) && getppid() == keeper->parent;
}

static int keeper_main(void *context)
{
	const struct timespec tick = { .tv_nsec = TICK_NS };
	struct keeper *keeper = context;

	child_detach(); /* it ends when it is told to */
	keeper->error = guard_fs_make(keeper->subject, keeper->name, keeper->file_bytes, &keeper->fs,
				      &keeper->file, &keeper->fault);
	if (!keeper->error) {
		__atomic_store_n(&keeper->state, KEEPER_READY, __ATOMIC_RELEASE);
		while (wanted(keeper))
			nanosleep(&tick, NULL);
		keeper->error = guard_fs_remove(&keeper->fs, keeper->subject, &keeper->fault);
	}
	__atomic_store_n(&keeper->state, KEEPER_DONE, __ATOMIC_RELEASE);
	return 0;
}

/* Until it has ended, or is ready if that is enough. 1; 0: the user's patience ended first. */
static int keeper_wait(struct keeper *keeper, bool ready, const volatile sig_atomic_t *interrupted)
{
	uint64_t asked_ns = 0;
	int status;

	while (!child_wait(&keeper->child, TICK_MS, &status)) {
		if (ready && __atomic_load_n(&keeper->state, __ATOMIC_ACQUIRE) == KEEPER_READY)
			return 1;
		if (!interrupted || !*interrupted)
			continue;
		__atomic_store_n(&keeper->end, 1, __ATOMIC_RELEASE);
		if (!asked_ns)
			asked_ns = clock_monotonic_ns();
		if (clock_monotonic_ns() - asked_ns < INTERRUPT_WAIT_NS)
			continue;
		close(keeper->child.fd);
		return 0;
	}
	keeper->child.pid = 0;
	return 1;
}

static void keeper_free(struct keeper *keeper)
{
	munmap(keeper, sizeof(*keeper));
}

static int goes_on(const struct keeper *keeper, struct fault *fault)
{
	return fault_system(fault, -EINTR,
			    "interrupted; process %d still takes away the %s file system on %s",
			    (int)keeper->child.pid, keeper->name, keeper->subject->name);
}

static int died(const struct keeper *keeper, struct fault *fault)
{
	return fault_system(
		fault, -ECHILD,
		"the process that kept the file system was ended by somebody; what it may have left: "
		"wipefs -a %s",
		keeper->subject->path);
}

static int start(struct keeper *keeper, const volatile sig_atomic_t *interrupted, struct fault *fault)
{
	int error = child_start(&keeper->child, keeper_main, keeper);

	if (error)
		return fault_system(fault, error, "cannot start a process: %s", strerror(-error));
	if (!keeper_wait(keeper, true, interrupted))
		return goes_on(keeper, fault);
	if (keeper->state == KEEPER_READY && keeper->child.pid)
		return 0;
	if (keeper->state != KEEPER_DONE)
		return died(keeper, fault);
	*fault = keeper->fault;
	return keeper->error ? keeper->error : fault_system(fault, -EINTR, "interrupted");
}

int keeper_new(struct guard_subject *subject, const char *name, uint64_t file_bytes,
	       const volatile sig_atomic_t *interrupted, struct keeper **ret_keeper, struct fault *fault)
{
	struct keeper *keeper =
		mmap(NULL, sizeof(*keeper), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int error;

	if (keeper == MAP_FAILED)
		return fault_system(fault, -ENOMEM, "out of memory");
	keeper->subject = subject;
	keeper->file_bytes = file_bytes;
	keeper->parent = getpid();
	snprintf(keeper->name, sizeof(keeper->name), "%s", name);
	error = start(keeper, interrupted, fault);
	if (error)
		keeper_free(keeper);
	else
		*ret_keeper = keeper;
	return error;
}

int keeper_end(struct keeper *keeper, const volatile sig_atomic_t *interrupted, struct fault *fault)
{
	int error = 0;

	if (!keeper)
		return 0;
	__atomic_store_n(&keeper->end, 1, __ATOMIC_RELEASE);
	if (!keeper_wait(keeper, false, interrupted))
		error = goes_on(keeper, fault);
	else if (keeper->state != KEEPER_DONE)
		error = died(keeper, fault);
	else if (keeper->error)
		*fault = keeper->fault, error = keeper->error;
	keeper_free(keeper);
	return error;
}
