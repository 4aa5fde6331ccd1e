/* histogram: log-linear latency histogram; how long, in ns, without a ceiling below 73 minutes and without
 * clipping.
 *
 * Slots: exact below 2^K ns, then 2^K slots per octave: the middle of a slot is at most 1/2^(K+1) off. Totals
 * use K = 7 (0.39 %), series intervals are folded to K = 6 by adding pairs, exactly. Values of 2^42 ns and
 * more are counted in the last slot and in `over_range`. n, sum, sum of squares, min and max are exact.
 * Merging is adding: associative, exact. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_RANGE_BITS 42u		/* values below 2^42 ns have a slot of their own */
#define HISTOGRAM_BITS 7u
#define HISTOGRAM_SLOTS 4608u			/* (42 - 7 + 1) << 7 */
#define HISTOGRAM_SERIES_BITS 6u
#define HISTOGRAM_SERIES_SLOTS 2368u		/* (42 - 6 + 1) << 6 */

struct moments {
	uint64_t n;
	uint64_t sum_ns;
	uint64_t min_ns;		/* UINT64_MAX while n == 0 */
	uint64_t max_ns;
	uint64_t over_range;
	unsigned __int128 sum_squares_ns2;
};

/* Filled by one worker in the hot path. */
struct recording {
	struct moments moments;
	uint32_t slot[HISTOGRAM_SLOTS];
};

/* Merged, for everything outside the hot path. */
struct histogram {
	struct moments moments;
	uint64_t slot[HISTOGRAM_SLOTS];	/* K = 7 */
};

static inline uint32_t histogram_index(uint64_t value_ns, uint32_t bits)
{
	uint32_t exponent = 63u - (uint32_t)__builtin_clzll(value_ns | (1ull << bits));
	uint32_t shift = exponent - bits;

	return (shift << bits) + (uint32_t)(value_ns >> shift);
}

/* Lowest value and width of a slot; the reported value is low + (width - 1) / 2, clamped to [min, max]. */
static inline uint64_t histogram_slot_low(uint32_t index, uint32_t bits)
{
	uint32_t shift;

	if (index < (2u << bits))
		return index;
	shift = (index >> bits) - 1;
	return (uint64_t)(index - (shift << bits)) << shift;
}

static inline uint64_t histogram_slot_width(uint32_t index, uint32_t bits)
{
	return index < (2u << bits) ? 1 : 1ull << ((index >> bits) - 1);
}

/* Index of a value in a K = 7 histogram; everything of 2^42 ns and more lands in the last slot. */
static inline uint32_t histogram_slot(uint64_t value_ns)
{
	return value_ns >> HISTOGRAM_RANGE_BITS ? HISTOGRAM_SLOTS - 1 : histogram_index(value_ns, HISTOGRAM_BITS);
}

/* `count` > 0 values that are all the same. */
static inline __attribute__((always_inline)) void moments_count(struct moments *moments, uint64_t value_ns,
								uint32_t count)
{
	moments->n += count;
	moments->sum_ns += value_ns * count;
	moments->sum_squares_ns2 += (unsigned __int128)value_ns * value_ns * count;
	if (__builtin_expect(value_ns < moments->min_ns, 0))
		moments->min_ns = value_ns;
	if (__builtin_expect(value_ns > moments->max_ns, 0))
		moments->max_ns = value_ns;
}

/* The hot path: counts one value. About 20 instructions; nothing but this worker may write the recording. */
static inline void recording_add(struct recording *recording, uint64_t value_ns)
{
	/* histogram_index in full words, written so that the exponent is one instruction */
	const uint64_t exponent = 63ull ^ (uint64_t)__builtin_clzll(value_ns | (1ull << HISTOGRAM_BITS));
	const uint64_t shift = exponent - HISTOGRAM_BITS;
	uint64_t index = (shift << HISTOGRAM_BITS) + (value_ns >> shift);

	moments_count(&recording->moments, value_ns, 1);
	if (__builtin_expect(index >= HISTOGRAM_SLOTS, 0)) {
		recording->moments.over_range++;
		index = HISTOGRAM_SLOTS - 1;
	}
	recording->slot[index]++;
}

/* The same for a value that is known to have a slot of its own. */
static inline void recording_add_small(struct recording *recording, uint64_t value_ns)
{
	const uint32_t exponent = 63u ^ (uint32_t)__builtin_clzll(value_ns | (1ull << HISTOGRAM_BITS));
	const uint32_t shift = exponent - HISTOGRAM_BITS;

	moments_count(&recording->moments, value_ns, 1);
	recording->slot[(uint64_t)(shift << HISTOGRAM_BITS) + (value_ns >> shift)]++;
}

/* `count` > 0 I/Os that all took value_ns, which is known to have a slot of its own. */
static inline void recording_add_equal(struct recording *recording, uint64_t value_ns, uint32_t count)
{
	moments_count(&recording->moments, value_ns, count);
	recording->slot[histogram_index(value_ns, HISTOGRAM_BITS)] += count;
}

void moments_clear(struct moments *moments);
void moments_add(struct moments *moments, const struct moments *other);
/* Empties a recording; clears only the slots between min and max. */
void recording_clear(struct recording *recording);

void histogram_clear(struct histogram *histogram);	/* all of it, so that fresh memory may be given */
void histogram_add(struct histogram *histogram, const struct histogram *other);
void histogram_add_recording(struct histogram *histogram, const struct recording *recording);
void histogram_record(struct histogram *histogram, uint64_t value_ns);	/* tests, imports; not the hot path */

/* Do the slots hold exactly n I/Os? For histograms that were read from a file. */
bool histogram_adds_up(const struct histogram *histogram);
/* Nearest rank (inverse CDF): value of rank ceil(p * n), 0 < p <= 1; 0 when n == 0. Clamped to [min, max]. */
uint64_t histogram_percentile(const struct histogram *histogram, double p);
/* Value of a rank, 1 .. n. */
uint64_t histogram_rank_value(const struct histogram *histogram, uint64_t rank);
double histogram_mean_ns(const struct histogram *histogram);		/* NaN when n == 0 */
double histogram_stddev_ns(const struct histogram *histogram);		/* population; NaN when n == 0 */
/* Share of all waiting time spent in I/Os of at most value_ns (latency-weighted CDF), 0..1. */
double histogram_waiting_share(const struct histogram *histogram, uint64_t value_ns);

/* Sparse, run-length varint form (zig-zag LEB128; a run of n zeros is -n), for the run file. Encodes slots at
 * K = `bits` (7, or 6 with exact pair folding). Returns the bytes used, or -ENOSPC. HISTOGRAM_ENCODED_MAX is
 * always enough. */
#define HISTOGRAM_ENCODED_MAX (HISTOGRAM_SLOTS * 10u)
int histogram_encode(const struct histogram *histogram, uint32_t bits, uint8_t *bytes, size_t bytes_max);
/* Hostile input safe. Adds the slots (a K = 6 form is placed at the lower slot of each pair's middle);
 * moments are not touched. 0 or -EBADMSG. */
int histogram_decode(struct histogram *histogram, uint32_t bits, const uint8_t *bytes, size_t count);
