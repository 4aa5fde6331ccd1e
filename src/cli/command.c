#include "cli/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/utf8.h"

#define HELP_COLUMNS 80u
#define HELP_INDENT 30u

static const struct command *const commands[] = {
	&command_run, &command_check, &command_show, &command_report, &command_compare, &command_export,
	&command_import, &command_plans, &command_drives, &command_sim, &command_completion,
};

const struct command *command_at(uint32_t index)
{
	return index < sizeof(commands) / sizeof(commands[0]) ? commands[index] : NULL;
}

const struct command *command_find(const char *name)
{
	for (uint32_t i = 0; command_at(i); i++)
		if (!strcmp(command_at(i)->name, name))
			return command_at(i);
	return NULL;
}

void command_quote(struct text *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+=:,@%";

	text_append(out, word[0] == '-' ? "./" : "");
	if (word[0] && !word[strspn(word, plain)]) {
		text_append(out, word);
		return;
	}
	text_append_char(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			text_append(out, "'\\'");
		text_append_char(out, *word);
	}
	text_append_char(out, '\'');
}

/* Controls, those of ISO 6429 beyond ASCII too (U+0080 to U+009F), which some terminals obey. */
static bool is_control(const unsigned char *at)
{
	return at[0] < ' ' || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0);
}

char *command_clean(char *text)
{
	for (char *at = text; *at;) {
		const uint32_t length = utf8_length(at);

		if (!length || is_control((const unsigned char *)at))
			memset(at, '?', length ? length : 1);
		at += length ? length : 1;
	}
	return text;
}

static void line_put(FILE *out, const char *head, const char *format, va_list args)
{
	char *line;

	if (vasprintf(&line, format, args) < 0)
		return;
	fprintf(out, "%s%s\n", head, command_clean(line));
	free(line);
}

void command_print_line(FILE *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line_put(out, "", format, args);
	va_end(args);
}

enum exit_code command_fail(enum exit_code code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line_put(stderr, "ssdassay: ", format, args);
	va_end(args);
	return code;
}

enum exit_code command_fail_fault(enum exit_code code, const struct fault *fault)
{
	char line[1024];

	return command_fail(code, "%s", fault_format(fault, line, sizeof(line)));
}

void command_fold(FILE *out, const char *head, uint32_t indent, const char *words)
{
	uint32_t column = (uint32_t)fprintf(out, "%-*s", (int)indent, head), start = column;

	while (*words) {
		const int length = (int)strcspn(words, " ");

		if (column > start && column + 1 + (uint32_t)length > HELP_COLUMNS) {
			fprintf(out, "\n%*s", (int)indent, "");
			start = column = indent;
		}
		column += (uint32_t)fprintf(out, "%s%.*s", column > start ? " " : "", length, words);
		words += length;
		words += *words == ' ';
	}
	fputc('\n', out);
}

static void help_line(const char *option, const char *words)
{
	char left[72];

	snprintf(left, sizeof(left), "  %s ", option);
	command_fold(stdout, left, HELP_INDENT, words);
}

static void help_option(const struct command_option *option)
{
	char left[64];

	if (option->letter)
		snprintf(left, sizeof(left), "-%c, --%s%s%s", option->letter, option->name,
			 option->value ? " " : "", option->value ? option->value : "");
	else
		snprintf(left, sizeof(left), "    --%s%s%s", option->name, option->value ? " " : "",
			 option->value ? option->value : "");
	help_line(left, option->help);
}

/* Lines as they are, folded; what follows a word and two spaces stays in its column. */
static void details_print(const char *details)
{
	putchar('\n');
	for (;;) {
		const size_t length = strcspn(details, "\n");
		char *line = strndup(details, length);
		const char *gap = line ? strstr(line, "  ") : NULL;
		const size_t head = gap ? (size_t)(gap - line) + strspn(gap, " ") : 0;
		char *first = line ? strndup(line, head) : NULL;

		if (first)
			command_fold(stdout, first, (uint32_t)head, line + head);
		free(first);
		free(line);
		if (!details[length])
			return;
		details += length + 1;
	}
}

void command_help(const struct command *command)
{
	char head[64];

	snprintf(head, sizeof(head), "ssdassay %s - ", command->name);
	command_fold(stdout, head, 2, command->summary);
	snprintf(head, sizeof(head), "\nUsage: ssdassay %s ", command->name);
	command_fold(stdout, head, 7, command->usage);
	if (command->details)
		details_print(command->details);
	printf("\nOptions:\n");
	for (uint32_t i = 0; i < COMMAND_OPTIONS && command->options[i].name; i++)
		help_option(&command->options[i]);
	help_line("-h, --help", "this text");
}
