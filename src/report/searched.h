/* searched: what the searches of a run found, as its findings of kind `search` say. */
#pragma once
#include "base/arena.h"
#include "report/model.h"

struct searched {
	const char *limit;	/* as the plan has it: "p99.9<1ms"; from the arena */
	double rate;		/* the highest that meets it, I/Os per second; NaN: no rate was found to */
};

/* The best one among the steps of a family; false: it wasn't searched, or memory ran out. */
bool searched_of(const struct report_model *model, const struct report_family *family, struct arena *arena,
		 struct searched *ret_searched);
