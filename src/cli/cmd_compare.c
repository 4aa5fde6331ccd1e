#include <stdio.h>
#include <stdlib.h>
#include "cli/command.h"
#include "cli/run_file.h"
#include "cli/terminal.h"
#include "report/report.h"

#define COMPARE_RUNS_MAX 64

static enum exit_code compare_stores(const struct command_line *line, struct store *const *stores)
{
	struct report_layout layout = terminal_layout();
	bool json = command_given(line, "json");
	struct text text = { 0 };
	struct fault fault = { 0 };
	enum exit_code code = EXIT_CODE_DONE;

	if (report_compare(stores, line->word_count, line->words, json ? NULL : &layout, &text, &fault))
		code = command_fail_fault(EXIT_CODE_FAILED, &fault);
	else
		terminal_write(stdout, text_data(&text), text.bytes);
	text_release(&text);
	return code;
}

static enum exit_code compare_run(const struct command_line *line)
{
	struct store *stores[COMPARE_RUNS_MAX] = { 0 };
	enum exit_code code = run_files_open(line->words, line->word_count, stores);

	if (!code)
		code = compare_stores(line, stores);
	for (uint32_t i = 0; i < line->word_count; i++)
		store_close(stores[i]);
	return code;
}

const struct command command_compare = {
	.name = "compare",
	.summary = "verdicts with confidence: faster, slower, same, can't tell",
	.usage = "RUN RUN... [--json]",
	.details = "Runs of the same drive are measurements of one side, each drive of a run with several a "
		   "side of its own; "
		   "when all are of one drive, each run is a side. The first side is the reference. What "
		   "counts as one "
		   "measurement is a repeat (repeat=N) or a run, never a second: a verdict at 95 % takes 4 "
		   "on each side. "
		   "Differences below 3 % are the same. Steps are compared within one plan only; 20 runs of "
		   "one drive and "
		   "more are also told as a history: from which run on it was another.",
	.words_min = 2,
	.words_max = COMPARE_RUNS_MAX,
	.options = { { "json", 0, NULL, false, "one JSON document" } },
	.run = compare_run,
};
