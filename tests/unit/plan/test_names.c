/* Nearest names and UTF-8. */
#include "base/nearest.h"
#include "fixture.h"
#include "plan/name.h"

static void slips_of_the_fingers_find_the_name(void **state)
{
	static const char *const names[] = {
		"iodepth", "ioengine", "bs", "rw", "runtime", "ramp_time", "size"
	};
	static const struct { const char *word, *nearest;
	} rows[] = {
		{ "idepth", "iodepth" },
		{ "oidepth", "iodepth" },
		{ "iodepht", "iodepth" },
		{ "iodeepth", "iodepth" },
		{ "runtme", "runtime" },
		{ "ramptime", "ramp_time" },
		{ "szie", "size" },
		{ "b", "bs" },
		{ "wr", "rw" },
		{ "completely", NULL },
		{ "zz", NULL },
		{ "", NULL },
		{ "a-word-that-is-longer-than-any-name-that-there-could-be", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *nearest = nearest_name(rows[i].word, names, sizeof(names) / sizeof(*names));

		if (!rows[i].nearest)
			assert_null(nearest);
		else
			assert_string_equal(nearest ? nearest : "(none)", rows[i].nearest);
	}
	assert_null(nearest_name("iodepth", NULL, 0));
}

static void broken_utf8_is_found_where_it_breaks(void **state)
{
	static const struct { const char *text; int at;
	} rows[] = {
		{ "plain", -1 },
		{ "gr\xc3\xb6\xc3\x9f"
		  "e",
		  -1 },
		{ "\xe2\x82\xac", -1 },
		{ "\xf0\x9f\x92\xbe", -1 },
		{ "a\xff", 1 },
		{ "\xc0\x80", 0 },
		{ "ab\xc3", 2 },
		{ "\xed\xa0\x80", 0 },
		{ "\xf4\x90\x80\x80", 0 },
		{ "\xe0\x80\x80", 0 },
		{ "\xe2\x82", 0 },
		{ "\xf0\x8f\xbf\xbf", 0 },
		{ "x\x80", 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *bad = name_utf8_check(rows[i].text, strlen(rows[i].text));

		assert_int_equal(bad ? (int)(bad - rows[i].text) : -1, rows[i].at);
	}
}

static void words_of_a_list_are_compared_whole(void **state)
{
	assert_true(name_in_list("b", "a b c"));
	assert_true(name_in_list("c", "a b c"));
	assert_false(name_in_list("bb", "a b c"));
	assert_false(name_in_list("", "a b"));
	assert_false(name_in_list("a b", "a b"));
}

static void kinds_have_names(void **state)
{
	assert_string_equal(step_kind_name(STEP_LOAD), "load");
	assert_string_equal(step_kind_name(STEP_NOTE), "note");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slips_of_the_fingers_find_the_name),
		cmocka_unit_test(broken_utf8_is_found_where_it_breaks),
		cmocka_unit_test(words_of_a_list_are_compared_whole),
		cmocka_unit_test(kinds_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
