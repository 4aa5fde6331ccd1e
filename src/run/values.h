/* values: of an instance, as they are told. Private to room run. */
#pragma once
#include "plan/plan.h"

/* As a JSON object; caller frees. NULL: out of memory. */
char *values_json(const struct plan_instance *instance);
