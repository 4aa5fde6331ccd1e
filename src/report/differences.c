#include "report/differences.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "store/import.h"

const char *const difference_name[DIFFERENCES] = { "plan", "plan_text", "scale", "version" };

const char *const difference_format[DIFFERENCES] = {
	"These runs are of different plans, and steps are compared within one plan only (%s).",
	"These runs are of plans that have one name and different texts (%s).",
	"These runs are not scaled alike, so the same steps are not equally long or large (%s).",
	"These runs were made by different versions of ssdassay (%s).",
};

/* What a run has there. */
static const char *value_of(const struct report_model *model, enum difference_kind kind, char buffer[32])
{
	switch (kind) {
	case DIFFER_SCALE:
		snprintf(buffer, 32, "%.6g", model->run->scale);
		return buffer;
	case DIFFER_VERSION:
		return word(model->run->version);
	default:
		return word(model->run->plan_name);
	}
}

static bool unlike(const struct report_model *a, const struct report_model *b, enum difference_kind kind)
{
	char first[32], second[32];
	bool same = strcmp(value_of(a, kind, first), value_of(b, kind, second)) == 0;

	/* another tool's job has no plan of ours to differ from */
	if (kind == DIFFER_PLAN && (!strcmp(word(a->run->plan_name), IMPORT_PLAN) ||
				    !strcmp(word(b->run->plan_name), IMPORT_PLAN)))
		return false;
	if (kind == DIFFER_PLAN_TEXT)
		return same && strcmp(word(a->run->plan_text), word(b->run->plan_text)) != 0;
	return !same;
}

/* Is a model of the same run file before this one? */
static bool named_before(const char *const *names, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (strcmp(names[i], names[at]) == 0)
			return true;
	return false;
}

static const char *list_of(struct report_model *const *models, const char *const *names, uint32_t count,
			   enum difference_kind kind, struct arena *arena)
{
	struct text list = { 0 };
	char value[32];
	const char *kept;

	for (uint32_t i = 0; i < count; i++)
		if (!named_before(names, i))
			text_printf(&list, "%s%s: %s", list.bytes ? ", " : "", names[i],
				    value_of(models[i], kind, value));
	kept = list.error ? NULL : arena_strdup(arena, text_data(&list));
	text_release(&list);
	return kept;
}

int differences_find(struct report_model *const *models, const char *const *names, uint32_t count,
		     struct arena *arena, struct difference ret_differences[DIFFERENCES])
{
	int found = 0;

	for (enum difference_kind kind = 0; kind < DIFFERENCES; kind++) {
		bool any = false;

		for (uint32_t i = 0; i < count && !any; i++)
			for (uint32_t k = 0; k < i && !any; k++)
				any = unlike(models[i], models[k], kind);
		if (!any)
			continue;
		ret_differences[found] =
			(struct difference){ kind, list_of(models, names, count, kind, arena) };
		if (!ret_differences[found++].list)
			return -ENOMEM;
	}
	return found;
}
