/* examined: a target as the guard sees it, on its way from the process that looked to the one that asked. */
#pragma once
#include "assay/assay.h"
#include "base/text.h"

/* Appends it to `text`. What it borrows (names of the command line) is the same in both processes. */
void examined_pack(const struct assay_target *target, struct text *text);
/* The next one from *at on, which is moved behind it. 0; -ENODATA: there is none, *ret_target is as it was;
 * -ENOMEM. */
int examined_unpack(const struct text *text, size_t *at, struct assay_target *ret_target);
