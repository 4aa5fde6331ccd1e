/* digest: the findings of a run in the order they are read: those of one kind together, the first few in full
 * and the rest folded up. Where more is worse the worst come first. */
#pragma once
#include <stdint.h>
#include "report/model.h"

struct digest_group {
	const char *kind;
	uint32_t first, count;	/* of `order` */
	uint32_t shown;		/* the first ones; the others are folded up */
};

struct digest {
	uint32_t *order;	/* indices of model->findings that have a sentence */
	uint32_t count;
	struct digest_group *group;
	uint32_t group_count;
};

int digest_make(const struct report_model *model, struct digest *ret_digest);	/* 0 or -ENOMEM */
void digest_release(struct digest *digest);
