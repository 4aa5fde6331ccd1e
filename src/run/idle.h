/* idle: time that passes; a note is idle time of length 0. Private to room run. */
#pragma once
#include "run/carry.h"

int idle_run(struct conductor *conductor, struct point *point, struct step_record *record);
