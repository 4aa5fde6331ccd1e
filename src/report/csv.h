/* csv: one comma-separated file (RFC 4180: CRLF, fields quoted when they need it), written under a temporary
 * name and put in place when it is complete. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/output.h"

struct csv {
	FILE *stream;		/* owned; writes to `output` */
	struct output output;
	bool started;		/* the row has a field */
};

/* As output_open. A csv whose creation failed may be discarded. */
int csv_create(struct csv *csv, int directory, const char *name, struct fault *fault);
int csv_finish(struct csv *csv);	/* 0, or -errno (disk full ...): then nothing is left behind */
void csv_discard(struct csv *csv);

/* NULL is an empty field. Words come from drives and plans: what a spreadsheet would compute (it begins with
 * = + - @ tab or return) gets an apostrophe before it; control characters and what is no UTF-8 become
 * U+FFFD. */
void csv_text(struct csv *csv, const char *string);
void csv_u64(struct csv *csv, uint64_t number);
void csv_i64(struct csv *csv, int64_t number);
void csv_number(struct csv *csv, double number);	/* not finite: empty */
void csv_empty(struct csv *csv);
void csv_row_end(struct csv *csv);
