/* steady: puts a drive into a state that would take hours to write.
 *
 * Sequential: every page written once in order, natively. Steady: the state that uniform random writes reach,
 * built from the closed form: superblocks ordered by age a hold a share exp(-w a) of valid pages
 * (closed_form.h), logical pages in an order of full period, valid pages at random places. No time passes. */
#pragma once
#include "sim/ftl.h"

/* The FTL must be empty. 0 or -ENOSPC (cannot happen with a geometry that sim_geometry_init accepted). */
int sim_precondition(struct sim_ftl *ftl, enum sim_precondition state, uint64_t seed);
