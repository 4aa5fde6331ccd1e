/* purge: a target back to the state of a drive that has never been written. Private to room run. */
#pragma once
#include "run/carry.h"

int purge_run(struct conductor *conductor, struct point *point, struct step_record *record);
