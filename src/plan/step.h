/* step: sections become steps: names, kinds, groups, and which settings reach which step. */
#pragma once
#include "plan/parser.h"
#include "plan/private.h"

/* Makes plan->steps and plan->private->steps from the sections. 0, -EINVAL with fault, -ENOMEM. */
int step_build_all(struct parser *parser);
/* The last setting of the option that reaches the step, or NULL. */
struct entry *step_entry(const struct step_private *step, const struct option *option);
/* The index of a step by name, -1 = none. The last one wins where .fio files repeat a name. */
int32_t step_find(const struct plan *plan, const char *name);
const char *step_nearest(const struct plan *plan, const char *name);
