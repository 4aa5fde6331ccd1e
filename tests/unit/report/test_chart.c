#include "support.h"

#include <math.h>
#include <stdio.h>
#include "report/chart.h"

static struct chart chart_of(enum chart_size size)
{
	return (struct chart){ .x = { .scale = { SCALE_LINEAR, 0, 10 }, .title = "x" },
			       .y = { .scale = { SCALE_LINEAR, 0, 10 }, .title = "y" },
			       .size = size };
}

static void draw_begin(struct chart *chart, struct page *page, struct text *out)
{
	*page = (struct page){ .out = out };
	chart_begin(chart, page, chart->size, "title", "description");
	text_clear(out);
}

static void a_point_between_gaps_is_a_dot(void **state)
{
	static const double x[] = { 0, 1, 2, 3, 4, 5, 6 }, y[] = { NAN, 5, NAN, 6, 7, NAN, 8 };
	struct chart chart = chart_of(CHART_WIDE);
	struct text out = { 0 };
	struct page page;

	draw_begin(&chart, &page, &out);
	chart_line(&chart, 0, x, y, 7, NULL);
	assert_non_null(strstr(text_data(&out), "<path class=\"p s0\" d=\"M100 500h0M600 200h0\"/>"));
	text_clear(&out);
	chart_line(&chart, 0, x + 3, y + 3, 2, NULL);
	assert_null(strstr(text_data(&out), "class=\"p"));
	text_release(&out);
}

/* The places of the labels in the order of drawing, in shares of the plot's height; how many. */
static uint32_t label_places(const char *at, double *places)
{
	uint32_t count = 0;

	while ((at = strstr(at, "<text class=\"el")))
		places[count++] = strtod(strstr(at++, " y=\"") + 4, NULL) / 100;
	return count;
}

static void labels_at_one_place_are_pushed_apart(void **state)
{
	static const enum chart_size sizes[] = { CHART_WIDE, CHART_HALF, CHART_LOW };
	static const double pixels[] = { 184, 184, 84 };	/* of the plot, on paper */
	static const double x[] = { 0, 10 }, y[] = { 5, 5 };

	for (uint32_t i = 0; i < 3; i++) {
		struct chart chart = chart_of(sizes[i]);
		struct text out = { 0 };
		struct page page;
		double places[CHART_SERIES_MAX];

		draw_begin(&chart, &page, &out);
		for (uint32_t j = 0; j < 5; j++)
			chart_line(&chart, j, x, y, 2, "label");
		chart_draw_end(&chart);
		assert_int_equal(label_places(text_data(&out), places), 5);
		for (uint32_t j = 1; j < 5; j++)
			assert_true((places[j] - places[j - 1]) * pixels[i] >= 13.9);
		text_release(&out);
	}
}

static void the_legend_is_in_the_order_of_the_series_and_shows_what_is_drawn(void **state)
{
	static const double x[] = { 0, 10 }, low[] = { 1, 1 }, high[] = { 9, 9 };
	struct chart chart = chart_of(CHART_WIDE);
	struct text out = { 0 };
	struct page page;
	const char *key;

	draw_begin(&chart, &page, &out);
	chart_line(&chart, 0, x, low, 2, "first");
	chart_line(&chart, 1, x, high, 2, "second");
	chart_label(&chart, 2, 5, "third");
	chart_label(&chart, 3, NAN, "nothing");
	chart_draw_end(&chart);
	key = strstr(text_data(&out), "<ul class=\"key");
	assert_non_null(key);
	assert_true(strstr(key, "first") < strstr(key, "second") && strstr(key, "second") < strstr(key, "third"));
	assert_non_null(strstr(key, "<circle class=\"m s2\""));
	assert_null(strstr(key, "<circle class=\"m s0\""));
	assert_null(strstr(key, "nothing"));
	text_release(&out);
}

