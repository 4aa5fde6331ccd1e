/* value: one option's text while it is read, and the parsers that all options share.
 *
 * Every parser returns 0 or -EINVAL with a fault at the place inside the value where the mistake is (the
 * start of the value when a variable or @reference was replaced in it). Sizes follow the dialect: .fio
 * refuses KiB, MiB ... */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "plan/lexer.h"
#include "plan/plan.h"

struct value {
	const struct plan *plan;
	const struct plan_lookup *lookup;	/* NULL = stand-ins */
	const struct entry *entry;		/* for messages; in sweeps the vary line */
	const char *key;			/* what messages call it */
	const struct option *option;
	const char *text;			/* never NULL; "" for a key without value */
	bool has_text;
	bool exact;				/* text_column + place in `text` is the place in the file */
	uint32_t text_column;
	enum plan_dialect dialect;
	uint32_t cpu_count;			/* 0 = unknown */
	struct fault *fault;
};

/* A piece of a value. */
struct span {
	const char *at;
	size_t bytes;
};

int value_fault(const struct value *value, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

struct span value_span(const struct value *value);
struct span span_trim(struct span span);
bool span_is(struct span span, const char *word);
/* Takes the next piece up to `separator` out of `rest`; false when `rest` is used up. "a,,b" has an empty
 * piece; rest->at becomes NULL behind the last one. With ' ' runs of white space separate and no piece is
 * empty. */
bool span_next(struct span *rest, char separator, struct span *ret_piece);
/* The place of `character` in the span, or NULL. */
const char *span_find(struct span span, char character);
/* Copies to a string; false when it does not fit. */
bool span_copy(struct span span, char *buffer, size_t bytes);

int value_size(const struct value *value, struct span span, uint64_t *ret_bytes);
/* `unit_ns` is the unit of a bare number. */
int value_time(const struct value *value, struct span span, uint64_t unit_ns, uint64_t *ret_ns);
int value_share(const struct value *value, struct span span, double *ret_share);	/* "60%", 0..1 */
int value_u64(const struct value *value, struct span span, uint64_t min, uint64_t max, uint64_t *ret_value);
int value_double(const struct value *value, struct span span, double min, double max, double *ret_value);
/* I/Os per second: "5000", "5k", "1.2M"; k is 1000 in .plan files and 1024 in .fio files, as fio has it. */
int value_rate(const struct value *value, struct span span, double *ret_per_second);
/* 1, 0, true, false, yes, no, on, off; a key without value is true. */
int value_flag(const struct value *value, bool *ret_flag);
/* "4g", "75%", "min(6.25%,64g)", multiplied by the plan's scale. `zero`: it may be 0 (a place); else it is
 * an extent, which must not be 0 and which scaling leaves large enough for a few blocks. */
int value_amount(const struct value *value, struct span span, bool zero, struct amount *ret_amount);
/* The index of the word in `words` (NULL-terminated); the fault names all and the nearest. */
int value_word(const struct value *value, struct span span, const char *const *words, uint32_t *ret_index);

/* Durations and sizes that --scale multiplies. */
uint64_t value_scale_ns(const struct value *value, uint64_t ns);
uint64_t value_scale_bytes(const struct value *value, uint64_t bytes);
