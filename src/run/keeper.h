/* keeper: a process that makes a file system on a target, keeps it mounted where only we see it, and takes it
 * away again: when it is told to, and when the run's process is gone. Everything that touches the device is
 * the guard's (guard_fs.h). Private to room run. */
#pragma once
#include <signal.h>
#include "guard/guard_fs.h"
#include "run/child.h"

enum keeper_state { KEEPER_MAKING, KEEPER_READY, KEEPER_DONE };

/* Shared with the keeper's process. */
struct keeper {
	uint32_t state; /* enum keeper_state; atomic */
	uint32_t end;	/* atomic: take it away */
	int32_t error;
	struct fault fault;
	struct guard_subject *subject; /* of the device; borrowed */
	char name[16];		       /* "ext4" ... */
	uint64_t file_bytes;
	struct guard_fs fs;	   /* out, from KEEPER_READY on, and: */
	struct guard_subject file; /* for guard_open, by a process that has entered */
	pid_t parent;
	struct child child;
};

/* Makes it; waits until it is there. 0; -EOPNOTSUPP: this system cannot; -EINTR: the user wants to stop (what
 * was begun is taken away without us); other -errno. Without 0 there is no keeper, and `fault` says why. */
int keeper_new(struct guard_subject *subject, const char *name, uint64_t file_bytes,
	       const volatile sig_atomic_t *interrupted, struct keeper **ret_keeper, struct fault *fault);
/* Takes the file system away. 0, or -errno with fault; -EINTR: the user wants to stop, and the keeper goes on
 * without us. Frees it in every case. NULL: 0. */
int keeper_end(struct keeper *keeper, const volatile sig_atomic_t *interrupted, struct fault *fault);
