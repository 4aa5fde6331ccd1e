/* powercut: what a flash drive has lost when its power goes.
 *
 * Pages acknowledged but not on flash (buffered, or their program operation still running) go back to the
 * version before, if its flash has not been erased since, else to unmapped. With a map journal, so do pages
 * on flash whose map update was written after the last journal. Power-loss protection keeps everything. */
#pragma once
#include "sim/sim.h"
#include "sim/ssd.h"

/* Fills ret_cut apart from `dead`; `random` decides about shorn pages. 0 or -ENOMEM. */
int sim_ssd_power_cut(struct sim_ssd *ssd, const struct sim_params *params, struct random *random,
		      uint64_t cut_ns, struct sim_cut *ret_cut);
