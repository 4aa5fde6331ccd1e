/* drive_read: how the facts of one drive are gathered and judged; the inside of drive_find and drive_list. */
#pragma once
#include "drive/block.h"
#include "drive/drive.h"

/* Fills zeroed facts of `block`, which is `disk` or a partition of it. 0 or -errno; release them in both
 * cases. */
int drive_read(const struct machine *machine, const struct block *block, const struct block *disk,
	       struct drive_facts *facts);
/* What the drive itself is asked on top of sysfs and of facts->health: identity, power states, error log, a
 * sanitize that is under way; what it does not answer, and why, goes to facts->not_read. */
void drive_ask(const struct machine *machine, const struct block *disk, struct drive_facts *facts);
/* Adds to facts->warnings what a person should know before measuring. `ambiguous`: the identity is not its
 * own. */
void drive_warn(struct drive_facts *facts, bool ambiguous);
