#include "assay/examined.h"

#include <errno.h>
#include <string.h>

#define LISTS 4u

static void lists_of(struct guard_subject *subject, struct lines *lists[LISTS])
{
	lists[0] = &subject->destroys;
	lists[1] = &subject->warnings;
	lists[2] = &subject->refusals;
	lists[3] = &subject->missing;
}

void examined_pack(const struct assay_target *target, struct text *text)
{
	struct assay_target copy = *target;
	struct lines *lists[LISTS];

	lists_of(&copy.subject, lists);
	text_append_bytes(text, &copy, sizeof(copy));
	for (uint32_t i = 0; i < LISTS; i++)
		for (uint32_t k = 0; k < lists[i]->count; k++)
			text_append_bytes(text, lists[i]->line[k], strlen(lists[i]->line[k]) + 1);
}

static int list_unpack(const struct text *text, size_t *at, struct lines *list)
{
	const uint32_t count = list->count;

	*list = (struct lines){ .error = list->error };
	for (uint32_t i = 0; i < count && *at < text->bytes; i++) {
		lines_add(list, "%s", text->data + *at);
		*at += strlen(text->data + *at) + 1;
	}
	return list->error || list->count != count ? -ENOMEM : 0;
}

int examined_unpack(const struct text *text, size_t *at, struct assay_target *ret_target)
{
	struct lines *lists[LISTS];
	int error = 0;

	if (text->bytes - *at < sizeof(*ret_target))
		return -ENODATA;
	memcpy(ret_target, text->data + *at, sizeof(*ret_target));
	*at += sizeof(*ret_target);
	lists_of(&ret_target->subject, lists);
	for (uint32_t i = 0; i < LISTS; i++) {
		const int result = list_unpack(text, at, lists[i]);

		error = error ? error : result;
	}
	return error;
}
