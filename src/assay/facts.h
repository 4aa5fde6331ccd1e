/* facts: what is known about a target before and after a run, as JSON for the run file. */
#pragma once
#include "assay/assay.h"
#include "store/store.h"

/* Writes the drive's row: identity and state before the run. 0 or the store's -errno. */
int facts_before(struct store *store, uint32_t index, const struct assay_target *target);
/* The state after it, the longest stall, and a simulated drive's truth. */
int facts_after(struct store *store, uint32_t index, const struct assay_target *target, uint64_t longest_stall_ns);
