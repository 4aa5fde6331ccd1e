/* mkfs: a step that makes a file system on the target. Private to room run. */
#pragma once
#include "run/carry.h"

int mkfs_run(struct conductor *conductor, struct point *point, struct step_record *record);
