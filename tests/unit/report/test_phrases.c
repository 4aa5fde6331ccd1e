#include "support.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include "report/page.h"

static const struct phrase *phrase_of(const char *english)
{
	const struct phrase *phrase;

	for (uint32_t i = 0; (phrase = phrase_at(i)); i++)
		if (strcmp(phrase->english, english) == 0)
			return phrase;
	return NULL;
}

/* Reads one string literal and those that follow with only blanks between; *at is behind them afterwards. */
static void read_literal(const char **at, char *text, size_t bytes)
{
	size_t length = 0;

	while (**at == '"') {
		for ((*at)++; **at != '"'; (*at)++) {
			if (**at == '\\')
				(*at)++;
			assert_true(length + 1 < bytes);
			text[length++] = **at;
		}
		(*at)++;
		*at += strspn(*at, " \t\n");
	}
	text[length] = '\0';
}

/* Every literal between `at`, behind the opening parenthesis, and its closing one. */
static uint32_t check_call(const char *file, const char *at)
{
	uint32_t depth = 1, found = 0;
	char text[512];

	while (depth && *at) {
		if (*at == '"') {
			read_literal(&at, text, sizeof(text));
			if (!phrase_of(text))
				fail_msg("%s: '%s' is not in phrases.c", file, text);
			found++;
			continue;
		}
		depth += *at == '(';
		depth -= *at == ')';
		at++;
	}
	return found;
}

static uint32_t check_calls(const char *file, const struct text *source, const char *call)
{
	uint32_t found = 0;

	for (const char *at = text_data(source); (at = strstr(at, call)); at += strlen(call))
		if (at == text_data(source) || !(isalnum((unsigned char)at[-1]) || at[-1] == '_'))
			found += check_call(file, at + strlen(call));
	return found;
}

static void everything_the_page_says_is_in_the_table(void **state)
{
	uint32_t found = 0;
	glob_t files;

	assert_int_equal(glob(SOURCE_FOLDER "/*.c", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct text source = { 0 };

		assert_int_equal(text_read_file(&source, files.gl_pathv[i], 1 << 20), 0);
		found += check_calls(files.gl_pathv[i], &source, "say(");
		found += check_calls(files.gl_pathv[i], &source, "html_section(");
		text_release(&source);
	}
	globfree(&files);
	assert_true(found > 100);
}

struct conversion {
	uint32_t place;		/* which value */
	char kind[16];
};

/* "%2$u of %1$s" takes value 2 as u, and value 1 as s. */
static uint32_t conversions_of(const char *format, struct conversion list[16])
{
	uint32_t count = 0;

	for (; *format; format++) {
		const char *digits = format + 1;
		size_t length;

		if (*format != '%')
			continue;
		if (!isalnum((unsigned char)format[1]) && format[1] != '.') {
			format += format[1] != '\0';	/* a percent sign; the last one may stand alone in a plain phrase */
			continue;
		}
		length = strspn(digits, "0123456789");
		list[count].place = count + 1;
		if (length && digits[length] == '$') {
			list[count].place = (uint32_t)atoi(digits);
			digits += length + 1;
		}
		length = strspn(digits, "0123456789.l");
		snprintf(list[count].kind, sizeof(list[count].kind), "%.*s", (int)length + 1, digits);
		format = digits + length;
		assert_true(++count < 16);
	}
	return count;
}

static void assert_same_values(const char *english, const char *translation)
{
	struct conversion first[16], second[16];
	uint32_t count = conversions_of(english, first);

	assert_int_equal(conversions_of(translation, second), count);
	for (uint32_t i = 0; i < count; i++) {
		bool taken = false;

		for (uint32_t j = 0; j < count; j++)
			taken |= second[j].place == first[i].place && strcmp(second[j].kind, first[i].kind) == 0;
		if (!taken)
			fail_msg("'%s' and '%s' take different values", english, translation);
	}
}

static void translations_take_the_values_of_the_english(void **state)
{
	const struct phrase *phrase;

	for (uint32_t i = 0; (phrase = phrase_at(i)); i++) {
		assert_same_values(phrase->english, phrase->simplified);
		assert_same_values(phrase->english, phrase->traditional);
	}
}

static void no_phrase_is_there_twice(void **state)
{
	const struct phrase *phrase;

	for (uint32_t i = 0; (phrase = phrase_at(i)); i++)
		assert_ptr_equal(phrase_of(phrase->english), phrase);
}

static void languages_are_known_by_their_tags(void **state)
{
	enum report_language language = REPORT_ENGLISH;

	assert_int_equal(report_language_parse("zh-Hant", &language), 0);
	assert_int_equal(language, REPORT_CHINESE_TRADITIONAL);
	assert_true(report_language_parse("zh", &language) < 0);
	assert_int_equal(language, REPORT_CHINESE_TRADITIONAL);
}

static void the_page_speaks_the_language_asked_for(void **state)
{
	static const char *const tags[] = { "<html lang=\"en\">", "<html lang=\"zh-Hans\">", "<html lang=\"zh-Hant\">" };
	static const char *const words[] = { "Results at a glance", "结果一览", "結果一覽" };
	struct fake_file file;

	fake_open(&file, FAKE_ROUNDS, 0);
	for (int language = 0; language < 3; language++) {
		struct report_options options = { .language = language };
		struct text out = { 0 };

		assert_int_equal(report_html(&file.store, 1, &options, &out, NULL), 0);
		assert_non_null(strstr(text_data(&out), tags[language]));
		for (int i = 0; i < 3; i++)
			assert_true((strstr(text_data(&out), words[i]) != NULL) == (i == language));
		text_release(&out);
	}
	fake_close(&file);
}

static void numbers_of_sentences_are_grouped_as_those_of_tables(void **state)
{
	static const struct {
		const char *sentence, *grouped;
	} rows[] = {
		{ "peaks at 393469 IOPS.", "peaks at 393\u202f469 IOPS." },
		{ "12345", "12\u202f345" },
		{ "(1234567) of 1234 in 98765.4 s", "(1\u202f234\u202f567) of 1234 in 98\u202f765.4 s" },
		{ "step 'r 12345 x' had 54321; sim:x,shrink=65536 the drive's 10000", "step 'r 12345 x' had 54\u202f321; "
		  "sim:x,shrink=65536 the drive's 10\u202f000" },
		{ "0.000012345 of 1e-12345", "0.000012345 of 1e-12345" },
		{ "", "" },
	};
	struct text out = { 0 };
	struct page page = { .out = &out };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_string_equal(page_grouped(&page, rows[i].sentence), rows[i].grouped);
	arena_release(&page.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_the_page_says_is_in_the_table),
		cmocka_unit_test(translations_take_the_values_of_the_english),
		cmocka_unit_test(no_phrase_is_there_twice),
		cmocka_unit_test(languages_are_known_by_their_tags),
		cmocka_unit_test(the_page_speaks_the_language_asked_for),
		cmocka_unit_test(numbers_of_sentences_are_grouped_as_those_of_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
