/* differences: what runs have unlike that a comparison of them must say. */
#pragma once
#include "report/model.h"

enum difference_kind { DIFFER_PLAN, DIFFER_PLAN_TEXT, DIFFER_SCALE, DIFFER_VERSION, DIFFERENCES };
extern const char *const difference_name[DIFFERENCES];	/* "plan" "plan_text" "scale" "version" */
/* A sentence in English with one %s: who has what. */
extern const char *const difference_format[DIFFERENCES];

struct difference {
	enum difference_kind kind;
	const char *list;	/* "one.assay: quick, two.assay: steady" */
};

/* names: of the models' run files. Lists are from the arena. Returns how many there are, or -ENOMEM. */
int differences_find(struct report_model *const *models, const char *const *names, uint32_t count,
		     struct arena *arena, struct difference ret_differences[DIFFERENCES]);
