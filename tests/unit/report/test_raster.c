#include "support.h"

#include <png.h>
#include "report/base64.h"
#include "report/raster.h"

static void a_png_reads_back_pixel_by_pixel(void **state)
{
	struct raster raster;
	struct text png = { 0 };
	png_image image = { .version = PNG_IMAGE_VERSION };
	uint8_t *pixels;

	assert_int_equal(raster_init(&raster, 33, 7), 0);
	raster.colors[1] = (struct raster_color){ 10, 20, 30, 255 };
	raster.colors[2] = (struct raster_color){ 200, 100, 50, 255 };
	raster.color_count = 3;
	raster_dot(&raster, 4.5, 3.5, 3, 1);
	raster_dot(&raster, 32.5, 6.5, 1, 2);
	assert_int_equal(raster_png(&raster, &png), 0);
	assert_true(png_image_begin_read_from_memory(&image, png.data, png.bytes));
	assert_int_equal(image.width, 33);
	assert_int_equal(image.height, 7);
	image.format = PNG_FORMAT_RGBA;
	pixels = malloc(PNG_IMAGE_SIZE(image));
	assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
	for (uint32_t i = 0; i < 33 * 7; i++) {
		const struct raster_color *color = &raster.colors[raster.pixels[i]];

		assert_int_equal(pixels[4 * i + 3], color->alpha);
		if (color->alpha)
			assert_memory_equal(pixels + 4 * i, color, 3);
	}
	assert_int_equal(raster.pixels[3 * 33 + 4], 1);
	assert_int_equal(raster.pixels[6 * 33 + 32], 2);
	free(pixels);
	text_release(&png);
	raster_release(&raster);
}

static void dots_outside_are_cut_off(void **state)
{
	struct raster raster;
	uint32_t set = 0;

	assert_int_equal(raster_init(&raster, 10, 10), 0);
	raster_dot(&raster, 0, 0, 3, 1);
	raster_dot(&raster, -50, 5, 3, 1);
	raster_dot(&raster, 10, 10, 3, 1);
	raster_hit(&raster, -1, 2, 2, 3);
	raster_hit(&raster, 10, 2, 2, 3);
	raster_hit(&raster, 0.0 / 0.0, 2, 2, 3);
	for (uint32_t i = 0; i < 100; i++)
		set += raster.pixels[i] != 0;
	assert_in_range(set, 1, 8);
	raster_release(&raster);
}

static void hits_deepen_up_to_the_last_shade(void **state)
{
	struct raster raster;

	assert_int_equal(raster_init(&raster, 2, 2), 0);
	for (uint32_t i = 1; i <= 9; i++) {
		raster_hit(&raster, 1, 1, 3, 4);
		assert_int_equal(raster.pixels[3], i < 4 ? 2 + i : 6);
	}
	raster_dot(&raster, 0.5, 0.5, 1, 9);
	raster_hit(&raster, 0, 0, 3, 4);
	assert_int_equal(raster.pixels[0], 9);
	raster_release(&raster);
}

/* RFC 4648, section 10. */
static void base64_gives_the_vectors_of_the_standard(void **state)
{
	static const char *const plain[] = { "", "f", "fo", "foo", "foob", "fooba", "foobar" };
	static const char *const coded[] = { "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy" };

	for (uint32_t i = 0; i < 7; i++) {
		struct text text = { 0 };

		base64_append(&text, plain[i], strlen(plain[i]));
		assert_string_equal(text_data(&text), coded[i]);
		text_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_png_reads_back_pixel_by_pixel),
		cmocka_unit_test(dots_outside_are_cut_off),
		cmocka_unit_test(hits_deepen_up_to_the_last_shade),
		cmocka_unit_test(base64_gives_the_vectors_of_the_standard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
