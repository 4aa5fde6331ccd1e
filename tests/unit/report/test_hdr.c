/* HdrHistogram's V2 encoding: against bytes computed by hand from the format's description, and against a
 * decoder that reads any such histogram, also one that another program wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <zlib.h>
#include "base/random.h"
#include "base/units.h"
#include "report/hdr.h"

#define DECODED_SLOTS 8192

struct decoded {
	uint32_t digits;
	uint64_t lowest, highest;
	uint64_t count[DECODED_SLOTS];
	uint32_t used;
};

static uint64_t get_be(const uint8_t **at, int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *(*at)++;
	return value;
}

static int64_t get_count(const uint8_t **at)
{
	uint64_t value = 0;

	for (int i = 0; i < 9; i++) {
		uint64_t byte = *(*at)++;

		if (i == 8)
			value |= byte << 56;
		else
			value |= (byte & 0x7f) << 7 * i;
		if (i == 8 || !(byte & 0x80))
			break;
	}
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static void decode_plain(const uint8_t *bytes, size_t size, struct decoded *decoded)
{
	const uint8_t *at = bytes, *end;

	memset(decoded, 0, sizeof(*decoded));
	assert_int_equal(get_be(&at, 4), 0x1c849313);
	end = bytes + 40 + get_be(&at, 4);
	assert_true((size_t)(end - bytes) <= size);
	assert_int_equal(get_be(&at, 4), 0);
	decoded->digits = (uint32_t)get_be(&at, 4);
	decoded->lowest = get_be(&at, 8);
	decoded->highest = get_be(&at, 8);
	assert_true(get_be(&at, 8) == 0x3ff0000000000000ull);
	while (at < end) {
		int64_t count = get_count(&at);

		if (count < 0) {
			decoded->used += (uint32_t)-count;
			continue;
		}
		assert_true(decoded->used < DECODED_SLOTS);
		decoded->count[decoded->used++] = (uint64_t)count;
	}
	assert_true(at == end);
}

static size_t unbase64(const char *text, uint8_t *bytes)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t used = 0;
	uint32_t bits = 0, held = 0;

	for (; *text && *text != '='; text++) {
		held = held << 6 | (uint32_t)(strchr(letters, *text) - letters);
		bits += 6;
		if (bits >= 8)
			bytes[used++] = (uint8_t)(held >> (bits -= 8));
	}
	return used;
}

static void decode(const char *text, struct decoded *decoded)
{
	uint8_t *packed = malloc(strlen(text) + 4), *plain = malloc(100000);
	size_t size = unbase64(text, packed);
	const uint8_t *at = packed;
	uLongf plain_size = 100000;

	assert_non_null(packed);
	assert_non_null(plain);
	assert_int_equal(get_be(&at, 4), 0x1c849314);
	assert_int_equal(get_be(&at, 4), size - 8);
	assert_int_equal(uncompress(plain, &plain_size, at, size - 8), Z_OK);
	decode_plain(plain, plain_size, decoded);
	free(packed);
	free(plain);
}

static struct histogram *histogram_new(void)
{
	struct histogram *histogram = calloc(1, sizeof(*histogram));

	assert_non_null(histogram);
	histogram_clear(histogram);
	return histogram;
}

/* 3 x 1 ns, 1 x 100 ns, 200 x 300 ns: slots 1, 100 and 278 (two ns a slot from 256 on: 128 + 300 / 2). */
static void bytes_are_those_computed_by_hand(void **state)
{
	static const uint8_t golden[] = {
		0x1c, 0x84, 0x93, 0x13, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1,
		0x00, 0x00, 0x03, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0,
		0x01,		/* 1 zero: -1 -> 1 */
		0x06,		/* 3 */
		0xc3, 0x01,	/* 98 zeros: -98 -> 195 */
		0x02,		/* 1 */
		0xe1, 0x02,	/* 177 zeros: -177 -> 353 */
		0x90, 0x03,	/* 200 -> 400 */
	};
	struct histogram *histogram = histogram_new();
	uint8_t *bytes = malloc(HDR_PLAIN_MAX);

	for (int i = 0; i < 200; i++)
		histogram_record(histogram, i < 3 ? 1 : 300);
	for (int i = 0; i < 3; i++)
		histogram_record(histogram, 300);
	histogram_record(histogram, 100);
	assert_int_equal(hdr_encode(histogram, bytes), sizeof(golden));
	assert_memory_equal(bytes, golden, sizeof(golden));
	free(bytes);
	free(histogram);
}

static void nothing_is_a_header_alone(void **state)
{
	struct histogram *histogram = histogram_new();
	uint8_t *bytes = malloc(HDR_PLAIN_MAX);

	assert_int_equal(hdr_encode(histogram, bytes), HDR_HEADER_BYTES);
	free(bytes);
	free(histogram);
}

/* Where HdrHistogram has a value: its own formula, with 256 sub-buckets of which the upper half counts. */
static uint32_t hdr_slot(uint64_t value)
{
	uint32_t bucket = 64u - (uint32_t)__builtin_clzll(value | 255) - 8;

	return ((bucket + 1) << 7) + (uint32_t)(value >> bucket) - 128;
}

static void every_value_lands_where_hdrhistogram_has_it(void **state)
{
	struct histogram *histogram = histogram_new();
	struct decoded *decoded = malloc(sizeof(*decoded));
	uint64_t *want = calloc(DECODED_SLOTS, sizeof(*want));
	struct text text = { 0 };
	struct random random;

	random_init(&random, 3, 0);
	for (int i = 0; i < 200000; i++) {
		uint64_t value = random_u64(&random) >> (22 + random_below(&random, 42));

		histogram_record(histogram, value);
		want[hdr_slot(value)]++;
	}
	assert_int_equal(hdr_append(&text, histogram), 0);
	assert_memory_equal(text_data(&text), "HISTFAAA", 8);
	decode(text_data(&text), decoded);
	assert_int_equal(decoded->digits, 2);
	assert_int_equal(decoded->lowest, 1);
	assert_memory_equal(decoded->count, want, HISTOGRAM_SLOTS * sizeof(*want));
	text_release(&text);
	free(want);
	free(decoded);
	free(histogram);
}

static void large_counts_take_nine_bytes(void **state)
{
	struct histogram *histogram = histogram_new();
	struct decoded *decoded = malloc(sizeof(*decoded));
	uint8_t *bytes = malloc(HDR_PLAIN_MAX);
	size_t size;

	histogram->slot[0] = INT64_MAX;
	histogram->slot[HISTOGRAM_SLOTS - 1] = 1ull << 40;
	size = hdr_encode(histogram, bytes);
	assert_int_equal(size, HDR_HEADER_BYTES + 9 + 2 + 6);
	decode_plain(bytes, size, decoded);
	assert_true(decoded->count[0] == INT64_MAX);
	assert_true(decoded->count[HISTOGRAM_SLOTS - 1] == 1ull << 40);
	free(bytes);
	free(decoded);
	free(histogram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_those_computed_by_hand),
		cmocka_unit_test(nothing_is_a_header_alone),
		cmocka_unit_test(every_value_lands_where_hdrhistogram_has_it),
		cmocka_unit_test(large_counts_take_nine_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
