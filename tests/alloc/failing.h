/* failing: an allocator that says no when it is told to.
 *
 * The test program is linked with -Wl,--wrap: what our rooms ask of malloc, calloc, realloc, reallocarray,
 * strdup, aligned_alloc, vasprintf, opendir, fdopen, mmap, pthread_create and zlib comes here first; jansson
 * and SQLite are given the same functions. What the C library allocates for itself is not failed. Atomic:
 * threads may allocate. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum failing_mode {
	FAILING_ONE,	/* the n-th request */
	FAILING_ALL,	/* the n-th and each one after it, until failing_disarm */
};

/* Once, before anything else: routes jansson and SQLite. Aborts when it cannot. */
void failing_install(void);
/* The n-th request from here on (1 = the next one) fails. */
void failing_arm(enum failing_mode mode, uint64_t n);
/* Nothing fails from here on. Did anything, since it was armed? */
bool failing_disarm(void);

/* Given out and not yet given back: blocks of memory of our own and of jansson's, mappings, SQLite's blocks. */
struct failing_live {
	int64_t blocks, maps, sqlite;
};
struct failing_live failing_live(void);
