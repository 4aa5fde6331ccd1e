/* command: one command of the program, one file each (cmd_NAME.c), with one const entry.
 *
 * The entry is the only description: parsing, --help, completions and the test of the man page read it. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/fault.h"
#include "base/text.h"

#define COMMAND_OPTIONS 24
#define COMMAND_VALUES 64	/* values of one option that may be repeated */

enum exit_code {
	EXIT_CODE_DONE = 0,
	EXIT_CODE_CRITERIA = 1,
	EXIT_CODE_USAGE = 2,
	EXIT_CODE_REFUSED = 3,
	EXIT_CODE_FAILED = 4,
	EXIT_CODE_INTERRUPTED = 130,
};

struct command_option {
	const char *name;		/* long name without "--" */
	char letter;			/* short form, 0 = none */
	const char *value;		/* "FILE", "KEY=VALUE"; NULL = a switch */
	bool repeats;
	const char *help;
};

struct command_values {
	uint32_t count;			/* 0 = not given */
	const char *value[COMMAND_VALUES];
};

/* What the user typed, sorted. Strings are borrowed from argv. */
struct command_line {
	const struct command *command;
	int argc;
	char **argv;			/* as given to main */
	uint32_t word_count;
	const char **words;		/* positional arguments */
	struct command_values options[COMMAND_OPTIONS];
	const volatile sig_atomic_t *interrupted;	/* interrupt.h */
};

struct command {
	const char *name;
	const char *summary;		/* one line */
	const char *usage;		/* after "ssdassay NAME" */
	const char *details;		/* paragraphs for --help; NULL = none */
	uint32_t words_min, words_max;
	struct command_option options[COMMAND_OPTIONS];	/* ends with name NULL */
	enum exit_code (*run)(const struct command_line *line);
};

extern const struct command command_run, command_show, command_report, command_plans, command_check,
	command_export, command_drives, command_sim, command_completion,
	command_import, command_compare;

const struct command *command_at(uint32_t index);		/* NULL past the end */
const struct command *command_find(const char *name);

/* 0, or -EINVAL with a fault that names the option and the nearest known one. `ret_help` set for --help. */
int command_line_parse(const struct command *command, int argc, char **argv, struct command_line *ret_line,
		       bool *ret_help, struct fault *fault);
void command_line_release(struct command_line *line);

/* "ssdassay", the command and its arguments as a JSON array; caller frees. NULL: out of memory. */
char *command_line_json(const struct command_line *line);

/* Values of an option by long name; NULL or false when not given. The last one wins. */
const char *command_value(const struct command_line *line, const char *name);
bool command_given(const struct command_line *line, const char *name);
const struct command_values *command_values(const struct command_line *line, const char *name);

/* A word as a shell takes it, quoted where it must be, and never as an option: for commands that are shown. */
void command_quote(struct text *out, const char *word);

/* Control characters (also U+0080 to U+009F) and bytes that are no UTF-8 become '?', in place: what stands in
 * a name must not drive the terminal. Returns text. */
char *command_clean(char *text);
/* The same for a whole line to `out`, which ends with a newline. */
void command_print_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "ssdassay: ..." on stderr, one line, cleaned. Returns the exit code given. */
enum exit_code command_fail(enum exit_code code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
enum exit_code command_fail_fault(enum exit_code code, const struct fault *fault);
/* `head` padded to `indent`, then `words` in lines of 80 columns, the later ones indented. */
void command_fold(FILE *out, const char *head, uint32_t indent, const char *words);
void command_help(const struct command *command);