static void a_long_label_keeps_its_beginning_and_its_end(void **state)
{
	static const double x[] = { 0, 10 }, y[] = { 5, 5 };
	struct chart chart = chart_of(CHART_HALF);
	struct text out = { 0 };
	struct page page;

	draw_begin(&chart, &page, &out);
	chart_line(&chart, 0, x, y, 2, "measure iodepth=32 rwmixread=70");
	chart_line(&chart, 1, x, y, 2,
		   "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
	chart_draw_end(&chart);
	assert_non_null(strstr(text_data(&out), ">measure\xe2\x80\xa6read=70</text>"));
	assert_non_null(strstr(text_data(&out), ">\xc3\xa9\xc3\xa9\xc3\xa9\xe2\x80\xa6\xc3\xa9\xc3\xa9\xc3\xa9</text>"));
	assert_non_null(strstr(text_data(&out), "</svg>measure iodepth=32 rwmixread=70</li>"));
	text_release(&out);
}

static void numbers_without_room_are_left_out(void **state)
{
	struct chart chart = chart_of(CHART_HALF);
	struct text out = { 0 };
	struct page page;

	draw_begin(&chart, &page, &out);
	chart_number(&chart, 5, 5, "123");
	assert_non_null(strstr(text_data(&out), "class=\"tx v\""));
	text_clear(&out);
	chart_number(&chart, 5.1, 5, "456");
	assert_string_equal(text_data(&out), "");
	chart_number(&chart, 5.1, 9, "456");
	assert_non_null(strstr(text_data(&out), "456"));
	text_release(&out);
}

static void numbers_that_only_a_phone_has_no_room_for_are_hidden_there(void **state)
{
	struct crowd crowd = { .wide_pixels = 400, .narrow_pixels = 200, .high_pixels = 100 };

	assert_int_equal(crowd_add(&crowd, 100, 500, 30), CROWD_FITS);
	assert_int_equal(crowd_add(&crowd, 200, 500, 30), CROWD_FITS_WIDE);
	assert_int_equal(crowd_add(&crowd, 210, 500, 30), CROWD_FULL);
	assert_int_equal(crowd_add(&crowd, 300, 500, 30), CROWD_FITS);	/* the one between isn't there on a phone */
	assert_int_equal(crowd_add(&crowd, 100, 700, 30), CROWD_FITS);
	while (crowd.count < CROWD_MAX)
		crowd.words[crowd.count++] = (struct crowd_words){ .x = -1e6 };
	assert_int_equal(crowd_add(&crowd, 900, 900, 1), CROWD_FULL);
}

static void categories_without_room_go_to_a_second_line(void **state)
{
	struct chart chart = chart_of(CHART_HALF);
	struct text out = { 0 };
	struct page page;

	chart.x.categories = true;
	draw_begin(&chart, &page, &out);
	chart_category(&chart, 5, "a long category");
	assert_non_null(strstr(text_data(&out), "dy=\"17\""));
	text_clear(&out);
	chart_category(&chart, 6, "a long category");
	assert_non_null(strstr(text_data(&out), "dy=\"29\""));
	text_release(&out);
}

static void lines_in_pieces_have_no_dashes(void **state)
{
	static const double x[] = { 0, 10 }, y[] = { 5, 5 };
	struct chart chart = chart_of(CHART_WIDE);
	struct text out = { 0 };
	struct page page;

	chart.solid = true;
	draw_begin(&chart, &page, &out);
	chart_line(&chart, 1, x, y, 2, "label");
	chart_draw_end(&chart);
	assert_non_null(strstr(text_data(&out), "<path class=\"l s1 dense\" d=\"M0 "));
	assert_non_null(strstr(text_data(&out), "<path class=\"l s1 dense\" d=\"M1 5h24"));
	text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_point_between_gaps_is_a_dot),
		cmocka_unit_test(labels_at_one_place_are_pushed_apart),
		cmocka_unit_test(the_legend_is_in_the_order_of_the_series_and_shows_what_is_drawn),
		cmocka_unit_test(a_long_label_keeps_its_beginning_and_its_end),
		cmocka_unit_test(numbers_without_room_are_left_out),
		cmocka_unit_test(numbers_that_only_a_phone_has_no_room_for_are_hidden_there),
		cmocka_unit_test(categories_without_room_go_to_a_second_line),
		cmocka_unit_test(lines_in_pieces_have_no_dashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
