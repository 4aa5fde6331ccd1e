/* tally_map: room for many tallies of which little is used: a tally is half a megabyte, mostly zeros that are
 * never touched. Mapped, not allocated: pages cost memory only when written. Only for src/store. */
#pragma once
#include <stdint.h>
#include "measure/tally.h"

struct tally_map {
	struct tally_map *previous;
	struct tally *tally;
	uint64_t bytes;
};

/* Adds a mapping of `count` zeroed tallies to the list and returns the first; NULL when out of memory. */
struct tally *tally_map_add(struct tally_map **list, uint32_t count);
void tally_map_free(struct tally_map *list);	/* NULL ok */
