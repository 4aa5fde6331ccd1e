/* criterion: "read.response.p99.9<1ms", for expect= and search=. */
#pragma once
#include "plan/parser.h"
#include "plan/value.h"

int criterion_parse(struct parser *parser, const struct value *value, struct span span, struct plan_expect *ret_expect);
/* "iops" "bytes_per_second" "mean" "max" "p99.9" ...: is it a latency? -EINVAL with fault for an unknown name. */
int criterion_limit(const struct value *value, const char *figure, struct span span, double *ret_limit);
