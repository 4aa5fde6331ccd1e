/* plan_words: the text of a plan as sections of keys and values, to be told as they stand: what a plan
 * means is the business of those who run it. */
#pragma once
#include <stdint.h>
#include "base/arena.h"

struct plan_pair {
	const char *key, *value;	/* "" of a key without one */
};

struct plan_section {
	const char *name;		/* "global", "class enterprise", "rounds" */
	uint32_t count;
	struct plan_pair *pairs;
};

struct plan_words {
	uint32_t count;
	struct plan_section *sections;	/* in their order */
};

/* Of the arena. Comments are left out; text NULL gives none. 0 or -ENOMEM. */
int plan_words_read(struct plan_words *words, struct arena *arena, const char *text);
/* The last value of the key in the section; NULL: it has none. */
const char *plan_section_value(const struct plan_section *section, const char *key);
/* By its name; NULL. */
const struct plan_section *plan_words_section(const struct plan_words *words, const char *name);
