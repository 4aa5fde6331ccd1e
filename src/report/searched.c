#include "report/searched.h"

#include <math.h>
#include <string.h>

static bool family_has(const struct report_family *family, uint64_t step_id)
{
	for (uint32_t i = 0; i < family->step_count; i++)
		if (family->steps[i]->record->id == step_id)
			return true;
	return false;
}

static const char *limit_of(const struct finding_record *finding, struct arena *arena)
{
	json_t *data = finding->data_json ? json_loads(finding->data_json, JSON_REJECT_DUPLICATES, NULL) : NULL;
	const char *limit = json_string_value(json_object_get(data, "limit"));
	const char *kept = limit ? arena_strdup(arena, limit) : NULL;

	json_decref(data);
	return kept;
}

bool searched_of(const struct report_model *model, const struct report_family *family, struct arena *arena,
		 struct searched *ret_searched)
{
	const struct finding_record *best = NULL;

	for (uint32_t i = 0; i < model->finding_count; i++) {
		const struct finding_record *finding = &model->findings[i];

		if (strcmp(word(finding->kind), "search") || !family_has(family, finding->step_id))
			continue;
		if (!best || isnan(best->value) || finding->value > best->value)
			best = finding;
	}
	if (!best)
		return false;
	*ret_searched = (struct searched){ limit_of(best, arena), best->value };
	return ret_searched->limit != NULL;
}
