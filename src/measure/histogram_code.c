/* The sparse form of a histogram. Numbers are zig-zag LEB128: a count is positive, a run of n empty slots
 * is -n, the empty slots at the end are left out. */
#include <errno.h>
#include <stdbool.h>
#include "measure/histogram.h"

static uint32_t slots_of(uint32_t bits)
{
	return bits == HISTOGRAM_SERIES_BITS ? HISTOGRAM_SERIES_SLOTS : HISTOGRAM_SLOTS;
}

/* Count of slot `index` at K = bits; K = 6 adds the pair of K = 7 slots that it covers. */
static uint64_t folded_count(const struct histogram *histogram, uint32_t bits, uint32_t index)
{
	if (bits == HISTOGRAM_BITS || index < (1u << HISTOGRAM_BITS))
		return histogram->slot[index];
	index = 2 * (index - (1u << HISTOGRAM_SERIES_BITS));
	return histogram->slot[index] + histogram->slot[index + 1];
}

static uint32_t unfolded_index(uint32_t bits, uint32_t index)
{
	if (bits == HISTOGRAM_BITS || index < (1u << HISTOGRAM_BITS))
		return index;
	return 2 * (index - (1u << HISTOGRAM_SERIES_BITS));
}

static bool put_number(uint8_t *bytes, size_t bytes_max, size_t *at, int64_t number)
{
	uint64_t zigzag = ((uint64_t)number << 1) ^ (uint64_t)(number >> 63);

	do {
		if (*at == bytes_max)
			return false;
		bytes[(*at)++] = (uint8_t)((zigzag & 0x7f) | (zigzag > 0x7f ? 0x80 : 0));
		zigzag >>= 7;
	} while (zigzag > 0);
	return true;
}

int histogram_encode(const struct histogram *histogram, uint32_t bits, uint8_t *bytes, size_t bytes_max)
{
	int64_t empty = 0;
	size_t at = 0;

	for (uint32_t i = 0; i < slots_of(bits); i++) {
		const uint64_t count = folded_count(histogram, bits, i);

		if (count == 0) {
			empty++;
			continue;
		}
		if (empty > 0 && !put_number(bytes, bytes_max, &at, -empty))
			return -ENOSPC;
		empty = 0;
		if (!put_number(bytes, bytes_max, &at, (int64_t)count))
			return -ENOSPC;
	}
	return (int)at;
}

static bool get_number(const uint8_t *bytes, size_t count, size_t *at, int64_t *ret_number)
{
	uint64_t zigzag = 0;

	for (unsigned int shift = 0; *at < count && shift < 64; shift += 7) {
		const uint8_t byte = bytes[(*at)++];

		if (shift == 63 && byte > 1)
			return false;
		zigzag |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret_number = (int64_t)((zigzag >> 1) ^ (0 - (zigzag & 1)));
			return true;
		}
	}
	return false;
}

int histogram_decode(struct histogram *histogram, uint32_t bits, const uint8_t *bytes, size_t count)
{
	const uint32_t slots = slots_of(bits);
	uint32_t index = 0;
	int64_t number;

	for (size_t at = 0; at < count;) {
		if (!get_number(bytes, count, &at, &number) || number == 0)
			return -EBADMSG;
		if (number < 0) {
			if (number < -(int64_t)(slots - index))
				return -EBADMSG;
			index += (uint32_t)-number;
			continue;
		}
		if (index >= slots)
			return -EBADMSG;
		if (__builtin_add_overflow(histogram->slot[unfolded_index(bits, index)], (uint64_t)number,
					   &histogram->slot[unfolded_index(bits, index)]))
			return -EBADMSG;
		index++;
	}
	return 0;
}
