/* prepare: before a step reads, is there something to read? Private to room run. */
#pragma once
#include "run/carry.h"

/* Makes sure that a step that reads finds written data: fills files and simulated drives first, refuses block
 * devices. 0, or -errno; conductor->ended when refused. */
int prepare_run(struct conductor *conductor, const struct point *point);
/* Where in the run the filling for a point's load is kept: step_record.path. */
void prepare_path(const struct point *point, uint32_t load, char path[PATH_BYTES]);
