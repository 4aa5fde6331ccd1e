#include "report/digest.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 3u

static bool more_is_worse(const char *kind)
{
	static const char *const kinds[] = { "stalls", "steady_stalls", "slow_ios", "dropouts", "host_stall" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kind, kinds[i]))
			return true;
	return false;
}

static bool of_kind(const struct report_model *model, uint32_t at, const char *kind)
{
	return model->findings[at].text && !strcmp(word(model->findings[at].kind), kind);
}

static bool has_group(const struct digest *digest, const char *kind)
{
	for (uint32_t i = 0; i < digest->group_count; i++)
		if (!strcmp(digest->group[i].kind, kind))
			return true;
	return false;
}

/* Stable: equal ones stay as they were concluded. */
static void worst_first(const struct report_model *model, uint32_t *order, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		const uint32_t moved = order[i];
		uint32_t at = i;

		while (at && model->findings[moved].value > model->findings[order[at - 1]].value) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = moved;
	}
}

static void group_add(const struct report_model *model, const char *kind, struct digest *digest)
{
	struct digest_group *group = &digest->group[digest->group_count++];

	*group = (struct digest_group){ .kind = kind, .first = digest->count };
	for (uint32_t i = 0; i < model->finding_count; i++)
		if (of_kind(model, i, kind))
			digest->order[digest->count++] = i;
	group->count = digest->count - group->first;
	group->shown = group->count > SHOWN + 1 ? SHOWN : group->count; /* one is not worth folding */
	if (more_is_worse(kind))
		worst_first(model, digest->order + group->first, group->count);
}

int digest_make(const struct report_model *model, struct digest *ret_digest)
{
	*ret_digest = (struct digest){
		.order = calloc(model->finding_count + 1, sizeof(*ret_digest->order)),
		.group = calloc(model->finding_count + 1, sizeof(*ret_digest->group)),
	};
	if (!ret_digest->order || !ret_digest->group)
		return -ENOMEM;
	for (uint32_t i = 0; i < model->finding_count; i++)
		if (model->findings[i].text && !has_group(ret_digest, word(model->findings[i].kind)))
			group_add(model, word(model->findings[i].kind), ret_digest);
	return 0;
}

void digest_release(struct digest *digest)
{
	free(digest->order);
	free(digest->group);
	*digest = (struct digest){ 0 };
}
