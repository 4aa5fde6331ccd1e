/* abandoned: a run that is stored as running and that nobody runs any more. Only for src/store. */
#pragma once
#include "store/records.h"

/* Its status becomes RUN_INTERRUPTED, and its status_text (static) says what is known of the end. */
void run_abandoned(struct run_record *run);
