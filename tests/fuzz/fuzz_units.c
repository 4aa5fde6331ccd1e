/* fuzz_units: any bytes as a size, duration, share or number. What is accepted is in range, and prints as
 * something that fits its buffer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_text(const char *text)
{
	if (!*text || strlen(text) >= UNITS_TEXT)
		abort();
}

static void check_whole(const char *text)
{
	char buffer[UNITS_TEXT];
	uint64_t bytes, ns, number;
	int64_t with_sign;

	if (!size_parse(text, &bytes)) {
		check_text(size_format(bytes, buffer));
		check_text(capacity_format(bytes, buffer));
	}
	if (!duration_parse(text, &ns))
		check_text(duration_format(ns, buffer));
	if (!u64_parse(text, &number) && size_parse(text, &bytes) == 0 && number != bytes)
		abort();	/* a plain number is as many bytes */
	if (!i64_parse(text, &with_sign) && with_sign >= 0 && *text != '-' &&
	    (u64_parse(text, &number) || number != (uint64_t)with_sign))
		abort();
}

static void check_real(const char *text)
{
	char buffer[UNITS_TEXT];
	double value;

	if (!share_parse(text, &value) && !(value >= 0 && isfinite(value)))
		abort();
	if (double_parse(text, &value))
		return;
	if (!isfinite(value))
		abort();
	check_text(count_format(value, buffer));
	check_text(rate_format(value, buffer));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = malloc(bytes + 1);

	if (!text)
		abort();
	memcpy(text, data, bytes);
	text[bytes] = 0;
	check_whole(text);
	check_real(text);
	free(text);
	return 0;
}
