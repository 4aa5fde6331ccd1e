/* together: what the conductors of a run share whose targets are tested side by side, each by a thread of its
 * own: the observer, the numbers of steps, and two places to meet. Private to room run.
 *
 * Every step begins where all meet: nobody goes on before everybody who is still under way has come (so a
 * target that is done earlier waits, and its drive idles). Those of them whose step moves data meet once
 * more, at the start line, when their workers are ready: from there all start within a millisecond. Who has
 * failed or is done leaves, and is waited for no more. */
#pragma once
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include "run/observer.h"

struct together {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	uint32_t members;	    /* still under way */
	uint32_t waiting, meetings; /* at the meeting; how many there were */
	uint32_t next_starters;	    /* of those, who will come to the start line */
	uint32_t starters, at_line,
		starts; /* who is still to start; there already; how many starts there were */
	bool resumed;	/* it has been told that the run goes on */
	const struct run_observer *observer; /* the caller's: borrowed */
	pthread_mutex_t telling;
	struct run_observer told; /* the same, for all: one call at a time */
};

void together_init(struct together *together, uint32_t members, const struct run_observer *observer);
void together_release(struct together *together);

/* Waits for the others, `slice_ms` at most: true = all are there, or the user wants to stop. After false call
 * again with the same *ticket, which is 0 at first. `starts`: will come to the start line. */
bool together_meet(struct together *together, bool starts, uint32_t slice_ms,
		   const volatile sig_atomic_t *interrupted, uint64_t *ticket);
/* At the start line: returns when all who said so are there, or are too late (10 s). */
void together_start(struct together *together, const volatile sig_atomic_t *interrupted);
/* It said that it would come to the start line and will not. */
void together_start_not(struct together *together);
/* Has one of them told already that the run goes on? The first who asks is to tell. NULL: false. */
bool together_resumed(struct together *together);
void together_leave(struct together *together);
