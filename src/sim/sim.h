/* sim: a drive that exists only here, in virtual time.
 *
 * Contract towards engine_sim.c and drive_sim.c (nobody else includes src/sim). A sim_drive is single-threaded.
 * Times are virtual ns; commands are given in the order of `now_ns` (never backwards). */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/fault.h"
#include "base/io.h"

struct sim_drive;

/* `spec` is what follows "sim:": PROFILE[,key=value...]; PROFILE is a built-in's name or a path to a text file.
 * `seed` seeds the drive's own random numbers. 0, -EINVAL with fault (unknown profile or key with the nearest
 * name, value out of range), -ENOMEM. */
int sim_drive_new(const char *spec, uint64_t seed, struct sim_drive **ret_drive, struct fault *fault);
struct sim_drive *sim_drive_free(struct sim_drive *drive);	/* takes NULL, returns NULL */

uint64_t sim_drive_capacity_bytes(const struct sim_drive *drive);
uint32_t sim_drive_block_bytes(const struct sim_drive *drive);	/* logical block: 512 or 4096 */
uint32_t sim_drive_queue_depth(const struct sim_drive *drive);	/* commands the device itself holds at once */

/* A command enters the drive at now_ns. Returns when it completes and its result: *ret_done_ns >= now_ns, result =
 * bytes or -errno. A hang is a completion far away (fault injection), never a blocked call. */
int32_t sim_drive_submit(struct sim_drive *drive, const struct io *io, uint64_t now_ns, uint64_t *ret_done_ns);

/* What no host could know. Read by tests and stored as "truth"; never used by the analysis. Gives a malloc'ed
 * JSON object text (caller frees), NULL when out of memory. */
char *sim_drive_truth_json(const struct sim_drive *drive);
/* Model name, "serial" (from profile and seed), firmware, as identity facts: static for the drive's life. */
const char *sim_drive_model(const struct sim_drive *drive);
const char *sim_drive_serial(const struct sim_drive *drive);
double sim_drive_temperature_c(const struct sim_drive *drive, uint64_t now_ns);
uint32_t sim_drive_shrink(const struct sim_drive *drive);	/* 1 = real size */
