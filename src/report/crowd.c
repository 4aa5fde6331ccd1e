#include "report/crowd.h"

#include <math.h>
#include "report/utf8.h"

#define UNITS 1000.0
#define LINE_PIXELS 12.0
#define GAP_PIXELS 3.0

double crowd_width(const char *text, double size)
{
	return utf8_columns(text) * 0.6 * size;
}

static bool is_free(const struct crowd *crowd, const struct crowd_words *words, bool narrow)
{
	double across = (narrow ? crowd->narrow_pixels : crowd->wide_pixels) / UNITS;

	for (uint32_t i = 0; i < crowd->count; i++) {
		const struct crowd_words *other = &crowd->words[i];

		if (narrow && !other->narrow)
			continue;
		if (fabs(words->x - other->x) * across < (words->pixels + other->pixels) / 2 + GAP_PIXELS &&
		    fabs(words->y - other->y) * crowd->high_pixels / UNITS < LINE_PIXELS)
			return false;
	}
	return true;
}

enum crowd_fit crowd_add(struct crowd *crowd, double x, double y, double pixels)
{
	struct crowd_words words = { .x = x, .y = y, .pixels = pixels };

	if (crowd->count == CROWD_MAX || !is_free(crowd, &words, false))
		return CROWD_FULL;
	words.narrow = is_free(crowd, &words, true);
	crowd->words[crowd->count++] = words;
	return words.narrow ? CROWD_FITS : CROWD_FITS_WIDE;
}
