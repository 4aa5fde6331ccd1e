/* support: what the tests of the report share. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/text.h"
#include "fake_run.h"
#include "store/store.h"

/* A run of that kind in a new temporary folder; closed and removed by fake_close(). */
struct fake_file {
	char folder[64], path[96];
	struct store *store;
};
void fake_open(struct fake_file *file, enum fake_kind kind, uint32_t seconds);
void fake_close(struct fake_file *file);

/* Compares with tests/golden/report/NAME; with SSDASSAY_BLESS=1 in the environment writes it instead. */
void assert_golden(const char *name, const struct text *text);
