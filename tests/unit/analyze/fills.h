/* fills: seeded fills of whole drives with known knees: write rate of each gigabyte, MB/s. */
#pragma once
#include <stdint.h>

#define FILL_BINS_MAX 4000
#define FILL_KNEES 4

enum fill_kind {
	FILL_THREE,		/* 592 GB fast, then two slower stages: NM800 Pro */
	FILL_WIDE,		/* 200 GB, 1.6 TB: M480 Play */
	FILL_SHORT,		/* 280, 500 GB: Atom 50 */
	FILL_CYCLIC,		/* 150 and 600 GB, then bursts again and again: A2000 */
	FILL_SMALL_CACHE,	/* 47 GB */
	FILL_TINY_CACHE,	/* 24 GB at 3 GB/s, then flat 1.0 */
	FILL_FLAT,
	FILL_NOISY,		/* CV 12 % */
	FILL_DIPS,		/* CV 20 % and 5 % single dips */
	FILL_KINDS
};

extern const char *const fill_names[FILL_KINDS];

struct fill_truth {
	uint32_t bins;
	uint32_t knee_count;
	uint32_t knee[FILL_KNEES];	/* bins */
};
struct fill_truth fill_make(enum fill_kind kind, uint64_t seed, double *rate);
