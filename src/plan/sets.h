/* sets: --set KEY=VALUE, STEP.KEY=VALUE and class=NAME, put into the sections before the steps are made. */
#pragma once
#include "plan/parser.h"

/* A step's key takes the place of what the section says about it, also of a sweep. A global key goes to
 * parser->sets, which is read behind all [global] sections. 0, -EINVAL with fault, -ENOMEM. */
int sets_apply(struct parser *parser);
/* [global], [class NAME] (of .plan files): no steps. */
bool section_is_global(const struct parser *parser, const struct section *section);
const char *section_class(const struct parser *parser, const struct section *section);	/* NULL = none */
