/* The subjects that the front side of a step is made of, each in a file of its own. Private to step*.c. */
#pragma once
#include "run/step.h"

/* step_fail.c: how the failure of a load's I/O is told: its target by name, and why. */
const char *step_target_name(const struct step *step, uint32_t load);
/* A worker met the end of its device: fails the step, unless it has failed already. */
void step_fail_io(struct step *step, const struct worker_board *worker);

/* step_hang.c: puts `what`, of at most 95 bytes, before the oldest I/O in flight in step->notice. */
void step_notice_before(struct step *step, const char *what);

/* step_load.c: what is told of one load at its begin and at its end. 0 or -errno. */
void step_load_describe(struct step *step, uint32_t load);
int step_load_tell(struct step *step, uint32_t load);

/* step_collect.c: from the board to the observer and to the stop rules. */
/* Takes the loads' intervals side by side, so that the stop rules see whole intervals. 0 or -errno. */
int step_collect(struct step *step, uint64_t now_ns);
/* The interval in hand is complete over all loads: to the stop rules. 0 or -errno. */
int step_feed_flush(struct step *step);
/* A load that ends before the others has its own last interval and its own duration. */
void step_loads_close(struct step *step);

/* step_progress.c */
/* The last full interval, of the first load. */
void step_progress_note(struct step *step, const struct tally *tally);
void step_progress_tell(struct step *step, uint64_t now_ns);

/* step_stalls.c: a stall is when all workers on a target are silent: one merger per target. 0 or -errno. */
int step_stalls_new(struct step *step);
/* The pauses of the computer that the watch has taken since its count was `since`: no standstills of a drive. */
void step_stalls_pause(struct step *step, uint64_t since);
/* At the end: into the record and the target; told when there was any of 10 ms or more. */
int step_stalls_tell(struct step *step, uint64_t now_ns);
