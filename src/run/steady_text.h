/* steady_text: a steady-state verdict as the JSON that a step record carries (docs/formats/show-json.md). */
#pragma once
#include "analyze/snia.h"

/* {"verdict":"steady","snia":{...}}; `name` is one of INTERFACE.md's verdicts. Caller frees; NULL when out of memory. */
char *steady_json(const char *name, const struct snia_verdict *snia, const char *tracked);
