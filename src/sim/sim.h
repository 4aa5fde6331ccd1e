/* sim: a drive that exists only here, in virtual time.
 *
 * Contract towards engine_sim.c and drive_sim.c (nobody else includes src/sim). A sim_drive is
 * single-threaded. Times are virtual ns; commands are given in the order of `now_ns` (never backwards).
 *
 * Flash drives know a command's completion when it is submitted. Hard disks choose the order themselves, so
 * theirs may be known only later: sim_drive_submit then says SIM_LATER, and the owner collects it with
 * sim_drive_reap after sim_drive_next_event_ns. A drive decides only at moments it has announced by
 * sim_drive_next_event_ns, or when a command is submitted. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/fault.h"
#include "base/io.h"

#define SIM_LATER UINT64_MAX	/* as a completion time: not known yet; as an event: none */

struct sim_drive;
struct sim_params;
struct sim_truth;

/* `spec` is what follows "sim:": PROFILE[,key=value...]; PROFILE is a built-in's name or a path to a text
 * file. `seed` seeds the drive's own random numbers. 0, -EINVAL with fault (unknown profile or key with the
 * nearest name, value out of range), -ENOMEM. */
int sim_drive_new(const char *spec, uint64_t seed, struct sim_drive **ret_drive, struct fault *fault);
struct sim_drive *sim_drive_free(struct sim_drive *drive);	/* takes NULL, returns NULL */

uint64_t sim_drive_capacity_bytes(const struct sim_drive *drive);
uint32_t sim_drive_block_bytes(const struct sim_drive *drive);	/* logical block: 512 or 4096 */
uint32_t sim_drive_queue_depth(const struct sim_drive *drive);	/* commands the device holds at once */
const struct sim_params *sim_drive_params(const struct sim_drive *drive);	/* borrowed */

/* A command enters the host's queue at now_ns; beyond the drive's own queue depth it waits there, first come
 * first served. Returns its result (bytes; 0 for trim and flush; -errno) and when it completes: *ret_done_ns
 * >= now_ns, or SIM_LATER. A hang is a completion far away (fault injection), never a blocked call. `owner`
 * and `tag` name the command for sim_drive_reap and are not looked at. offset and bytes are multiples of the
 * block and inside the capacity. */
int32_t sim_drive_submit(struct sim_drive *drive, const struct io *io, uint64_t now_ns, const void *owner,
			 uint64_t tag, uint64_t *ret_done_ns);

/* The host will submit this soon (it changes nothing): lets memory accesses begin early. Worth calling for a
 * batch of I/Os before the first is submitted, or for the I/O that a source will give next. */
void sim_drive_hint(const struct sim_drive *drive, const struct io *io);

struct sim_done {
	uint64_t tag;
	uint64_t done_ns;
	int32_t result;
};

/* For completions that were SIM_LATER. The moment when the drive next does something; SIM_LATER = nothing to
 * come. Every owner with commands in flight calls sim_drive_reap at that time, even if the completion is
 * another's. */
uint64_t sim_drive_next_event_ns(const struct sim_drive *drive);
/* Lets the drive run until now_ns and gives one completion of this owner; 1, or 0 when there is none. Its
 * done_ns may be later than now_ns (injected stalls). */
int sim_drive_reap(struct sim_drive *drive, const void *owner, uint64_t now_ns, struct sim_done *ret_done);
/* The owner goes away: its commands finish unseen. */
void sim_drive_forget(struct sim_drive *drive, const void *owner);

/* The volatile write cache, as hdparm -W or an NVMe feature sets it. Off: a write completes when it is on the
 * medium. */
void sim_drive_set_write_cache(struct sim_drive *drive, bool on);
bool sim_drive_write_cache(const struct sim_drive *drive);
bool sim_drive_keeps_contents(const struct sim_drive *drive);	/* reads give back what was written */

/* Power is cut at cut_ns and comes back at once; commands in flight at the cut are gone. What was lost
 * follows from the parameters (plp, flush_lies, paired_damage, journal_ms, shorn_rate, dead_rate). */
struct sim_cut {
	uint64_t ready_ns;		/* first moment at which commands are accepted again */
	uint64_t acked_pages;		/* pages acknowledged, not yet on flash at the cut */
	uint64_t lost_pages;		/* of them, back at an older version */
	uint64_t lost_flushed_pages;	/* of them, covered by a flush that was acknowledged */
	uint64_t rolled_back_pages;	/* of them, on flash but missing in the map journal */
	uint64_t damaged_pages;		/* older data destroyed: reads fail with -EIO */
	uint64_t shorn_pages;		/* half old, half new */
	bool dead;			/* every later command fails with -ENXIO */
};
/* 0; -EOPNOTSUPP on hard disks; -ENOMEM. Commands must have been submitted with now_ns <= cut_ns. */
int sim_drive_power_cut(struct sim_drive *drive, uint64_t cut_ns, struct sim_cut *ret_cut);

/* What no host could know. Read by tests and stored as "truth"; never used by the analysis. Gives a malloc'ed
 * JSON object text (caller frees), NULL when out of memory. */
char *sim_drive_truth_json(const struct sim_drive *drive);
void sim_drive_truth(const struct sim_drive *drive, struct sim_truth *ret_truth);	/* see truth.h */
/* Model name, "serial" (from profile and seed), firmware, as identity facts: static for the drive's life. */
const char *sim_drive_model(const struct sim_drive *drive);
const char *sim_drive_serial(const struct sim_drive *drive);
const char *sim_drive_firmware(const struct sim_drive *drive);
double sim_drive_temperature_c(const struct sim_drive *drive, uint64_t now_ns);
uint32_t sim_drive_shrink(const struct sim_drive *drive);	/* 1 = real size */
