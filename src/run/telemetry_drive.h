/* telemetry_drive: one target while it is watched: what the block layer counts, how the drive under it fares.
 * Private to telemetry*.c. */
#pragma once
#include <sys/types.h>
#include "drive/drive_counters.h"
#include "run/health_watch.h"
#include "run/run.h"
#include "run/telemetry_rows.h"

#define DRIVE_WATCH_STATES 16 /* readings that are told when they change */

struct drive_watch {
	int32_t target; /* index in the run's targets */
	dev_t dev;	/* block device of the target, or under its file; 0 = none */
	bool have_counters;
	struct drive_counters counters;
	struct health_watch health;
	struct run_target *of;
	double state[DRIVE_WATCH_STATES];    /* NaN = not told yet */
	uint64_t host_written, nand_written; /* at the last look; DRIVE_UNKNOWN */
};

void drive_watch_init(struct drive_watch *watch, struct run_target *target, int32_t index);
void drive_watch_release(struct drive_watch *watch);
/* Adds what there is now. `wait_ms`: for a look at the drive's own counters that is under way; 0 = does not
 * wait. */
void drive_watch_rows(struct drive_watch *watch, int wait_ms, struct telemetry_rows *rows);
