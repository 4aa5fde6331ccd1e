#include "support.h"

#include <ctype.h>
#include <glob.h>
#include <inttypes.h>
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
			unsigned int code;

			assert_true(length + 1 < bytes);
			if (sscanf(*at, "\\x%2x", &code) == 1) {
				text[length++] = (char)code;
				*at += 3;
				continue;
			}
			if (**at == '\\')
				(*at)++;
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

/* -- what runs say: literals of the rooms that write sentences, each the format of a call -- */

struct sentence_call {
	const char *name;
	uint32_t format;	/* which of its arguments */
	uint32_t least;		/* so many there are at least */
};

static const struct sentence_call sentence_calls[] = {
	{ "finding_put(", 4, 30 }, { "check_put(", 3, 40 }, { "saying_add(", 1, 60 }, { "SAID_WORD(", 0, 15 },
	{ "conductor_event(", 4, 10 }, { "import_note(", 2, 8 },
};

/* A literal with what follows it, macros of <inttypes.h> included: "%" PRIu64 " I/Os". */
static void read_format(const char **at, char *text, size_t bytes)
{
	static const struct {
		const char *name, *conversion;
	} macros[] = { { "PRIu64", PRIu64 }, { "PRIu32", PRIu32 } };
	bool more = true;

	text[0] = '\0';
	while (more) {
		size_t used = strlen(text);

		read_literal(at, text + used, bytes - used);
		used = strlen(text);
		more = false;
		for (size_t i = 0; i < sizeof(macros) / sizeof(*macros) && !more; i++)
			if (strncmp(*at, macros[i].name, strlen(macros[i].name)) == 0) {
				*at += strlen(macros[i].name);
				*at += strspn(*at, " \t\n");
				assert_true(used + strlen(macros[i].conversion) < bytes);
				strcpy(text + used, macros[i].conversion);
				more = true;
			}
	}
}

/* The literals of one argument, at the depth of the call: both sides of a choice, none of its condition. */
static uint32_t check_sentence(const char *file, const char *at, const struct sentence_call *call)
{
	uint32_t depth = 1, argument = 0, found = 0;
	char text[512];

	while (depth && *at) {
		if (*at == '"') {
			read_format(&at, text, sizeof(text));
			if (depth > 1 || argument != call->format)
				continue;
			if (!phrase_of(text))
				fail_msg("%s: '%s' has no translation", file, text);
			found++;
			continue;
		}
		depth += *at == '(' || *at == '{';
		depth -= *at == ')' || *at == '}';
		argument += *at == ',' && depth == 1;
		at++;
	}
	return found;
}

/* Every call takes its format from literals: there is no way around the table. */
static uint32_t check_sentences(const char *file, const struct text *source, const struct sentence_call *call)
{
	uint32_t all = 0;

	for (const char *at = text_data(source); (at = strstr(at, call->name)); at += strlen(call->name)) {
		uint32_t found;

		if (at == text_data(source) || isalnum((unsigned char)at[-1]) || at[-1] == '_')
			continue;
		if (at - text_data(source) > 4 && strncmp(at - 4, "int ", 4) == 0)
			continue;	/* its definition */
		found = check_sentence(file, at + strlen(call->name), call);
		if (!found)
			fail_msg("%s: a call of %s...) says what is no literal: %.60s", file, call->name, at);
		all += found;
	}
	return all;
}

