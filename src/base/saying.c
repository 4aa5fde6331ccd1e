#include "base/saying.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPEC_BYTES 16	/* of "%.100s" */

_Static_assert(sizeof(unsigned long) == sizeof(uint64_t) && sizeof(size_t) == sizeof(uint64_t), "one width");

void saying_release(struct saying *saying)
{
	text_release(&saying->english);
	json_decref(saying->pieces);
	*saying = (struct saying){ 0 };
}

const char *saying_text(const struct saying *saying)
{
	return text_data(&saying->english);
}

char *saying_json(const struct saying *saying)
{
	return saying->pieces ? json_dumps(saying->pieces, JSON_COMPACT) : strdup("[]");
}

bool conversion_next(const char *format, struct conversion *ret_conversion)
{
	const char *start = strchr(format, '%'), *at = start ? start + 1 : NULL;
	unsigned place = 0;
	size_t digits;

	if (!start)
		return false;
	digits = strspn(at, "0123456789");
	if (digits && digits < 3 && at[digits] == '$') {
		place = (unsigned)strtoul(at, NULL, 10);
		at += digits + 1;
	}
	at += strspn(at, "0123456789.+-# lz");
	if (!*at || !strchr("%diuxfgscp", *at))
		return false;
	*ret_conversion = (struct conversion){ .start = start, .end = at + 1, .place = place, .letter = *at };
	return true;
}

/* The value of one conversion, as text of its own. */
static void value_print(const struct conversion *conversion, va_list *args, struct text *text)
{
	size_t length = (size_t)(conversion->end - conversion->start);
	char spec[SPEC_BYTES];
	bool is_long = memchr(conversion->start, 'l', length),
	     is_size = memchr(conversion->start, 'z', length);

	if (length >= sizeof(spec) || conversion->place) {
		text->error = -EINVAL;
		return;
	}
	memcpy(spec, conversion->start, length);
	spec[length] = '\0';
	if (conversion->letter == 's')
		text_printf(text, spec, va_arg(*args, const char *));
	else if (strchr("fg", conversion->letter))
		text_printf(text, spec, va_arg(*args, double));
	else if (is_long || is_size)
		text_printf(text, spec, va_arg(*args, unsigned long));	/* as wide as size_t and uint64_t */
	else
		text_printf(text, spec, va_arg(*args, int));
}
static void error_take(struct saying *saying, int error)
{
	if (!saying->error)
		saying->error = error;
}

/* JSON is UTF-8, names of files may be anything. */
static json_t *value_json(struct text *text)
{
	json_t *value = json_string(text_data(text));

	for (size_t i = 0; !value && i < text->bytes; i++)
		if (text->data[i] & 0x80)
			text->data[i] = '?';
	return value ? value : json_string(text_data(text));
}

/* The value of one conversion behind the piece's values, and behind the sentence; after a failure too, for
 * what is taken must be released. */
static void value_add(struct saying *saying, const struct conversion *conversion, va_list *args,
		      json_t *piece)
{
	struct text text = { 0 };
	json_t *value;

	if (conversion->letter == 'p') {
		struct saying *inner = va_arg(*args, struct saying *);

		error_take(saying, inner->error);
		text_append(&saying->english, saying_text(inner));
		value = inner->pieces ? json_incref(inner->pieces) : json_array();
		saying_release(inner);
	} else {
		value_print(conversion, args, &text);
		error_take(saying, text.error);
		text_append(&saying->english, text_data(&text));
		value = value_json(&text);
		text_release(&text);
	}
	if (json_array_append_new(piece, value))
		error_take(saying, -ENOMEM);
}

void saying_vadd(struct saying *saying, const char *format, va_list args)
{
	struct conversion conversion;
	json_t *piece = json_array();
	const char *at = format;
	va_list values;

	if (!saying->pieces)
		saying->pieces = json_array();
	if (json_array_append_new(piece, json_string(format)))
		error_take(saying, -ENOMEM);
	va_copy(values, args);
	while (conversion_next(at, &conversion)) {
		text_append_bytes(&saying->english, at, (size_t)(conversion.start - at));
		if (conversion.letter == '%')
			text_append_char(&saying->english, '%');
		else
			value_add(saying, &conversion, &values, piece);
		at = conversion.end;
	}
	va_end(values);
	if (strchr(at, '%'))
		error_take(saying, -EINVAL);
	text_append(&saying->english, at);
	error_take(saying, saying->english.error);
	if (json_array_append_new(saying->pieces, piece))
		error_take(saying, -ENOMEM);
}

void saying_add(struct saying *saying, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	saying_vadd(saying, format, args);
	va_end(args);
}

struct saying *saying_word(struct saying *saying, const char *word)
{
	json_t *piece = json_array();

	if (!saying->pieces)
		saying->pieces = json_array();
	if (json_array_append_new(piece, json_string(word)) || json_array_append_new(saying->pieces, piece))
		error_take(saying, -ENOMEM);
	text_append(&saying->english, word);
	error_take(saying, saying->english.error);
	return saying;
}
