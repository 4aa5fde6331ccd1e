#include "work/segments.h"
#include <errno.h>
#include <stdlib.h>
#include "work/work.h"

#define PAGE_BYTES 4096u	/* a block that begins elsewhere costs a drive two pages, read and written */
#define SMALL_BYTES (64u * PAGE_BYTES)	/* shares of less would be too far from what was asked for */

static uint64_t whole_blocks(uint64_t bytes, uint32_t block_bytes)
{
	return (bytes + block_bytes - 1) / block_bytes * block_bytes;
}

uint64_t segments_align_bytes(uint64_t span_bytes, uint32_t block_bytes)
{
	uint64_t step = span_bytes >> 10;

	if (span_bytes < SMALL_BYTES)
		return block_bytes;
	if (step < PAGE_BYTES)
		step = PAGE_BYTES;
	step = 1ull << (63 - __builtin_clzll(step));
	return whole_blocks(step < 1u << 20 ? step : 1u << 20, block_bytes);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* `count` sorted random numbers below the free room give the gaps; one step more before each next segment
 * keeps neighbours apart. Every such arrangement is equally likely. */
static void scatter(struct segments *segments, const struct work_range *range, uint64_t step, uint64_t seed)
{
	uint64_t room = (range->bytes - segments->bytes * segments->count) / step - (segments->count - 1);
	struct random random;

	random_init(&random, seed, 0x5e67);
	for (uint32_t i = 0; i < segments->count; i++)
		segments->start[i] = random_below(&random, room + 1);
	qsort(segments->start, segments->count, sizeof(uint64_t), compare_u64);
	for (uint32_t i = 0; i < segments->count; i++)
		segments->start[i] = range->start + (segments->start[i] + i) * step + i * segments->bytes;
}

int segments_init(struct segments *segments, const struct work_range *range, uint32_t block_bytes,
		  uint64_t seed)
{
	uint32_t count = range->segments ? range->segments : 1;

	segments->start = calloc(count, sizeof(uint64_t));
	if (!segments->start)
		return -ENOMEM;
	segments->count = count;
	segments->bytes = range->addressed_bytes / count;
	segments->start[0] = range->start;
	if (range->segments > 1)
		scatter(segments, range, segments_align_bytes(range->bytes / count, block_bytes), seed);
	return 0;
}

void segments_release(struct segments *segments)
{
	free(segments->start);
	segments->start = NULL;
	segments->count = 0;
}
