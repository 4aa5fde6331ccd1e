/* mix: read or write? Random in order, and exact in the long run: what the draws so far owe to the asked
 * share tilts the next ones by 1/256 of the debt, so that the count of reads stays within a few tens of
 * share x n for ever instead of wandering off as sqrt(n). Integers only: the same on every machine. */
#pragma once
#include <stdint.h>
#include "base/io.h"

struct mix {
	int64_t share;		/* of reads, of 2^32 */
	int64_t debt;		/* reads owed, in 2^-32 */
};

static inline void mix_init(struct mix *mix, double read_share)
{
	mix->share = (int64_t)(read_share * 4294967296.0 + 0.5);
	mix->debt = 0;
}

/* Uses the low 24 bits of `random` only, so that an offset can be made of the same number's high bits. */
static inline uint8_t mix_next(struct mix *mix, uint64_t random)
{
	int64_t draw = (int64_t)((random & 0xffffff) << 8);
	int64_t write = draw >= mix->share + (mix->debt >> 8);

	mix->debt += mix->share - ((1 - write) << 32);
	return (uint8_t)write;		/* IO_READ is 0, IO_WRITE 1 */
}
_Static_assert(IO_READ == 0 && IO_WRITE == 1, "mix_next returns them");
