/* crowd: which words of a drawing have room beside those that are there already, as wide as the page will
 * show it: on a screen or on paper, and on a phone. Widths are estimates, from a wide typeface. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define CROWD_MAX 128u

enum crowd_fit { CROWD_FITS, CROWD_FITS_WIDE, CROWD_FULL };

struct crowd_words {
	double x, y, pixels;	/* the middle, in units of the plot; how wide */
	bool narrow;		/* shown on a phone as well */
};

struct crowd {
	double wide_pixels, narrow_pixels, high_pixels;	/* of the plot, at its smallest */
	uint32_t count;
	struct crowd_words words[CROWD_MAX];
};

/* Pixels of a text of `size` pixels. */
double crowd_width(const char *text, double size);
/* Takes the place when it is free; CROWD_FITS_WIDE: on a phone it would cover others, so it isn't shown
 * there. Places 0 .. 1000 from the upper left. When CROWD_MAX are there, CROWD_FULL. */
enum crowd_fit crowd_add(struct crowd *crowd, double x, double y, double pixels);
