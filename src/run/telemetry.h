/* telemetry: the host's and the block layer's own counters, once a second, on the run's time axis. Of a
 * simulated drive its temperature. */
#pragma once
#include "drive/drive_counters.h"
#include "drive/drive_host.h"
#include "run/step.h"

struct telemetry {
	struct step_context *context;
	uint64_t next_ns;		/* wall clock (monotonic) */
	dev_t dev;			/* block device of the target, or under its file; 0 = none */
	bool have_counters, have_host;
	struct drive_counters counters;
	struct host_sample host;
	uint64_t taken_ns;
};

void telemetry_init(struct telemetry *telemetry, struct step_context *context);
/* Takes and tells a sample when a second has passed; 0 or the observer's -errno. */
int telemetry_tick(struct telemetry *telemetry, uint64_t now_ns, uint64_t step);
void telemetry_release(struct telemetry *telemetry);

/* On a simulated drive, in virtual time: what a host could read there, its temperature. `now_ns` on the target's clock; call
 * once a second of it. 0 or the observer's -errno. */
int telemetry_virtual(struct step_context *context, uint64_t now_ns, uint64_t step);
