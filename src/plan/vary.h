/* vary: sweeps. "4k 8k", "1..256*2", and for keys that move together "32/16 16/32". */
#pragma once
#include "plan/parser.h"
#include "plan/private.h"

static inline bool vary_is(const char *key) { return !__builtin_strncmp(key, "vary.", 5); }

/* Reads the line `entry` ("vary.KEY=...") into `line`. 0, -EINVAL with fault, -ENOMEM. */
int vary_parse(struct parser *parser, struct entry *entry, struct vary_line *line);
/* Does this line sweep the option? */
bool vary_has_option(const struct vary_line *line, const struct option *option);
