/* measuring: the process that does the I/O of one step on real targets. It owns the workers' threads and the
 * open targets, and nothing else: no terminal, no run file. It dies with its parent, and it can hang or be
 * killed without anything being lost, since all that it records lies on the board. */
#pragma once
#include "run/run.h"
#include "run/stage.h"

/* Runs the stage to its end in the calling process: opens the targets (target_count: of the run), starts the
 * workers, waits for them. What happened stands on the board. Returns the exit status of the process. */
int measuring_main(const struct stage *stage, uint32_t target_count);
