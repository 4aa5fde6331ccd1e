/* raster: a small picture of few colours for what is too dense to draw as vectors: scatters and heat maps.
 *
 * One byte per pixel: an index into a palette; index 0 is transparent. Written as an indexed PNG (libpng). */
#pragma once
#include <stdint.h>
#include "base/text.h"

struct raster_color {
	uint8_t red, green, blue, alpha;
};

struct raster {
	uint32_t width, height;
	uint8_t *pixels;		/* width * height, row by row from the top; owned */
	uint32_t color_count;
	struct raster_color colors[256];
};

int raster_init(struct raster *raster, uint32_t width, uint32_t height); /* 0 or -ENOMEM; all transparent */
void raster_release(struct raster *raster);
/* A dot of size x size pixels whose middle is at x, y (pixels from the top left); outside is cut off. */
void raster_dot(struct raster *raster, double x, double y, uint32_t size, uint8_t color);
/* Small marks of 5 x 5 pixels at most: a filled square of 3, a cross, an upright bar, and a hollow square. */
enum raster_shape { RASTER_SQUARE, RASTER_CROSS, RASTER_BAR, RASTER_RING };
void raster_mark(struct raster *raster, double x, double y, enum raster_shape shape, uint8_t color);
/* One more at x, y: colours first .. first + steps - 1 stand for 1, 2, 4, 8 ... hits; pixels of other colours
 * stay. */
void raster_hit(struct raster *raster, double x, double y, uint8_t first, uint8_t steps);
/* PNG file into `png`. 0, -ENOMEM or -EIO. */
int raster_png(const struct raster *raster, struct text *png);
