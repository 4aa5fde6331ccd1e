/* step_fields: what a step says once, not per point: words, sweeps, picks, criteria, targets. */
#pragma once
#include "plan/parser.h"
#include "plan/private.h"
#include "plan/value.h"

void value_of_entry(const struct parser *parser, const struct entry *entry, struct value *ret_value);
int step_read_fields(struct parser *parser, struct plan_step *step);
/* title=, report=, description= of [global]. */
int step_read_global(struct parser *parser, const struct section *section);
/* Once all steps are known: with=, on=, groups' members, tracks and picks. */
int step_link_all(struct parser *parser);
