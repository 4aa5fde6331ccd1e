#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/command.h"
#include "cli/run_file.h"
#include "cli/terminal.h"
#include "report/report.h"

static enum exit_code show_run(const struct command_line *line)
{
	struct report_layout layout = terminal_layout();
	struct store *store;
	struct text text = { 0 };
	struct fault fault = { 0 };
	enum exit_code code = run_file_open(line->words[0], &store);
	int error;

	if (code)
		return code;
	error = command_given(line, "json") ? report_json(store, &text, &fault)
					    : report_text(store, &layout, &text, &fault);
	if (error)
		code = command_fail_fault(EXIT_CODE_FAILED, &fault);
	else
		terminal_write(stdout, text_data(&text), text.bytes);
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
