/* lexer: the text of a job file as sections and entries that remember where they stood.
 *
 * Lines are `[section]`, `key=value`, `key` alone, `include FILE`, or blank; a comment starts with ; or #
 * at the start of a line or (in .plan files after white space, in .fio files anywhere, as fio reads it)
 * behind a value. ${NAME} is replaced by the variable NAME and $ncpus by the number of CPUs, in values
 * only; the simple sums that fio allows around $ncpus are worked out. Everything lies in the parser's
 * arena. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/text.h"

struct option;
struct parser;

/* Where something stands; line 0 = in no text (--set). */
struct mark {
	const char *source;
	uint32_t line, column;
};

struct entry {
	struct entry *next;
	const char *key;
	const char *text;		/* NULL = a key without value */
	struct mark mark;		/* of the key */
	uint32_t text_column;
	/* columns in `text` are those of the file: no variable was replaced */
	bool exact;
	bool from_set;			/* --set */
	const struct option *option;	/* NULL for vary.* and pick.* keys */
	bool won;			/* some step at some point took it ... */
	bool effective;			/* ... and it made a difference there */
};

struct section {
	struct section *next;
	const char *name;
	struct mark mark;
	struct entry *entries, *entries_last;
};

/* Fills parser->sections; `ret_text` receives the text with includes in their place.
 * 0, -EINVAL with fault, -ENOMEM. */
int lexer_read(struct parser *parser, const char *text, struct text *ret_text);
