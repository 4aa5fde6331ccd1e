/* check: may this key stand in this section? And, once all points were built: did it make a difference? */
#pragma once
#include "plan/parser.h"
#include "plan/plan.h"

/* Finds the option of each entry. `kind` is that of the step; -1 for [global], [class] and --set.
 * 0, -EINVAL with fault, -ENOMEM. */
int check_section(struct parser *parser, struct section *section, int kind);
/* Entries that no point took, or that made no difference at any. */
int check_effects(struct parser *parser);
/* tracks and picks: steps that exist, points that exist, order. */
int check_references(struct parser *parser);
