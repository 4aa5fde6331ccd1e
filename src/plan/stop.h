/* stop: the conditions of until= and max=: "snia:1m/31m", "written:2x time:24h", "25". */
#pragma once
#include "plan/value.h"

/* `rounds`: a bare number is allowed and counts rounds. Fills at most LOAD_STOPS rules. */
int stop_parse(const struct value *value, bool rounds, struct stop_rule rules[LOAD_STOPS],
	       uint32_t *ret_count);
