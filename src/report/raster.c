#include "report/raster.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>

int raster_init(struct raster *raster, uint32_t width, uint32_t height)
{
	*raster = (struct raster){ .width = width, .height = height, .color_count = 1 };
	raster->pixels = calloc(width, height);
	return raster->pixels ? 0 : -ENOMEM;
}

void raster_release(struct raster *raster)
{
	free(raster->pixels);
	*raster = (struct raster){ 0 };
}

void raster_dot(struct raster *raster, double x, double y, uint32_t size, uint8_t color)
{
	int64_t left, top;

	if (!(fabs(x) < 1e9) || !(fabs(y) < 1e9))
		return;
	left = lround(x - size / 2.0);
	top = lround(y - size / 2.0);
	for (int64_t row = top; row < top + size; row++)
		for (int64_t column = left; column < left + size; column++)
			if (row >= 0 && column >= 0 && row < raster->height && column < raster->width)
				raster->pixels[row * raster->width + column] = color;
}

/* Rows of five pixels, the highest bit is the left one. */
static const uint8_t shapes[][5] = {
	[RASTER_SQUARE] = { 0x00, 0x0e, 0x0e, 0x0e, 0x00 },
	[RASTER_CROSS] = { 0x00, 0x0a, 0x04, 0x0a, 0x00 },
	[RASTER_BAR] = { 0x04, 0x04, 0x04, 0x04, 0x04 },
	[RASTER_RING] = { 0x1f, 0x11, 0x11, 0x11, 0x1f },
};

void raster_mark(struct raster *raster, double x, double y, enum raster_shape shape, uint8_t color)
{
	if (!(fabs(x) < 1e9) || !(fabs(y) < 1e9))
		return;
	for (int row = 0; row < 5; row++)
		for (int column = 0; column < 5; column++) {
			int64_t at_x = (int64_t)floor(x) + column - 2, at_y = (int64_t)floor(y) + row - 2;

			if ((shapes[shape][row] >> (4 - column) & 1) && at_x >= 0 && at_y >= 0 &&
			    at_x < raster->width && at_y < raster->height)
				raster->pixels[at_y * raster->width + at_x] = color;
		}
}

void raster_hit(struct raster *raster, double x, double y, uint8_t first, uint8_t steps)
{
	uint8_t *pixel;

	if (!(x >= 0) || !(y >= 0) || x >= raster->width || y >= raster->height)
		return;
	pixel = &raster->pixels[(uint32_t)y * raster->width + (uint32_t)x];
	if (*pixel == 0)
		*pixel = first;
	else if (*pixel >= first && *pixel + 1 < first + steps)
		(*pixel)++;
}

static void append(png_structp png, png_bytep bytes, png_size_t count)
{
	text_append_bytes(png_get_io_ptr(png), bytes, count);
}

static void flush(png_structp png)
{
}

static void colors(const struct raster *raster, png_structp png, png_infop info)
{
	png_color palette[256];
	png_byte alpha[256];

	for (uint32_t i = 0; i < raster->color_count; i++) {
		palette[i] =
			(png_color){ raster->colors[i].red, raster->colors[i].green, raster->colors[i].blue };
		alpha[i] = raster->colors[i].alpha;
	}
	png_set_PLTE(png, info, palette, (int)raster->color_count);
	png_set_tRNS(png, info, alpha, (int)raster->color_count, NULL);
}

/* Few colours need few bits. */
static int depth(const struct raster *raster)
{
	return raster->color_count <= 2	   ? 1
	       : raster->color_count <= 4  ? 2
	       : raster->color_count <= 16 ? 4
					   : 8;
}

static void write_picture(const struct raster *raster, png_structp png, png_infop info)
{
	png_set_IHDR(png, info, raster->width, raster->height, depth(raster), PNG_COLOR_TYPE_PALETTE,
		     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	colors(raster, png, info);
	png_set_compression_level(png, 6);
	png_set_filter(png, 0, PNG_FILTER_NONE);
	png_write_info(png, info);
	png_set_packing(png);
	for (uint32_t row = 0; row < raster->height; row++)
		png_write_row(png, raster->pixels + (size_t)row * raster->width);
	png_write_end(png, info);
}

int raster_png(const struct raster *raster, struct text *text)
{
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png ? png_create_info_struct(png) : NULL;

	if (!info) {
		png_destroy_write_struct(&png, NULL);
		return -ENOMEM;
	}
	if (setjmp(png_jmpbuf(png))) {
		png_destroy_write_struct(&png, &info);
		return -EIO;
	}
	png_set_write_fn(png, text, append, flush);
	write_picture(raster, png, info);
	png_destroy_write_struct(&png, &info);
	return text->error;
}
