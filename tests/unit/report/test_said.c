#include "support.h"

#include <stdio.h>

#include "report/page.h"

#define CHINESE REPORT_CHINESE_SIMPLIFIED

static const char *said(enum report_language language, const char *json)
{
	static char kept[512];
	struct text out = { 0 };
	struct page page = { .out = &out, .language = language };
	const char *sentence = page_said(&page, json);

	snprintf(kept, sizeof(kept), "%s", sentence ? sentence : "");
	arena_release(&page.arena);
	return sentence ? kept : NULL;
}

static void pieces_are_said_with_their_values_in_the_order_of_the_language(void **state)
{
	static const char heat[] = "[[\"The drive was hottest, %.0f °C, in %p.\",\"72\",[[\"step '%s'\",\"a\"]]]]";
	static const char rounds[] = "[[\"the run goes on after %u steps\",\"3\"],[\", '%s' begins anew\",\"<b>\"]]";

	(void)state;
	assert_string_equal(said(REPORT_ENGLISH, heat), "The drive was hottest, 72 °C, in step 'a'.");
	assert_string_equal(said(CHINESE, heat), "硬盘在步骤“a”中温度最高，为 72 °C。");
	assert_string_equal(said(REPORT_CHINESE_TRADITIONAL, heat), "硬碟在步驟「a」中溫度最高，為 72 °C。");
	assert_string_equal(said(CHINESE, rounds), "运行在 3 个步骤之后继续，“<b>”重新开始");
	assert_string_equal(said(CHINESE, "[[\"%.2g %% an hour\",\"0.5\"]]"), "每小时 0.5 %");
}

/* The file may be of a newer version, or damaged. */
static void what_is_not_understood_is_not_said(void **state)
{
	static const char *const rows[] = {
		"", "{", "null", "{}", "\"text\"", "7", "[7]", "[[]]", "[[7]]", "[{\"a\":1}]",
		"[[\"A sentence that nobody has translated.\"]]",
		"[[\"No load ran.\"],[\"A sentence that nobody has translated.\"]]",
		"[[\"step '%s'\"]]",			/* the value is not there */
		"[[\"step '%s'\",null]]", "[[\"step '%s'\",5]]", "[[\"step '%s'\",{}]]",
		"[[\"The drive was hottest, %.0f °C, in %p.\",\"72\"]]",
		"[[\"%p\",[[\"%p\",[[\"%p\",[[\"%p\",[[\"%p\",[[\"%p\",[[\"%p\",[]]]]]]]]]]]]]]",	/* too deep */
	};

	(void)state;
	assert_null(said(CHINESE, NULL));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (said(CHINESE, rows[i]))
			fail_msg("%s is said", rows[i]);
}

static void a_sentence_stands_as_it_is_and_is_marked_where_it_cannot_be_said(void **state)
{
	static const struct {
		enum report_language language;
		const char *english, *said, *expected;
	} rows[] = {
		{ REPORT_ENGLISH, "No <b> & 12345", NULL, "<td>No &lt;b&gt; &amp; 12\u202f345</td>" },
		{ CHINESE, "No <b>", NULL, "<td lang=\"en\">No &lt;b&gt;</td>" },
		{ CHINESE, "x", "[[\"%s: \",\"<12345>\"],[\"All %u loads kept their queue depth.\",\"54321\"]]",
		  "<td>&lt;12345&gt;：全部 54\u202f321 个负载都保持了所要求的队列深度。</td>" },
		{ CHINESE, "x", "[[\"step '%s'\",\"12345\"]]", "<td>步骤“12345”</td>" },
		{ REPORT_CHINESE_TRADITIONAL, "x", "[[\"step '%s'\",\"r 12345\"]]", "<td>步驟「r 12345」</td>" },
		{ CHINESE, "", NULL, "<td></td>" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text out = { 0 };
		struct page page = { .out = &out, .language = rows[i].language };

		page_sentence(&page, "td", rows[i].english, rows[i].said);
		assert_string_equal(text_data(&out), rows[i].expected);
		text_release(&out);
		arena_release(&page.arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_said_with_their_values_in_the_order_of_the_language),
		cmocka_unit_test(what_is_not_understood_is_not_said),
		cmocka_unit_test(a_sentence_stands_as_it_is_and_is_marked_where_it_cannot_be_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
