/* segments: where the addressed range lies: one piece, or many equal ones at random places that don't
 * touch (SNIA PTS: 2048 of them). An address inside is a segment number and a distance from its start.
 * Read-only after init. */
#pragma once
#include <stdint.h>
#include "base/random.h"

struct work_range;

struct segments {
	uint32_t count;
	uint64_t bytes;		/* of each */
	uint64_t *start;	/* owned; ascending; bytes from the start of the target */
};

/* The places depend on range, block_bytes and seed alone, so that all loads with the same seed meet in the
 * same segments whatever their block size. 0 or -ENOMEM. */
int segments_init(struct segments *segments, const struct work_range *range, uint32_t block_bytes,
		  uint64_t seed);
void segments_release(struct segments *segments);

/* Smallest step of places that are computed from shares: the power of two at or below a 1024th of the
 * span, from 4 KiB to 1 MiB, rounded up to whole blocks; one block where the span is below 256 KiB. Keeps such
 * places aligned to flash pages. */
uint64_t segments_align_bytes(uint64_t span_bytes, uint32_t block_bytes);
