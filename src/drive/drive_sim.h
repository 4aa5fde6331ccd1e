/* drive_sim: a simulated drive as a target. The only door to room `sim` besides the engine. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/fault.h"
#include "base/target.h"
#include "base/text.h"

bool drive_sim_is(const char *target_name);	/* starts with "sim:" */

/* `spec` is what follows "sim:". Makes the drive; the target carries it (ret_target->sim) and its size, block
 * size and may_write = true; fd = -1. -EINVAL with fault, -ENOMEM. Close with drive_sim_close, which takes
 * the drive. */
int drive_sim_open(const char *spec, uint64_t seed, struct target *ret_target, struct fault *fault);
void drive_sim_close(struct target *target);

double drive_sim_temperature_c(const struct target *target, uint64_t now_ns);
/* What a drive's log would tell: bytes that the host wrote, and that went to flash, since the drive was
 * made. */
void drive_sim_writes(const struct target *target, uint64_t *ret_host_bytes, uint64_t *ret_nand_bytes);
/* JSON object texts, caller frees; NULL when out of memory. Facts have the keys of drive_facts_json. */
char *drive_sim_facts_json(const struct target *target);
char *drive_sim_truth_json(const struct target *target);
/* The built-in profiles, a line each; or with a name that profile's parameters. -EINVAL with fault. */
int drive_sim_profiles(const char *name_or_null, struct text *out, struct fault *fault);
/* Identity: static for the drive's life. */
const char *drive_sim_model(const struct target *target);
const char *drive_sim_serial(const struct target *target);
const char *drive_sim_firmware(const struct target *target);
/* The drive's volatile write cache; returns whether it was on. */
bool drive_sim_set_write_cache(const struct target *target, bool on);
