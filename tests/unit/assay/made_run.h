/* made_run: a run file with one step and one load, written by hand, so that checks and criteria can be judged
 * without a run. */
#pragma once
#include "../plan/fixture.h"
#include "assay/conclude.h"

struct made_run {
	char directory[64], path[128];
	struct store *store;
	struct run_record run;
	struct drive_record drive;
	struct step_record step;
	struct load_record load;
	struct tally *total;
};

/* The records filled for a healthy second of 4 KiB reads at 100 us, QD 4; change them, then made_run_write. */
void made_run_init(struct made_run *made);
/* `ios` I/Os of one op that took so long each, in the total. */
void made_run_add(struct made_run *made, enum io_op op, uint64_t ios, uint32_t bytes, uint64_t service_ns);
void made_run_write(struct made_run *made);	/* creates the store; the interval is the total */
/* conclude(); the result of a check by name, fails when it is not there. */
bool made_run_conclude(struct made_run *made, const struct plan *plan);
const struct check_record *made_run_check(struct made_run *made, const char *name);
void made_run_release(struct made_run *made);
