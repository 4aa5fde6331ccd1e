/* row: values into a statement and out of a row, one after the other, with one check at the end. Only for
 * src/store. */
#pragma once
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

/* Binds the parameters 1, 2, ... in order. `error` stays at the first failure: -ERANGE for numbers above
 * INT64_MAX (SQLite has no larger ones), -EFBIG for texts and blobs that are too long. Texts and blobs are
 * borrowed until the statement ran. */
struct binder {
	sqlite3_stmt *statement;
	int column;
	int error;
};

void bind_u64(struct binder *binder, uint64_t value);
void bind_i64(struct binder *binder, int64_t value);
void bind_real(struct binder *binder, double value);		/* NaN becomes NULL */
void bind_text(struct binder *binder, const char *text);	/* NULL becomes NULL */
void bind_blob(struct binder *binder, const void *bytes, size_t count);
void bind_null(struct binder *binder);

/* Reads the columns 0, 1, ... of the current row in order. `error` stays at the first failure: -EBADMSG for
 * values of the wrong type or sign or out of range, -ENOMEM. Values are 0, NULL or NaN then. */
struct row {
	sqlite3_stmt *statement;
	struct arena *arena;	/* texts are copied to it */
	int column;
	int error;
};

uint64_t row_u64(struct row *row);			/* NULL reads as 0 */
uint64_t row_u64_or(struct row *row, uint64_t if_null);
uint64_t row_u64_max(struct row *row, uint64_t max);	/* more than max is an error */
uint32_t row_u32(struct row *row);
int64_t row_i64(struct row *row);
bool row_bool(struct row *row);
double row_real(struct row *row);			/* NULL reads as NaN; infinity is an error */
double row_real_or(struct row *row, double if_null);
const char *row_text(struct row *row); /* valid UTF-8: what isn't becomes '?'; NULL reads as NULL */
/* Borrowed until the next row. NULL reads as no bytes. */
const void *row_blob(struct row *row, size_t *ret_count);
/* Index of the text in `names`; anything else is an error. */
int row_name(struct row *row, const char *(*name_of)(int value), int count);
void row_fail(struct row *row, int error);		/* keeps the first */
