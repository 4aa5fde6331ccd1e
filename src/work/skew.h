/* skew: block numbers that are not equally likely: zipf, pareto, normal, zoned.
 *
 * The distribution is cut into parts (runs of neighbouring ranks or blocks); a part is drawn from an alias
 * table by its exact probability, a block inside it uniformly. No power, logarithm or division per I/O.
 * Ranks of zipf below 1024 are parts of their own; beyond that, parts grow by 1/64, inside which the true
 * density changes by less than theta x 1.6 %. The tables are made with the C library's pow and erfc:
 * another library may round the last bit of a weight in another way.
 *
 * zipf:theta     P(rank r) ~ r^-theta.
 * pareto:h       self-similar (J. Gray et al., SIGMOD 1994): the first h of the blocks get 1 - h of the
 *                accesses, and so on inside them: F(x) = x^(ln(1-h) / ln h).
 * normal:dev     deviation in percent of the range around the centre; what would lie outside is drawn
 *                again inside.
 * zoned          as listed: share of accesses, share of the range. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/fault.h"
#include "plan/load.h"
#include "work/alias.h"
#include "work/shuffle.h"

struct skew_part {
	uint64_t start, count;	/* blocks */
};

struct skew {
	uint64_t blocks;
	struct skew_part *part;	/* owned */
	struct alias alias;
	bool scattered;		/* parts are ranks: send them through `places` */
	struct shuffle places;
};

/* blocks >= 1. place_random: draws the places of the hot blocks. 0, -ENOMEM, -EINVAL with a fault (theta
 * <= 0, ...). */
int skew_init(struct skew *skew, const struct load *load, uint64_t blocks, struct random *place_random,
	      struct fault *fault);
void skew_release(struct skew *skew);
uint64_t skew_memory_bytes(const struct load *load);

static inline uint64_t skew_draw(const struct skew *skew, struct random *random)
{
	const struct skew_part *part = &skew->part[alias_draw(&skew->alias, random_u64(random))];

	return part->start + random_below(random, part->count);
}
