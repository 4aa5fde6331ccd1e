/* facts: what is known about a target before and after a run, as JSON for the run file. */
#pragma once
#include "assay/assay.h"
#include "store/store.h"

/* Writes the drive's row: identity and state before the run, as far as the drive tells them in time, and
 * before *interrupted (may be NULL) is set. 0 or the store's -errno. */
int facts_before(struct store *store, uint32_t index, const struct assay_target *target,
		 const volatile sig_atomic_t *interrupted);
/* The state after it, the longest stall, and a simulated drive's truth. When *interrupted is set already, the
 * user waits, and the drive gets little time to answer. */
int facts_after(struct store *store, uint32_t index, const struct assay_target *target,
		uint64_t longest_stall_ns, const volatile sig_atomic_t *interrupted);
