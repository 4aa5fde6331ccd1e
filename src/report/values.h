/* report_values: the keys of one point of a step ("bs", "iodepth", ...), from values_json. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"

struct report_value {
	const char *key;
	const char *text;	/* as people write it: "4k", "32", "randread" */
	bool numeric;
	double number;
};

struct report_values {
	uint32_t count;
	struct report_value *values;	/* in the order of the JSON */
};

/* Damaged JSON gives no values: it is shown raw where values are printed. 0 or -ENOMEM. */
int report_values_read(struct report_values *values, struct arena *arena, const char *json);
/* NULL when the point has no such key. */
const struct report_value *report_values_find(const struct report_values *values, const char *key);
/* Orders by number when both are numbers, or texts of a number with the same unit ("30s"), else by text; a
 * missing one first. */
int report_value_compare(const struct report_value *a, const struct report_value *b);
