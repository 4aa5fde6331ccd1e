/* What is written: buffer_pattern=, a row of numbers and texts without a space between them. As fio has
 * them: 0x and the bytes as they follow each other; "text"; a decimal number as the lowest of its four
 * bytes first, without the zeros on top. */
#include <ctype.h>
#include <string.h>
#include "plan/option.h"

static int pattern_add(const struct value *value, const char *at, struct load *load, uint8_t byte)
{
	if (load->pattern_bytes == LOAD_PATTERN)
		return value_fault(value, at, "a pattern has at most %d bytes", LOAD_PATTERN);
	load->pattern[load->pattern_bytes++] = byte;
	return 0;
}

static uint8_t digit_of(char letter)
{
	return (uint8_t)(isdigit((unsigned char)letter) ? letter - '0'
							: tolower((unsigned char)letter) - 'a' + 10);
}

/* Behind "0x"; an odd number of digits has a 0 in front. */
static int pattern_hex(const struct value *value, const char **at, struct load *load)
{
	size_t digits = strspn(*at, "0123456789abcdefABCDEF");
	uint8_t high = 0;
	int error = 0;

	if (!digits)
		return value_fault(value, *at, "0x needs digits behind it");
	for (; digits && !error; digits--, (*at)++) {
		if (digits % 2)
			error = pattern_add(value, *at, load, (uint8_t)(high << 4 | digit_of(**at)));
		else
			high = digit_of(**at);
		if (digits % 2)
			high = 0;
	}
	return error;
}

static int pattern_text(const struct value *value, const char **at, struct load *load)
{
	const char *end = strchr(*at + 1, '"');
	int error = 0;

	if (!end || end == *at + 1)
		return value_fault(value, *at, "a text stands between two \" and is not empty");
	for (const char *letter = *at + 1; letter < end && !error; letter++)
		error = pattern_add(value, letter, load, (uint8_t)*letter);
	*at = end + 1;
	return error;
}

static int pattern_number(const struct value *value, const char **at, struct load *load)
{
	const bool below = **at == '-';
	const struct span digits = { *at + below, strspn(*at + below, "0123456789") };
	uint64_t number;
	uint32_t bits;
	int error;

	if (!digits.bytes)
		return value_fault(value, *at,
				   "a pattern is made of 0xdeadface, \"text\" and numbers; a file's contents "
				   "are not supported");
	error = value_u64(value, digits, 0, below ? 1ull << 31 : UINT32_MAX, &number);
	*at = digits.at + digits.bytes;
	bits = below ? (uint32_t)-number : (uint32_t)number;
	do {
		error = error ? error : pattern_add(value, digits.at, load, (uint8_t)bits);
		bits >>= 8;
	} while (bits && !error);
	return error;
}

int parse_buffer_pattern(const struct value *value, struct plan_instance *instance, struct load *load)
{
	const char *at = value->text;
	int error = 0;

	load->pattern_bytes = 0;
	do {
		if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
			at += 2;
			error = pattern_hex(value, &at, load);
		} else if (*at == '"') {
			error = pattern_text(value, &at, load);
		} else {
			error = pattern_number(value, &at, load);
		}
	} while (*at && !error);
	return error;
}
