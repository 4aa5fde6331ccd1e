/* text: a growing byte buffer, always NUL-terminated.
 *
 * The first failed allocation is remembered in `error` (-ENOMEM) and later appends do nothing, so that a
 * writer checks once at its end. A zero-initialised struct is empty and releasable. Not thread-safe. */
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *data;		/* owned; NULL while empty: use text_data() to read */
	size_t bytes;		/* without the NUL */
	size_t capacity;
	int error;		/* 0 or -ENOMEM, sticky */
};

void text_release(struct text *text);
void text_clear(struct text *text);			/* empties, keeps the memory */
const char *text_data(const struct text *text);		/* never NULL */
void text_append(struct text *text, const char *string);
void text_append_bytes(struct text *text, const void *bytes, size_t count);
void text_append_char(struct text *text, char character);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list args);
/* For HTML and SVG text and attribute values: & < > " ' escaped, other control characters replaced by
 * U+FFFD. */
void text_append_xml(struct text *text, const char *string);
/* Reads a whole file of at most `bytes_max`; 0, -EFBIG or another -errno. Appends to text. */
int text_read_file(struct text *text, const char *path, size_t bytes_max);
/* Gives the string to the caller (free with free()); the text is empty afterwards. NULL on error. */
char *text_take(struct text *text);
