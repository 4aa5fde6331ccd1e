/* Loads as a plan would make them, and walks over their I/O. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "work/work.h"

#define KIB 1024u
#define MIB (1024u * 1024u)
#define GIB (1024ull * 1024 * 1024)

struct load load_make(enum load_rw rw, uint32_t bytes);
void load_sizes_set(struct load *load, struct load_sizes sizes);		/* of all directions */
struct work_config config_make(const struct load *load, uint64_t target_bytes);
struct work *work_make(const struct work_config *config);	/* fails the test when it can't */

/* The next I/O; fails the test when there is none. */
struct io io_next(struct work *work);
/* Chi-square statistic of counts that should all be equal. */
double chi_square(const uint32_t *counts, uint32_t cells);
/* What it may be, with odds of 1 in a million: normal approximation by Wilson and Hilferty. */
double chi_square_limit(uint32_t degrees);
