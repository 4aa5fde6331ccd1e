#include "base/nearest.h"
#include "plan/value.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base/units.h"
#include "plan/private.h"

#define NUMBER_TEXT 64

int value_fault(const struct value *value, const char *at, const char *format, ...)
{
	struct fault *fault = value->fault;
	const struct entry *entry = value->entry;
	size_t used;
	va_list args;

	if (!fault)
		return -EINVAL;
	fault->line = entry->mark.line;
	fault->column = 0;
	if (entry->mark.line)
		fault->column = value->text_column + (value->exact && at ? (uint32_t)(at - value->text) : 0);
	snprintf(fault->source, sizeof(fault->source), "%s", entry->mark.source ? entry->mark.source : "");
	snprintf(fault->text, sizeof(fault->text), "%s: ", value->key);
	used = strlen(fault->text);
	va_start(args, format);
	vsnprintf(fault->text + used, sizeof(fault->text) - used, format, args);
	va_end(args);
	return -EINVAL;
}

struct span value_span(const struct value *value)
{
	return (struct span){ value->text, strlen(value->text) };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct span span_trim(struct span span)
{
	while (span.bytes && is_blank(*span.at)) {
		span.at++;
		span.bytes--;
	}
	while (span.bytes && is_blank(span.at[span.bytes - 1]))
		span.bytes--;
	return span;
}

bool span_is(struct span span, const char *word)
{
	return strlen(word) == span.bytes && !memcmp(span.at, word, span.bytes);
}

const char *span_find(struct span span, char character)
{
	return span.at ? memchr(span.at, character, span.bytes) : NULL;
}

static bool span_next_word(struct span *rest, struct span *ret_piece)
{
	size_t length = 0;

	*rest = span_trim(*rest);
	if (!rest->bytes)
		return false;
	while (length < rest->bytes && !is_blank(rest->at[length]))
		length++;
	*ret_piece = (struct span){ rest->at, length };
	rest->at += length;
	rest->bytes -= length;
	return true;
}

bool span_next(struct span *rest, char separator, struct span *ret_piece)
{
	const char *cut;

	if (!rest->at)
		return false;
	if (separator == ' ')
		return span_next_word(rest, ret_piece);
	cut = span_find(*rest, separator);
	if (!cut) {
		*ret_piece = span_trim(*rest);
		*rest = (struct span){ 0 };
		return true;
	}
	*ret_piece = span_trim((struct span){ rest->at, (size_t)(cut - rest->at) });
	rest->bytes -= (size_t)(cut + 1 - rest->at);
	rest->at = cut + 1;
	return true;
}

bool span_copy(struct span span, char *buffer, size_t bytes)
{
	if (span.bytes >= bytes)
		return false;
	memcpy(buffer, span.at, span.bytes);
	buffer[span.bytes] = '\0';
	return true;
}

/* The piece as a string for base/units; faults about its length and emptiness. */
static int span_number(const struct value *value, struct span span, const char *what,
		       char buffer[NUMBER_TEXT])
{
	if (!span.bytes)
		return value_fault(value, span.at, "%s is missing", what);
	if (!span_copy(span, buffer, NUMBER_TEXT))
		return value_fault(value, span.at, "this is too long for %s", what);
	return 0;
}

/* "4KiB": a unit with an i, which fio reads as a power of 1000. */
static bool size_has_binary_unit(const char *text)
{
	const char *unit = text + strspn(text, "0123456789.");

	return unit != text && unit[0] && (unit[1] == 'i' || unit[1] == 'I');
}

int value_size(const struct value *value, struct span span, uint64_t *ret_bytes)
{
	char text[NUMBER_TEXT];
	int error = span_number(value, span, "a size", text);

	if (error)
		return error;
	if (value->dialect == PLAN_FIO && size_has_binary_unit(text))
		return value_fault(value, span.at,
				   "fio reads \"%s\" as a power of 1000; write \"%.*s%c\", which is a power "
				   "of 1024 in fio and here",
				   text, (int)strspn(text, "0123456789."), text,
				   text[strspn(text, "0123456789.")] | 32);
	error = size_parse(text, ret_bytes);
	if (error == -ERANGE)
		return value_fault(value, span.at, "\"%s\" is larger than any size can be", text);
	if (error)
		return value_fault(value, span.at, "\"%s\" is no size; write for instance 4k, 1m or 64g",
				   text);
	return 0;
}

int value_time(const struct value *value, struct span span, uint64_t unit_ns, uint64_t *ret_ns)
{
	char text[NUMBER_TEXT];
	int error = span_number(value, span, "a time", text);
	uint64_t number;

	if (error)
		return error;
	if (!u64_parse(text, &number)) {
		if (__builtin_mul_overflow(number, unit_ns, ret_ns))
			return value_fault(value, span.at, "\"%s\" is longer than any time can be", text);
		return 0;
	}
	error = duration_parse(text, ret_ns);
	if (error == -ERANGE)
		return value_fault(value, span.at, "\"%s\" is longer than any time can be", text);
	if (error)
		return value_fault(value, span.at,
				   "\"%s\" is no time; write for instance 500ms, 30s, 5m or 2h", text);
	return 0;
}

int value_share(const struct value *value, struct span span, double *ret_share)
{
	char text[NUMBER_TEXT];
	double share;
	int error = span_number(value, span, "a share", text);

	if (error)
		return error;
	if (share_parse(text, &share))
		return value_fault(value, span.at, "\"%s\" is no share; write for instance 75%%", text);
	if (share > 1)
		return value_fault(value, span.at, "\"%s\" is more than 100%%", text);
	*ret_share = share;
	return 0;
}

int value_u64(const struct value *value, struct span span, uint64_t min, uint64_t max, uint64_t *ret_value)
{
	char text[NUMBER_TEXT];
	uint64_t number;
	int error = span_number(value, span, "a number", text);

	if (error)
		return error;
	error = u64_parse(text, &number);
	if (error == -EINVAL)
		return value_fault(value, span.at, "\"%s\" is no whole number", text);
	if (error || number < min || number > max)
		return value_fault(value, span.at, "%s is out of range: %llu to %llu", text,
				   (unsigned long long)min, (unsigned long long)max);
	*ret_value = number;
	return 0;
}

int value_double(const struct value *value, struct span span, double min, double max, double *ret_value)
{
	char text[NUMBER_TEXT];
	double number;
	int error = span_number(value, span, "a number", text);

	if (error)
		return error;
	if (double_parse(text, &number))
		return value_fault(value, span.at, "\"%s\" is no number", text);
	if (number < min || number > max)
		return value_fault(value, span.at, "%s is out of range: %g to %g", text, min, max);
	*ret_value = number;
	return 0;
}

int value_rate(const struct value *value, struct span span, double *ret_per_second)
{
	static const char letters[] = "kmgKMG";
	double kilo = value->dialect == PLAN_FIO ? 1024 : 1000, factor = 1;
	struct span number = span;
	const char *letter;
	int error;

	letter = span.bytes > 1 ? strchr(letters, span.at[span.bytes - 1]) : NULL;
	if (letter && *letter) {
		factor = pow(kilo, 1 + (double)((letter - letters) % 3));
		number.bytes--;
	}
	error = value_double(value, number, 0, 1e12, ret_per_second);
	if (error)
		return error;
	if (*ret_per_second <= 0)
		return value_fault(value, span.at, "a rate must be above 0");
	*ret_per_second *= factor;
	return 0;
}

int value_flag(const struct value *value, bool *ret_flag)
{
	static const char *const yes[] = { "1", "true", "yes", "on" }, *const no[] = { "0", "false", "no",
										       "off" };

	if (!value->has_text) {
		*ret_flag = true;
		return 0;
	}
	for (size_t i = 0; i < 4; i++) {
		if (strcasecmp(value->text, yes[i]) && strcasecmp(value->text, no[i]))
			continue;
		*ret_flag = !strcasecmp(value->text, yes[i]);
		return 0;
	}
	return value_fault(value, value->text, "\"%s\" is neither 1 nor 0", value->text);
}

/* Multiplies by the plan's scale. `hold`: small results stay large enough for a few blocks of the plan. */
static void amount_scale(const struct value *value, struct amount *amount, bool hold)
{
	uint64_t least = hold ? value->plan->private->scaled_least : 0, written = amount->bytes;

	amount->bytes_least = amount->unit == AMOUNT_SHARE ? least : 0;
	amount->share_written = amount->share;
	amount->share = fmin(1, amount->share * value->plan->scale);
	amount->bytes = value_scale_bytes(value, written);
	if (amount->bytes < least)
		amount->bytes = written < least ? written : least;
}

/* "min(SHARE,SIZE)" */
static int amount_min(const struct value *value, struct span span, struct amount *ret_amount)
{
	struct span inner = { span.at + 4, span.bytes - 5 }, share, size;
	struct amount amount = { .unit = AMOUNT_SHARE };
	int error;

	if (span.at[span.bytes - 1] != ')' || !span_next(&inner, ',', &share) ||
	    !span_next(&inner, ',', &size) || inner.at)
		return value_fault(value, span.at, "min needs a share and a size: min(6.25%%,64g)");
	error = value_share(value, share, &amount.share);
	if (!error)
		error = value_size(value, size, &amount.bytes);
	if (!error && !(amount.share > 0 && amount.bytes))
		error = value_fault(value, span.at, "both must be above 0");
	if (error)
		return error;
	amount_scale(value, &amount, true);
	*ret_amount = amount;
	return 0;
}

int value_amount(const struct value *value, struct span span, bool zero, struct amount *ret_amount)
{
	struct amount amount = { .unit = AMOUNT_BYTES };
	int error;

	if (span.bytes > 5 && !memcmp(span.at, "min(", 4))
		return amount_min(value, span, ret_amount);
	if (span.bytes && span.at[span.bytes - 1] == '%') {
		amount.unit = AMOUNT_SHARE;
		error = value_share(value, span, &amount.share);
	} else {
		error = value_size(value, span, &amount.bytes);
	}
	if (error)
		return error;
	amount_scale(value, &amount, !zero);
	if (!zero && !amount.bytes && !(amount.share > 0))
		return value_fault(value, span.at,
				   "0 is not accepted (it never means \"everything\"); leave the line out "
				   "for the whole target");
	*ret_amount = amount;
	return 0;
}

int value_word(const struct value *value, struct span span, const char *const *words, uint32_t *ret_index)
{
	char all[256] = "", word[64];
	const char *nearest;
	uint32_t count;

	for (count = 0; words[count]; count++) {
		size_t used = strlen(all);

		if (span_is(span, words[count])) {
			*ret_index = count;
			return 0;
		}
		snprintf(all + used, sizeof(all) - used, "%s%s", count ? ", " : "", words[count]);
	}
	if (!span.bytes)
		return value_fault(value, span.at, "a value is missing: one of %s", all);
	if (!span_copy(span, word, sizeof(word)))
		snprintf(word, sizeof(word), "%.*s...", 56, span.at);
	nearest = nearest_name(word, words, count);
	if (nearest)
		return value_fault(value, span.at, "\"%s\" is not known; did you mean %s? (%s)", word,
				   nearest, all);
	return value_fault(value, span.at, "\"%s\" is not known; it can be %s", word, all);
}

uint64_t value_scale_ns(const struct value *value, uint64_t ns)
{
	double scaled = (double)ns * value->plan->scale;

	if (value->plan->scale == 1)
		return ns;
	if (scaled >= 9e18)
		return 9000000000000000000u;
	return ns && scaled < 1 ? 1 : (uint64_t)scaled;
}

/* Scaled sizes stay multiples of 4 KiB, so that offsets stay aligned and nothing vanishes. */
uint64_t value_scale_bytes(const struct value *value, uint64_t bytes)
{
	double scaled = (double)bytes * value->plan->scale;
	uint64_t whole;

	if (value->plan->scale == 1 || !bytes)
		return bytes;
	if (scaled >= 9e18)
		return 9000000000000000000u & ~4095ull;
	whole = (uint64_t)scaled & ~4095ull;
	if (whole)
		return whole;
	return bytes < 4096 ? bytes : 4096;
}
