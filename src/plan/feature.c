#include "plan/plan.h"

#include <stddef.h>

struct need {
	enum plan_feature feature;
	const char *name;
};

static bool stops_on_steady(const struct plan_step *step)
{
	for (uint32_t i = 0; i < step->until_count; i++)
		if (step->until[i].kind == STOP_STEADY)
			return true;
	for (uint32_t i = 0; i < step->max_count; i++)
		if (step->max[i].kind == STOP_STEADY)
			return true;
	return false;
}

static enum plan_feature kind_needs(enum step_kind kind)
{
	switch (kind) {
	case STEP_MKFS:
		return PLAN_FEATURE_MKFS;
	case STEP_APP:
		return PLAN_FEATURE_APP;
	case STEP_REPLAY:
		return PLAN_FEATURE_REPLAY;
	case STEP_POWERCUT:
		return PLAN_FEATURE_POWERCUT;
	default:
		return 0;
	}
}

static uint32_t step_needs(const struct plan_step *step)
{
	uint32_t needs = kind_needs(step->kind);

	if (step->searches)
		needs |= PLAN_FEATURE_SEARCH;
	if (stops_on_steady(step))
		needs |= PLAN_FEATURE_STEADY;
	if (step->open_loop)
		needs |= PLAN_FEATURE_OPEN_LOOP;
	return needs;
}

const char *plan_unsupported(const struct plan *plan, uint32_t features, uint32_t *ret_line)
{
	static const struct need needs[] = {
		{ PLAN_FEATURE_MKFS, "kind=mkfs" }, { PLAN_FEATURE_APP, "kind=app" },
		{ PLAN_FEATURE_REPLAY, "kind=replay" }, { PLAN_FEATURE_POWERCUT, "kind=powercut" },
		{ PLAN_FEATURE_SEARCH, "search=" }, { PLAN_FEATURE_STEADY, "until=steady" },
		{ PLAN_FEATURE_OPEN_LOOP, "arrival=" },
	};

	for (uint32_t step = 0; step < plan->step_count; step++) {
		uint32_t lacking = step_needs(&plan->steps[step]) & ~features;

		for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
			if (!(lacking & needs[i].feature))
				continue;
			*ret_line = plan->steps[step].line;
			return needs[i].name;
		}
	}
	return NULL;
}
