#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "cli/command.h"
#include "cli/run_file.h"
#include "report/report.h"

/* Columns of the terminal on standard output; 0 = not a terminal. */
static uint32_t terminal_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return 80;
	return size.ws_col;
}

static enum exit_code show_run(const struct command_line *line)
{
	struct report_layout layout = { .width = terminal_width() };
	struct store *store;
	struct text text = { 0 };
	struct fault fault = { 0 };
	enum exit_code code = run_file_open(line->words[0], &store);
	int error;

	if (code)
		return code;
	layout.color = layout.width && !getenv("NO_COLOR");
	error = command_given(line, "json") ? report_json(store, &text, &fault)
					    : report_text(store, &layout, &text, &fault);
	if (error)
		code = command_fail_fault(EXIT_CODE_FAILED, &fault);
	else
		fwrite(text_data(&text), 1, text.bytes, stdout);
	text_release(&text);
	store_close(store);
	return code;
}

const struct command command_show = {
	.name = "show",
	.summary = "the results and findings of a run",
	.usage = "RUN [--json]",
	.words_min = 1,
	.words_max = 1,
	.options = { { "json", 0, NULL, false, "one JSON document with every figure" } },
	.run = show_run,
};
