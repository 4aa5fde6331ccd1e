/* load_fits: whether a load can be carried out on a target at all: asked before a run begins, so that what cannot be
 * is told by check, and refused before anything is made. Private to room run. */
#pragma once
#include <stdbool.h>
#include "base/fault.h"
#include "plan/plan.h"
#include "run/run.h"
#include "work/work.h"

/* Does it send I/Os of this kind? */
bool load_sends(const struct load *load, enum io_op op);
/* Engine, blocks of O_DIRECT, place for one I/O in the range, atomic writes, trims, polling, NUMA nodes. 0 or -EINVAL with
 * fault. Opens nothing. */
int load_fits(const struct load *load, const struct run_target *at, const struct work_range *range, struct fault *fault);
