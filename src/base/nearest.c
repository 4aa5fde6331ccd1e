#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

#define WORD_MAX 48

static size_t smallest(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/* Edit distance with neighbouring letters swapped counted once (optimal string alignment). */
static size_t distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
	size_t row[3][WORD_MAX + 1];
	size_t *before = row[0], *previous = row[1], *current = row[2];

	for (size_t j = 0; j <= b_bytes; j++)
		previous[j] = j;
	for (size_t i = 1; i <= a_bytes; i++) {
		size_t *unused = before;

		current[0] = i;
		for (size_t j = 1; j <= b_bytes; j++) {
			current[j] = smallest(previous[j] + 1, current[j - 1] + 1,
					      previous[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				current[j] = smallest(current[j], before[j - 2] + 1, current[j]);
		}
		before = previous;
		previous = current;
		current = unused;
	}
	return previous[b_bytes];
}

/* How many edits still count as a slip of the fingers. */
static size_t edits_allowed(size_t bytes)
{
	return bytes < 3 ? 1 : bytes < 6 ? 2 : bytes / 3;
}

const char *nearest_name(const char *word, const char *const *names, size_t count)
{
	size_t word_bytes = strnlen(word, WORD_MAX + 1);
	size_t best = edits_allowed(word_bytes) + 1;
	const char *nearest = NULL;

	if (word_bytes == 0 || word_bytes > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t bytes = strnlen(names[i], WORD_MAX + 1), edits;

		/* as many edits as the lengths differ by, at least */
		if (bytes > WORD_MAX || bytes >= word_bytes + best || word_bytes >= bytes + best)
			continue;
		edits = distance(word, word_bytes, names[i], bytes);
		if (edits < best && edits < bytes) {
			best = edits;
			nearest = names[i];
		}
	}
	return nearest;
}
