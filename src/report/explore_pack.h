/* explore_pack: how the numbers of a column become 16 bits (explore.h has the format). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define EXPLORE_STEPS 65000.0	/* of a linear column's range */

struct explore_column;

struct explore_range {
	bool log;
	double low, step;	/* of a linear column */
};

struct explore_range explore_range_of(const struct explore_column *column, uint32_t rows);
