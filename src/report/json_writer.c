#include "report/json_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/utf8.h"

void json_writer_init(struct json_writer *writer, struct text *out, uint32_t break_depth)
{
	*writer = (struct json_writer){ .out = out, .break_depth = break_depth };
}

static void line_break(struct json_writer *writer)
{
	if (!writer->depth || writer->depth > writer->break_depth)
		return;
	text_append_char(writer->out, '\n');
	for (uint32_t i = 0; i < writer->depth; i++)
		text_append(writer->out, "  ");
}

static void append_string(struct text *out, const char *string)
{
	text_append_char(out, '"');
	while (*string) {
		uint32_t length = utf8_length(string);
		unsigned char c = (unsigned char)*string;

		if (!length)
			text_append(out, UTF8_REPLACEMENT);
		else if (c == '"' || c == '\\')
			text_printf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			text_printf(out, "\\u%04x", c);
		else
			text_append_bytes(out, string, length);
		string += length ? length : 1;
	}
	text_append_char(out, '"');
}

static void member(struct json_writer *writer, const char *key)
{
	if (writer->started)
		text_append(writer->out, writer->depth > writer->break_depth ? ", " : ",");
	line_break(writer);
	writer->started = true;
	if (key) {
		append_string(writer->out, key);
		text_append(writer->out, ": ");
	}
}

void json_open(struct json_writer *writer, const char *key, char bracket)
{
	member(writer, key);
	text_append_char(writer->out, bracket);
	writer->depth++;
	writer->started = false;
}

void json_close(struct json_writer *writer, char bracket)
{
	bool breaks = writer->started && writer->depth <= writer->break_depth;

	writer->depth--;
	if (breaks && writer->depth)
		line_break(writer);
	else if (breaks)
		text_append_char(writer->out, '\n');
	text_append_char(writer->out, bracket);
	writer->started = true;
}

void json_text(struct json_writer *writer, const char *key, const char *string)
{
	member(writer, key);
	if (string)
		append_string(writer->out, string);
	else
		text_append(writer->out, "null");
}

void json_u64(struct json_writer *writer, const char *key, uint64_t number)
{
	member(writer, key);
	text_printf(writer->out, "%llu", (unsigned long long)number);
}

/* Shortest of 15 or 17 digits that reads back the same; always with a point or an exponent, so that it stays
 * real. */
static void append_real(struct text *out, double number)
{
	char digits[40];

	snprintf(digits, sizeof(digits), "%.15g", number);
	if (strtod(digits, NULL) != number)
		snprintf(digits, sizeof(digits), "%.17g", number);
	text_append(out, digits);
	if (!strpbrk(digits, ".e"))
		text_append(out, ".0");
}

void json_number(struct json_writer *writer, const char *key, double number)
{
	member(writer, key);
	if (isfinite(number))
		append_real(writer->out, number);
	else
		text_append(writer->out, "null");
}

void json_flag(struct json_writer *writer, const char *key, bool flag)
{
	member(writer, key);
	text_append(writer->out, flag ? "true" : "false");
}

void json_none(struct json_writer *writer, const char *key)
{
	member(writer, key);
	text_append(writer->out, "null");
}

static void json_members(struct json_writer *writer, const json_t *value)
{
	const char *name;
	json_t *child;
	size_t index;

	if (json_is_object(value))
		json_object_foreach((json_t *)value, name, child)
			json_value(writer, name, child);
	else
		json_array_foreach(value, index, child)
			json_value(writer, NULL, child);
}

void json_value(struct json_writer *writer, const char *key, const json_t *value)
{
	if (json_is_object(value) || json_is_array(value)) {
		json_open(writer, key, json_is_object(value) ? '{' : '[');
		json_members(writer, value);
		json_close(writer, json_is_object(value) ? '}' : ']');
	} else if (json_is_string(value)) {
		json_text(writer, key, json_string_value(value));
	} else if (json_is_integer(value)) {
		member(writer, key);
		text_printf(writer->out, "%lld", (long long)json_integer_value(value));
	} else if (json_is_real(value)) {
		json_number(writer, key, json_real_value(value));
	} else if (json_is_boolean(value)) {
		json_flag(writer, key, json_is_true(value));
	} else {
		json_none(writer, key);
	}
}

void json_document(struct json_writer *writer, const char *key, const char *document)
{
	json_t *value =
		document ? json_loads(document, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL) : NULL;

	if (document && !value) {
		json_open(writer, key, '{');
		json_text(writer, "unreadable", document);
		json_close(writer, '}');
	} else {
		json_value(writer, key, value);
	}
	json_decref(value);
}
