/* fixture: what the tests of the simulated drive share. Include first. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "load.h"
#include "sim/params.h"

#define US 1000ull
#define MS 1000000ull
#define S 1000000000ull

/* A drive that must exist; fails the test with the fault's text otherwise. */
struct sim_drive *drive_make(const char *spec, uint64_t seed);
struct sim_params params_make(const char *spec);
/* |actual / expected - 1| <= share, with a message that shows both. */
void assert_near(double actual, double expected, double share);
/* One I/O at now_ns; returns its completion; fails the test unless the result is `bytes` or 0 for trim and
 * flush. */
uint64_t io_do(struct sim_drive *drive, enum io_op op, uint64_t offset, uint32_t bytes, uint64_t now_ns);
/* Trims all of the drive, one piece after the other; when that is done. */
uint64_t drive_trim(struct sim_drive *drive, uint64_t now_ns);
