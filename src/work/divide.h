/* divide: x / by for a divisor that is fixed for a whole load, by one multiplication and one correction:
 * the hot path has no division. Exact for x < 2^60 and by >= 1. Plain data, read-only after divide_init. */
#pragma once
#include <stdint.h>

struct divide {
	uint64_t by, magic;	/* magic = (2^64 - 1) / by */
};

static inline uint64_t multiply_high(uint64_t a, uint64_t b)
{
	return (uint64_t)(((unsigned __int128)a * b) >> 64);
}

static inline void divide_init(struct divide *divide, uint64_t by)
{
	divide->by = by;
	divide->magic = UINT64_MAX / by;
}

/* The estimate is the quotient or one less: magic is below 2^64 / by by less than 2. */
static inline uint64_t divide_by(const struct divide *divide, uint64_t x, uint64_t *ret_rest)
{
	uint64_t quotient = multiply_high(x, divide->magic);
	uint64_t rest = x - quotient * divide->by;
	uint64_t more = rest >= divide->by;

	*ret_rest = rest - (divide->by & -more);
	return quotient + more;
}
