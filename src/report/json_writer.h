/* json_writer: valid JSON into a text: commas, indentation, escapes, finite numbers.
 *
 * Strings may hold anything: control characters are escaped, bytes that aren't UTF-8 become U+FFFD; NULL is
 * null. Numbers that aren't finite are null. Errors are those of the text. Unique keys are the caller's duty.
 */
#pragma once
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/text.h"

struct json_writer {
	struct text *out;
	uint32_t depth;
	uint32_t break_depth;	/* containers deeper than this stay on one line */
	bool started;		/* the current container has a member */
};

void json_writer_init(struct json_writer *writer, struct text *out, uint32_t break_depth);
/* key NULL: an element of an array, or the document itself. */
void json_open(struct json_writer *writer, const char *key, char bracket);	/* '{' or '[' */
void json_close(struct json_writer *writer, char bracket);			/* '}' or ']' */
void json_text(struct json_writer *writer, const char *key, const char *string);
void json_u64(struct json_writer *writer, const char *key, uint64_t number);
void json_number(struct json_writer *writer, const char *key, double number);
void json_flag(struct json_writer *writer, const char *key, bool flag);
void json_none(struct json_writer *writer, const char *key);
/* A whole value that was parsed; NULL is null. */
void json_value(struct json_writer *writer, const char *key, const json_t *value);
/* A stored JSON document: NULL is null, one that cannot be parsed is {"unreadable": "its text"}. */
void json_document(struct json_writer *writer, const char *key, const char *document);
