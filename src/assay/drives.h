/* drives: what a drive of this machine tells of itself, asked so that one that hangs holds up nobody. */
#pragma once
#include <stdbool.h>
#include "base/text.h"

/* Appends to `out` what drive_facts_text, or drive_facts_json, says of the drive with this kernel name. 0; 1: it
 * did not answer, and that is what is told of it; -ENOENT: it is gone, and nothing is; another -errno. */
int drives_tell(const char *name, bool json, struct text *out);
