#include "store/row.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include "store/connection.h"

static void bound(struct binder *binder, int code)
{
	if (code != SQLITE_OK && binder->error == 0)
		binder->error = store_error(NULL, code);
}

void bind_i64(struct binder *binder, int64_t value)
{
	bound(binder, sqlite3_bind_int64(binder->statement, ++binder->column, value));
}

void bind_u64(struct binder *binder, uint64_t value)
{
	if (value > INT64_MAX && binder->error == 0)
		binder->error = -ERANGE;
	bind_i64(binder, (int64_t)value);
}

void bind_real(struct binder *binder, double value)
{
	bound(binder, sqlite3_bind_double(binder->statement, ++binder->column, value));
}

void bind_text(struct binder *binder, const char *text)
{
	size_t bytes = text ? strlen(text) : 0;

	if (bytes >= STORE_VALUE_BYTES_MAX && binder->error == 0)
		binder->error = -EFBIG;
	bound(binder, sqlite3_bind_text64(binder->statement, ++binder->column, text, bytes, SQLITE_STATIC,
					  SQLITE_UTF8));
}

void bind_blob(struct binder *binder, const void *bytes, size_t count)
{
	if (count >= STORE_VALUE_BYTES_MAX && binder->error == 0)
		binder->error = -EFBIG;
	bound(binder, sqlite3_bind_blob64(binder->statement, ++binder->column, bytes, count, SQLITE_STATIC));
}

void bind_null(struct binder *binder)
{
	bound(binder, sqlite3_bind_null(binder->statement, ++binder->column));
}

void row_fail(struct row *row, int error)
{
	if (row->error == 0)
		row->error = error;
}

static bool next_is_null(struct row *row, int wanted, int also_wanted)
{
	int type = sqlite3_column_type(row->statement, row->column);

	if (type != wanted && type != also_wanted && type != SQLITE_NULL)
		row_fail(row, -EBADMSG);
	if (type == wanted || type == also_wanted)
		return false;
	row->column++;
	return true;
}

int64_t row_i64(struct row *row)
{
	if (next_is_null(row, SQLITE_INTEGER, SQLITE_INTEGER))
		return 0;
	return sqlite3_column_int64(row->statement, row->column++);
}

uint64_t row_u64_max(struct row *row, uint64_t max)
{
	int64_t value = row_i64(row);

	if (value >= 0 && (uint64_t)value <= max)
		return (uint64_t)value;
	row_fail(row, -EBADMSG);
	return 0;
}

uint64_t row_u64(struct row *row)
{
	return row_u64_max(row, INT64_MAX);
}

uint64_t row_u64_or(struct row *row, uint64_t if_null)
{
	if (sqlite3_column_type(row->statement, row->column) != SQLITE_NULL)
		return row_u64(row);
	row->column++;
	return if_null;
}

uint32_t row_u32(struct row *row)
{
	return (uint32_t)row_u64_max(row, UINT32_MAX);
}

bool row_bool(struct row *row)
{
	return row_u64_max(row, 1) == 1;
}

double row_real_or(struct row *row, double if_null)
{
	double value;

	if (next_is_null(row, SQLITE_FLOAT, SQLITE_INTEGER))
		return if_null;
	value = sqlite3_column_double(row->statement, row->column++);
	if (isfinite(value))
		return value;
	row_fail(row, -EBADMSG);
	return if_null;
}

double row_real(struct row *row)
{
	return row_real_or(row, NAN);
}

/* Length of the valid UTF-8 sequence at `text` (NUL-terminated), 0 when there is none. */
static uint32_t utf8_sequence(const unsigned char *text)
{
	static const struct {
		unsigned char mask, lead; uint32_t bytes; uint32_t low;
	} form[] = {
		{ 0x80, 0x00, 1, 0 },
		{ 0xe0, 0xc0, 2, 0x80 },
		{ 0xf0, 0xe0, 3, 0x800 },
		{ 0xf8, 0xf0, 4, 0x10000 },
	};

	for (size_t i = 0; i < sizeof(form) / sizeof(form[0]); i++) {
		uint32_t point = text[0] & (unsigned char)~form[i].mask, k;

		if ((text[0] & form[i].mask) != form[i].lead)
			continue;
		for (k = 1; k < form[i].bytes && (text[k] & 0xc0) == 0x80; k++)
			point = point << 6 | (text[k] & 0x3f);
		if (k < form[i].bytes || point < form[i].low || point > 0x10ffff ||
		    (point >= 0xd800 && point < 0xe000))
			return 0;
		return form[i].bytes;
	}
	return 0;
}

static void mend_utf8(char *text)
{
	unsigned char *at = (unsigned char *)text;

	while (*at) {
		uint32_t bytes = utf8_sequence(at);

		if (bytes == 0)
			*at = '?';
		at += bytes ? bytes : 1;
	}
}

const char *row_text(struct row *row)
{
	const unsigned char *text;
	char *copy;

	if (next_is_null(row, SQLITE_TEXT, SQLITE_TEXT))
		return NULL;
	text = sqlite3_column_text(row->statement, row->column++);
	copy = text ? arena_strdup(row->arena, (const char *)text) : NULL;
	if (copy)
		mend_utf8(copy);
	else
		row_fail(row, -ENOMEM);
	return copy;
}

const void *row_blob(struct row *row, size_t *ret_count)
{
	const void *bytes;

	*ret_count = 0;
	if (next_is_null(row, SQLITE_BLOB, SQLITE_BLOB))
		return NULL;
	bytes = sqlite3_column_blob(row->statement, row->column);
	*ret_count = bytes ? (size_t)sqlite3_column_bytes(row->statement, row->column) : 0;
	row->column++;
	return bytes;
}

int row_name(struct row *row, const char *(*name_of)(int value), int count)
{
	const unsigned char *text = NULL;

	if (!next_is_null(row, SQLITE_TEXT, SQLITE_TEXT))
		text = sqlite3_column_text(row->statement, row->column++);
	for (int i = 0; text && i < count; i++)
		if (strcmp((const char *)text, name_of(i)) == 0)
			return i;
	row_fail(row, -EBADMSG);
	return 0;
}
