/* bottleneck_words: whose limit it was, in words for people who know neither the rules nor their names. */
#pragma once
#include "analyze/bottleneck.h"
#include "base/saying.h"

/* The verdict alone: "the drive was the limit, not the computer or the link to it". */
const char *bottleneck_words(enum bottleneck verdict);
/* Of one figure over several measurements. */
struct bottleneck_range {
	double low, high;
};

/* Adds the numbers that decided, and what the tags say of the host, each after "; ". What is 0 is left
 * out. `ranges`: BOTTLENECK_FIGURES of them. */
void bottleneck_numbers_say(const struct bottleneck_verdict *verdict, const struct bottleneck_range *ranges,
			    struct saying *saying);
