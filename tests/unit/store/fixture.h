/* fixture: a temporary place, a filled run file and its rows, seeded. For the tests of the store. */
#pragma once
#include <stdint.h>
#include "base/random.h"
#include "store/store.h"

struct fixture {
	char directory[64];
	char path[96];		/* of the run file, not there yet */
};

int fixture_setup(void **state);	/* cmocka group or test setup */
int fixture_teardown(void **state);	/* removes everything */
void fixture_remove_run(struct fixture *fixture);	/* the run file and its side files */

/* A seeded tally: reads always, writes by turns, response and lateness when open. */
void tally_fill(struct tally *tally, struct random *random, uint64_t index, uint32_t ios, bool open);
struct tally *tally_new(void);		/* cleared; free() */
void logged_fill(struct logged_io *io, struct random *random, uint64_t submit_ns);

/* Writes one step of `intervals` seconds with one load, with everything a run file can hold, and commits. */
void run_fill(struct store *store, uint64_t step, uint32_t intervals, uint64_t seed);
/* Reads everything with every reading function; the first error, or 0. Counts the interval rows. */
int run_read_all(struct store *store, uint64_t *ret_rows);
