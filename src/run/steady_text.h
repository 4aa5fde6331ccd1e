/* steady_text: a steady-state verdict as the JSON that a step record carries (docs/formats/show-json.md).
 * Callers free what they get; NULL when out of memory. */
#pragma once
#include "analyze/snia.h"
#include "run/settle.h"

/* A group's rounds: {"verdict":"steady","snia":{...}}; `name` is one of INTERFACE.md's verdicts. */
char *steady_json(const char *name, const struct snia_verdict *snia, const char *tracked, bool ended);
/* A step's: the detector's verdict and SNIA's. `snia` replaces that of one-minute rounds when the step has
 * rounds of its own. */
char *steady_step_json(const struct settle *settle, const struct settle_outcome *outcome,
		       const struct snia_verdict *snia);
