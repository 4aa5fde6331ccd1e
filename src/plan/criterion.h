/* criterion: "read.response.p99.9<1ms", for expect= and search=. */
#pragma once
#include "plan/parser.h"
#include "plan/value.h"

int criterion_parse(struct parser *parser, const struct value *value, struct span span,
		    struct plan_expect *ret_expect);
/* The limit behind < or > in the unit of the figure: ns for latencies, else per second, a ratio or a
 * count. */
int criterion_limit(const struct value *value, const char *figure, struct span span, double *ret_limit);
