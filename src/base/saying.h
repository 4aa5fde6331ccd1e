/* saying: a sentence together with how it was made - the formats it consists of and the values in them - so
 * that it can be said again in another language. English is what the program writes; a format is the key
 * under which a translation is looked up (report/phrases.h).
 *
 * As JSON: [["format", value, ...], ...], the pieces of the sentence in order. A value is a text, written as
 * its conversion demands ("3.14" for "%.2f"), or a saying of its own, where the format has %p.
 *
 * The first failure is remembered in `error` and later additions do nothing. A zero-initialised struct is
 * empty and releasable. Not thread-safe. */
#pragma once
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include "base/text.h"
#include "base/word.h"

struct saying {
	struct text english;
	json_t *pieces;		/* owned; NULL while empty */
	int error;		/* 0, -ENOMEM or -EINVAL (a format with an unknown conversion), sticky */
};

void saying_release(struct saying *saying);
/* Adds a piece at the end. Formats are literals: what varies is a value. Conversions are those of printf for
 * int, unsigned, size_t, uint64_t (PRIu64), double and strings, without '*'; and %p for a `struct saying *`
 * (nothing here prints an address): it is taken, with its failure, and left empty. */
void saying_add(struct saying *saying, const char *format, ...) __attribute__((format(printf, 2, 3)));
void saying_vadd(struct saying *saying, const char *format, va_list args);
/* Adds a piece that is a word of the program, a key of its own (without a percent sign), marked by SAID_WORD
 * where it is written. Returns saying. */
struct saying *saying_word(struct saying *saying, const char *word);
/* The sentence in English; borrowed, never NULL. */
const char *saying_text(const struct saying *saying);
/* The JSON, gives (free with free()); NULL: no memory. */
char *saying_json(const struct saying *saying);

/* One conversion of a format. */
struct conversion {
	const char *start, *end;	/* '%' and what is behind the letter */
	unsigned place;			/* of "%2$s": 2; 0 = the next value */
	char letter;			/* '%' for "%%" */
};
/* The next one at or behind `format`: false when there is none (left, or a '%' that begins none). */
bool conversion_next(const char *format, struct conversion *ret_conversion);
