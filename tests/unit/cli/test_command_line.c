/* What the user typed, sorted: options, values, words, help, and faults that name the nearest. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "cli/command.h"

static const struct command command = {
	.name = "try",
	.summary = "to try",
	.usage = "WORD... [OPTION...]",
	.words_min = 1,
	.words_max = 3,
	.options = {
		{ "output", 'o', "FILE", false, "where" },
		{ "destroy", 0, "ID", true, "which" },
		{ "strict", 's', NULL, false, "be so" },
	},
};

struct parsed {
	struct command_line line;
	struct fault fault;
	bool help;
	int error;
};

/* Parses words separated by '|'. */
static void parse(struct parsed *parsed, const char *typed)
{
	static char copy[4096];
	static char *argv[200];
	char *save, *word;
	int argc = 0;

	memset(parsed, 0, sizeof(*parsed));
	snprintf(copy, sizeof(copy), "%s", typed);
	for (word = strtok_r(copy, "|", &save); word; word = strtok_r(NULL, "|", &save))
		argv[argc++] = !strcmp(word, "EMPTY") ? "" : word;
	parsed->error = command_line_parse(&command, argc, argv, &parsed->line, &parsed->help, &parsed->fault);
}

static void done(struct parsed *parsed)
{
	if (!parsed->error)
		command_line_release(&parsed->line);
}

static void words_and_options_may_be_mixed(void **state)
{
	static const char *const typed[] = { "a|b|--output|f|--strict", "--output=f|a|--strict|b", "-of|-s|a|b", "a|-o|f|b|-s" };

	for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++) {
		struct parsed parsed;

		parse(&parsed, typed[i]);
		assert_int_equal(parsed.error, 0);
		assert_int_equal(parsed.line.word_count, 2);
		assert_string_equal(parsed.line.words[0], "a");
		assert_string_equal(parsed.line.words[1], "b");
		assert_string_equal(command_value(&parsed.line, "output"), "f");
		assert_true(command_given(&parsed.line, "strict"));
		assert_false(command_given(&parsed.line, "destroy"));
		done(&parsed);
	}
}

static void an_option_that_repeats_keeps_every_value_in_order(void **state)
{
	struct parsed parsed;

	parse(&parsed, "a|--destroy|one|--destroy=two|--destroy|EMPTY");
	assert_int_equal(parsed.error, 0);
	assert_int_equal(command_values(&parsed.line, "destroy")->count, 3);
	assert_string_equal(command_values(&parsed.line, "destroy")->value[0], "one");
	assert_string_equal(command_value(&parsed.line, "destroy"), "");
	assert_int_equal(command_values(&parsed.line, "no-such")->count, 0);
	assert_null(command_value(&parsed.line, "output"));
	done(&parsed);
}

static void a_value_may_look_like_anything(void **state)
{
	struct parsed parsed;

	parse(&parsed, "a|--output|--strict|--destroy==|-s");
	assert_int_equal(parsed.error, 0);
	assert_string_equal(command_value(&parsed.line, "output"), "--strict");
	assert_string_equal(command_value(&parsed.line, "destroy"), "=");
	assert_true(command_given(&parsed.line, "strict"));
	done(&parsed);
}

static void two_dashes_end_the_options_and_one_is_a_word(void **state)
{
	struct parsed parsed;

	parse(&parsed, "-|--|--strict|-x");
	assert_int_equal(parsed.error, 0);
	assert_int_equal(parsed.line.word_count, 3);
	assert_string_equal(parsed.line.words[0], "-");
	assert_string_equal(parsed.line.words[1], "--strict");
	assert_false(command_given(&parsed.line, "strict"));
	done(&parsed);
}

static void help_needs_no_words(void **state)
{
	static const char *const typed[] = { "--help", "-h", "--strict|--help", "a|b|c|d|e|-h" };

	for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++) {
		struct parsed parsed;

		parse(&parsed, typed[i]);
		assert_int_equal(parsed.error, 0);
		assert_true(parsed.help);
		done(&parsed);
	}
}

static void faults_name_what_is_wrong(void **state)
{
	static const struct { const char *typed, *text; } cases[] = {
		{ "a|--ouput|f", "did you mean --output?" },
		{ "a|--outputs=f", "did you mean --output?" },
		{ "a|--zzzzzzz", "see 'ssdassay try --help'" },
		{ "a|--", "" },
		{ "a|-z", "unknown option -z" },
		{ "a|--strict=1", "takes no value" },
		{ "a|-s1", "takes no value" },
		{ "a|--output", "needs a value: --output FILE" },
		{ "a|-o", "needs a value" },
		{ "a|-o|x|--output=y", "was given twice" },
		{ "a|-s|-s", "was given twice" },
		{ "--strict", " is missing; usage: ssdassay try " },
		{ "a|b|c|d", "'d' is too much" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parsed parsed;

		parse(&parsed, cases[i].typed);
		if (!cases[i].text[0])
			assert_int_equal(parsed.error, 0);
		else if (parsed.error != -EINVAL || !strstr(parsed.fault.text, cases[i].text))
			fail_msg("%s: %d %s", cases[i].typed, parsed.error, parsed.fault.text);
		done(&parsed);
	}
}

static void more_values_than_can_be_kept_are_a_fault(void **state)
{
	struct parsed parsed;
	char typed[4096] = "a";

	for (int i = 0; i < COMMAND_VALUES; i++)
		strcat(typed, "|--destroy=x");
	parse(&parsed, typed);
	assert_int_equal(parsed.error, 0);
	done(&parsed);
	strcat(typed, "|--destroy=x");
	parse(&parsed, typed);
	assert_int_equal(parsed.error, -EINVAL);
}

static void an_option_name_of_any_length_is_cut_in_the_message(void **state)
{
	struct parsed parsed;
	char typed[2048] = "a|--";

	memset(typed + 4, 'x', 2000);
	parse(&parsed, typed);
	assert_int_equal(parsed.error, -EINVAL);
	assert_non_null(strstr(parsed.fault.text, "--xxx"));
}

static void control_characters_do_not_reach_a_terminal(void **state)
{
	char text[] = "a\tb\nc\033[31m\177\303\251";

	assert_string_equal(command_clean(text), "a?b?c?[31m?\303\251");
}

static void every_command_is_complete(void **state)
{
	for (uint32_t i = 0; command_at(i); i++) {
		const struct command *one = command_at(i);

		assert_true(one->name && one->summary && one->usage && one->run);
		assert_true(one->words_max >= one->words_min);
		assert_ptr_equal(command_find(one->name), one);
		for (uint32_t k = 0; k < COMMAND_OPTIONS && one->options[k].name; k++) {
			assert_non_null(one->options[k].help);
			assert_true(k + 1 < COMMAND_OPTIONS);
		}
	}
	assert_null(command_find("no-such"));
	assert_null(command_at(1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_and_options_may_be_mixed),
		cmocka_unit_test(an_option_that_repeats_keeps_every_value_in_order),
		cmocka_unit_test(a_value_may_look_like_anything),
		cmocka_unit_test(two_dashes_end_the_options_and_one_is_a_word),
		cmocka_unit_test(help_needs_no_words),
		cmocka_unit_test(faults_name_what_is_wrong),
		cmocka_unit_test(more_values_than_can_be_kept_are_a_fault),
		cmocka_unit_test(an_option_name_of_any_length_is_cut_in_the_message),
		cmocka_unit_test(control_characters_do_not_reach_a_terminal),
		cmocka_unit_test(every_command_is_complete),
	};

	return cmocka_run_group_tests_name("command line", tests, NULL, NULL);
}
