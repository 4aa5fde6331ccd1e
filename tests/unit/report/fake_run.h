/* fake_run: run files with known contents, for tests of the report: seeded, the same bytes of numbers every
 * time. */
#pragma once
#include <stdint.h>
#include "store/store.h"

enum fake_kind {
	FAKE_QUICK, /* four patterns, read and write, 5 repeats of 2 s */
	FAKE_HOUR, /* purge, fill, one hour of random writes with a cliff, slow waves, stalls, and temperature
		    */
	FAKE_SWEEP,   /* one key: queue depth 1 .. 256, mixed 70/30; two keys: block size x threads */
	FAKE_ROUNDS,  /* a group of 8 rounds x 4 block sizes, steady at the end */
	FAKE_OPEN,    /* open loop: response and lateness; flush, fsync and trim apart */
	FAKE_EMPTY,   /* a load that did no I/O, one that ran for no time, an idle step; interrupted */
	FAKE_PAIR,    /* two drives side by side in one step, the second at half the speed */
	FAKE_HOSTILE, /* names with markup, quotes, tabs, newlines, escapes, broken UTF-8, emoji; huge numbers
		       */
	FAKE_KINDS
};
extern const char *const fake_kind_name[FAKE_KINDS];

/* Makes the run file at `path` (must not exist); seconds > 0 sets the length of FAKE_HOUR's hour. 0 or
 * -errno. */
int fake_run(const char *path, enum fake_kind kind, uint32_t seconds, uint64_t seed);
