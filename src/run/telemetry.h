/* telemetry: once a second, on the run's time axis: what the host did, what the block layer counted, how the
 * drive fares. The names are listed in docs/formats/run-file.md. A reading that cannot be had is left out;
 * counts are those of the second, states and totals are told when they change and once in every step.
 *
 * Of a simulated drive its temperature, and every ten seconds what was written to it and to its flash. */
#pragma once
#include "drive/drive_host.h"
#include "run/step.h"
#include "run/telemetry_drive.h"

#define TELEMETRY_CORES 64	/* CPUs told one by one */

struct telemetry {
	struct step_context *context;
	uint64_t next_ns, last_ns;	/* wall clock (monotonic) */
	struct drive_watch *drives;	/* of the targets that are tested now; owned */
	uint32_t drive_count;
	bool have_host;
	struct host_sample host;
	struct host_cpu *cpu;		/* each as it was at the last sample; owned, HOST_CPUS_MAX */
	double core[TELEMETRY_CORES];	/* busy share of each CPU as it was told; -1 = not yet */
	char core_name[TELEMETRY_CORES][16];	/* of their rows */
	double throttle_told;		/* NaN = not yet */
	pid_t pid;			/* of the measuring process; 0 = none */
	uint64_t worker_cpu_ns, worker_switches;
	bool have_worker;
};

void telemetry_init(struct telemetry *telemetry, struct step_context *context);
/* Takes and tells a sample when a second has passed; 0 or the observer's -errno. */
int telemetry_tick(struct telemetry *telemetry, uint64_t now_ns, uint64_t step);
void telemetry_release(struct telemetry *telemetry);

/* At the end of a run on a real target: its last totals, by which a resume sees whether anything else has
 * written since. */
int telemetry_last(struct step_context *context);

/* On a simulated drive, in virtual time: what a host could read there. `now_ns` on the target's clock; call
 * once a second of it. 0 or the observer's -errno. */
int telemetry_virtual(struct step_context *context, uint64_t now_ns, uint64_t step);
