/* alias: draws one of `count` outcomes with given weights in constant time from one random number: a
 * column by multiply-shift, then the column's own outcome or its alias (A. J. Walker, 1977; construction
 * by M. D. Vose, 1991). */
#pragma once
#include <stdint.h>

struct alias_column {
	uint64_t own;		/* share of the column that is its own, of 2^64 */
	uint32_t other;
};

struct alias {
	uint32_t count;
	struct alias_column *column;	/* owned */
};

/* weights: count >= 1, none negative, sum > 0. 0 or -ENOMEM. */
int alias_init(struct alias *alias, const double *weights, uint32_t count);
void alias_release(struct alias *alias);

static inline uint32_t alias_draw(const struct alias *alias, uint64_t random)
{
	unsigned __int128 product = (unsigned __int128)random * alias->count;
	uint32_t index = (uint32_t)(product >> 64);
	const struct alias_column *column = &alias->column[index];

	return (uint64_t)product < column->own ? index : column->other;
}
