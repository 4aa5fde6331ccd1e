/* pick: points of steps by name: "STEP[bs=4k] iops" (track), "STEP max iops where mean<5ms" (pick). */
#pragma once
#include "plan/parser.h"
#include "plan/value.h"

static inline bool pick_is(const char *key) { return !__builtin_strncmp(key, "pick.", 5); }

int track_parse(struct parser *parser, const struct value *value, struct plan_track *ret_track);
int pick_parse(struct parser *parser, const struct value *value, struct plan_pick *ret_pick);
