#include "report/hdr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "report/base64.h"

#define COOKIE_PLAIN 0x1c849313u
#define COOKIE_COMPRESSED 0x1c849314u
#define SIGNIFICANT_DIGITS 2u
#define RATIO_ONE 0x3ff0000000000000ull		/* 1.0 */

static uint8_t *put_32(uint8_t *at, uint32_t value)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		*at++ = (uint8_t)(value >> shift);
	return at;
}

static uint8_t *put_64(uint8_t *at, uint64_t value)
{
	return put_32(put_32(at, (uint32_t)(value >> 32)), (uint32_t)value);
}

static uint8_t *put_count(uint8_t *at, int64_t count)
{
	uint64_t value = ((uint64_t)count << 1) ^ (uint64_t)(count >> 63);

	for (int i = 0; i < 8; i++) {
		if (value < 0x80) {
			*at++ = (uint8_t)value;
			return at;
		}
		*at++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	return at;
}

static uint8_t *put_counts(uint8_t *at, const struct histogram *histogram)
{
	uint32_t end = HISTOGRAM_SLOTS, slot = 0;

	while (end && !histogram->slot[end - 1])
		end--;
	while (slot < end) {
		uint32_t zeros = slot;

		while (!histogram->slot[zeros])
			zeros++;
		if (zeros > slot)
			at = put_count(at, -(int64_t)(zeros - slot));
		at = put_count(at, (int64_t)histogram->slot[zeros]);
		slot = zeros + 1;
	}
	return at;
}

size_t hdr_encode(const struct histogram *histogram, uint8_t *bytes)
{
	uint8_t *counts = bytes + HDR_HEADER_BYTES, *end = put_counts(counts, histogram), *at = bytes;

	at = put_32(at, COOKIE_PLAIN);
	at = put_32(at, (uint32_t)(end - counts));
	at = put_32(at, 0);
	at = put_32(at, SIGNIFICANT_DIGITS);
	at = put_64(at, 1);
	at = put_64(at, (1ull << HISTOGRAM_RANGE_BITS) - 1);
	put_64(at, RATIO_ONE);
	return (size_t)(end - bytes);
}

int hdr_append(struct text *out, const struct histogram *histogram)
{
	uLongf packed = compressBound(HDR_PLAIN_MAX);
	uint8_t *plain = malloc(HDR_PLAIN_MAX), *whole = malloc(8 + packed);
	int error = plain && whole ? 0 : -ENOMEM;

	if (!error && compress2(whole + 8, &packed, plain, (uLong)hdr_encode(histogram, plain),
				Z_DEFAULT_COMPRESSION) != Z_OK)
		error = -ENOMEM;
	if (!error) {
		put_32(put_32(whole, COOKIE_COMPRESSED), (uint32_t)packed);
		base64_append(out, whole, 8 + packed);
		error = out->error;
	}
	free(plain);
	free(whole);
	return error;
}
