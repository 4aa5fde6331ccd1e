/* health_watch: looks at a drive's health and link once a second from a process of its own, since a drive
 * that hangs holds whoever asks it in the kernel. This side only reads what the last look has left in shared
 * memory, and never waits. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "drive/drive.h"
#include "run/child.h"

struct health_look {
	uint32_t sequence;		/* atomic; odd: being written. 0 = no look yet */
	bool nothing;			/* the drive tells nothing: the process has ended */
	uint64_t taken_ns;		/* CLOCK_MONOTONIC */
	struct drive_health health;
	double link_speed;		/* GT/s, NAN */
	uint64_t link_width;		/* lanes, DRIVE_UNKNOWN */
};

struct health_watch {
	struct health_look *look;	/* shared; NULL = not watching */
	struct child child;
	dev_t dev;
	struct drive_health *last;	/* what is known of the drive; borrowed */
	uint32_t seen;			/* sequence of the last look that was taken */
};

/* Begins; a failure leaves a watch that never has anything. dev 0: nothing to watch. `last` outlives the
 * watch: all zero, or what an earlier watch of this drive has left there, so that the drive is not asked
 * again for what it does not have. */
void health_watch_start(struct health_watch *watch, dev_t dev, struct drive_health *last);
void health_watch_stop(struct health_watch *watch);
/* A look that was not taken yet: true and a copy. */
bool health_watch_take(struct health_watch *watch, struct health_look *ret_look);
/* Waits until the first look is there, or it is known that there will be none; at most timeout_ms. */
void health_watch_wait(struct health_watch *watch, int timeout_ms);