static void every_sentence_of_a_run_is_in_the_table(void **state)
{
	uint32_t found[sizeof(sentence_calls) / sizeof(*sentence_calls)] = { 0 };
	glob_t files;

	assert_int_equal(glob(SOURCE_FOLDER "/../*/*.c", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct text source = { 0 };

		if (strstr(files.gl_pathv[i], "/saying.c"))
			continue;
		assert_int_equal(text_read_file(&source, files.gl_pathv[i], 1 << 20), 0);
		for (size_t k = 0; k < sizeof(found) / sizeof(*found); k++)
			found[k] += check_sentences(files.gl_pathv[i], &source, &sentence_calls[k]);
		text_release(&source);
	}
	globfree(&files);
	for (size_t k = 0; k < sizeof(found) / sizeof(*found); k++)
		assert_true(found[k] >= sentence_calls[k].least);
}

/* -- the other way round: nothing is translated that nobody says -- */

/* Behind a comment, a character or one byte of anything else. */
static const char *other_skip(const char *at)
{
	const char *end;

	if (strncmp(at, "/*", 2) == 0) {
		end = strstr(at + 2, "*/");
		return end ? end + 2 : at + strlen(at);
	}
	if (*at == '\'')
		return strchr(at + (at[1] == '\\' ? 3 : 2), '\'') + 1;
	return at + 1;
}

/* Marks the phrases that are literals of this file. */
static void mark_said(const struct text *source, bool *said)
{
	const struct phrase *phrase;
	char text[8192];

	for (const char *at = text_data(source); *at;) {
		if (*at != '"') {
			at = other_skip(at);
			continue;
		}
		read_format(&at, text, sizeof(text));
		for (uint32_t i = 0; (phrase = phrase_at(i)); i++)
			said[i] |= strcmp(phrase->english, text) == 0;
	}
}

/* Titles of built-in plans stand behind an equals sign. */
static void mark_titles(const struct text *source, bool *said)
{
	const struct phrase *phrase;

	for (const char *at = text_data(source); (at = strstr(at, "title=")); at++)
		for (uint32_t i = 0; (phrase = phrase_at(i)); i++)
			said[i] |= strcspn(at + 6, "\n") == strlen(phrase->english) &&
				   strncmp(phrase->english, at + 6, strlen(phrase->english)) == 0;
}

static void mark_all(const char *pattern, void (*mark)(const struct text *source, bool *said), bool *said)
{
	glob_t files;

	assert_int_equal(glob(pattern, 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct text source = { 0 };

		if (strstr(files.gl_pathv[i], "/phrases"))
			continue;
		assert_int_equal(text_read_file(&source, files.gl_pathv[i], 1 << 20), 0);
		mark(&source, said);
		text_release(&source);
	}
	globfree(&files);
}

static void every_phrase_is_said_somewhere(void **state)
{
	const struct phrase *phrase;
	bool said[2048] = { false };

	mark_all(SOURCE_FOLDER "/../*/*.[ch]", mark_said, said);
	mark_all(SOURCE_FOLDER "/../plan/plans/*.plan", mark_titles, said);
	for (uint32_t i = 0; (phrase = phrase_at(i)); i++) {
		assert_true(i < sizeof(said));
		if (!said[i])
			fail_msg("'%s' is translated and nobody says it", phrase->english);
	}
}

static void every_title_of_a_built_in_plan_is_in_the_table(void **state)
{
	uint32_t found = 0;
	glob_t files;

	assert_int_equal(glob(SOURCE_FOLDER "/../plan/plans/*.plan", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct text source = { 0 };
		char title[128];

		assert_int_equal(text_read_file(&source, files.gl_pathv[i], 1 << 20), 0);
		assert_non_null(strstr(text_data(&source), "\ntitle="));
		assert_int_equal(sscanf(strstr(text_data(&source), "\ntitle="), "\ntitle=%127[^\n]", title),
				 1);
		if (!phrase_of(title))
			fail_msg("%s: '%s' has no translation", files.gl_pathv[i], title);
		found++;
		text_release(&source);
	}
	globfree(&files);
	assert_true(found > 15);
}

struct value {
	uint32_t place;		/* which value */
	char kind[16];
};

/* "%2$u of %1$s" takes value 2 as u, and value 1 as s. */
static uint32_t values_of(const char *format, struct value list[16])
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
	struct value first[16], second[16];
	uint32_t count = values_of(english, first);

	assert_int_equal(values_of(translation, second), count);
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

/* Chinese has signs of its own width. */
static void assert_wide_signs(const char *english, const char *translation)
{
	bool chinese = false;

	for (const char *c = translation; *c; c++)
		chinese |= (unsigned char)*c >= 0xe4 && (unsigned char)*c <= 0xe9;
	if (chinese && (strpbrk(translation, ",;()") || strstr(translation, "。 ")))
		fail_msg("'%s': '%s' has signs of English", english, translation);
}

static void translations_have_the_signs_of_their_language(void **state)
{
	const struct phrase *phrase;

	for (uint32_t i = 0; (phrase = phrase_at(i)); i++) {
		assert_wide_signs(phrase->english, phrase->simplified);
		assert_wide_signs(phrase->english, phrase->traditional);
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
		cmocka_unit_test(every_sentence_of_a_run_is_in_the_table),
		cmocka_unit_test(every_phrase_is_said_somewhere),
		cmocka_unit_test(every_title_of_a_built_in_plan_is_in_the_table),
		cmocka_unit_test(translations_take_the_values_of_the_english),
		cmocka_unit_test(translations_have_the_signs_of_their_language),
		cmocka_unit_test(no_phrase_is_there_twice),
		cmocka_unit_test(languages_are_known_by_their_tags),
		cmocka_unit_test(the_page_speaks_the_language_asked_for),
		cmocka_unit_test(numbers_of_sentences_are_grouped_as_those_of_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
