/* look: asks something of a drive in a process of its own. Who asks a drive that hangs is held in the kernel,
 * where no signal is heard; this process is not. */
#pragma once
#include <signal.h>
#include <stdint.h>
#include "base/text.h"

#define LOOK_FOREVER UINT64_MAX
#define LOOK_ANSWER_NS 15000000000ull	/* what a drive that is well needs at most: disks spin up, and smartctl takes
					 * seconds */
#define LOOK_KERNEL_NS 130000000000ull	/* as long as run/drain waits at most: the kernel has stepped in by then */

/* Runs in the other process, and writes what it found into `answer`. Memory is that of the caller at the
 * moment of look(): what is changed there is lost. */
typedef void (*look_fn)(void *context, struct text *answer);

/* Waits for the answer, at most wait_ns, or until *interrupted (may be NULL) is not zero. 0, and the caller
 * owns *ret_answer, which may be empty; -ETIMEDOUT; -EINTR; -ECHILD: the process ended without having
 * answered; another -errno. A process that is no longer waited for is killed, as far as the kernel lets
 * it. */
int look(look_fn ask, void *context, uint64_t wait_ns, const volatile sig_atomic_t *interrupted,
	 struct text *ret_answer);
