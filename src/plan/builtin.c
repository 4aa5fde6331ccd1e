#include <string.h>
#include "base/nearest.h"
#include "plan/plan.h"

/* static const struct plan_builtin builtin_table[]: made at build time from the files under plans/. */
#include "builtin_table.h"

#define BUILTINS (sizeof(builtin_table) / sizeof(*builtin_table))

const struct plan_builtin *plan_builtin_at(uint32_t index)
{
	return index < BUILTINS ? &builtin_table[index] : NULL;
}

const struct plan_builtin *plan_builtin_find(const char *name)
{
	const struct plan_builtin *plan;

	for (uint32_t i = 0; (plan = plan_builtin_at(i)); i++)
		if (!strcmp(plan->name, name))
			return plan;
	return NULL;
}

const char *plan_builtin_nearest(const char *word)
{
	const char *names[BUILTINS];

	for (uint32_t i = 0; i < BUILTINS; i++)
		names[i] = builtin_table[i].name;
	return nearest_name(word, names, BUILTINS);
}
