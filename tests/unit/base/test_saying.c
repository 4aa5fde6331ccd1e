/* Sentences that know how they were made. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/saying.h"

static void json_is(const struct saying *saying, const char *expected)
{
	char *json = saying_json(saying);

	assert_string_equal(json, expected);
	free(json);
}

static void a_sentence_keeps_its_formats_and_values(void **state)
{
	struct saying saying = { 0 };

	(void)state;
	saying_add(&saying, "%s took %.2f of %" PRIu64 " s, %.0f %% (%zu, %d, 0x%03x)", "It", 3.14159,
		   UINT64_MAX, 99.6, (size_t)7, -3, 0x2fu);
	saying_add(&saying, ".");
	assert_int_equal(saying.error, 0);
	assert_string_equal(saying_text(&saying),
			    "It took 3.14 of 18446744073709551615 s, 100 % (7, -3, 0x02f).");
	json_is(&saying, "[[\"%s took %.2f of %lu s, %.0f %% (%zu, %d, "
			 "0x%03x)\",\"It\",\"3.14\",\"18446744073709551615\","
			 "\"100\",\"7\",\"-3\",\"02f\"],[\".\"]]");
	saying_release(&saying);
}

static void a_saying_within_is_taken_with_its_pieces(void **state)
{
	struct saying outer = { 0 }, inner = { 0 }, nothing = { 0 };

	(void)state;
	saying_add(&inner, "step '%s'", "a");
	saying_word(&inner, ", full");
	saying_add(&outer, "In %p%p: %u.", &inner, &nothing, 5u);
	assert_string_equal(saying_text(&outer), "In step 'a', full: 5.");
	assert_null(inner.pieces);
	assert_null(inner.english.data);
	json_is(&outer, "[[\"In %p%p: %u.\",[[\"step '%s'\",\"a\"],[\", full\"]],[],\"5\"]]");
	saying_release(&outer);
}

static void names_that_are_not_utf_8_are_mended_in_the_message_only(void **state)
{
	struct saying saying = { 0 };

	(void)state;
	saying_add(&saying, "%s has no room", "/mnt/\xff");
	assert_string_equal(saying_text(&saying), "/mnt/\xff has no room");
	json_is(&saying, "[[\"%s has no room\",\"/mnt/?\"]]");
	saying_release(&saying);
}

static void a_format_that_is_none_is_an_error(void **state)
{
	static const char *const formats[] = { "5 % of it", "%", "%*d", "%n", "%2$s", "%.999999999999999f" };

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		struct saying saying = { 0 }, outer = { 0 };

		saying_add(&saying, formats[i], 1.0);
		assert_int_equal(saying.error, -EINVAL);
		saying_add(&outer, "%p", &saying);
		assert_int_equal(outer.error, -EINVAL);
		saying_release(&outer);
	}
}

static void conversions_are_found_one_by_one(void **state)
{
	struct conversion one;

	(void)state;
	assert_true(conversion_next("of %2$.1f%%", &one));
	assert_int_equal(one.place, 2);
	assert_int_equal(one.letter, 'f');
	assert_true(conversion_next(one.end, &one));
	assert_int_equal(one.letter, '%');
	assert_false(conversion_next(one.end, &one));
	assert_false(conversion_next("100 % of", &one));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sentence_keeps_its_formats_and_values),
		cmocka_unit_test(a_saying_within_is_taken_with_its_pieces),
		cmocka_unit_test(names_that_are_not_utf_8_are_mended_in_the_message_only),
		cmocka_unit_test(a_format_that_is_none_is_an_error),
		cmocka_unit_test(conversions_are_found_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
