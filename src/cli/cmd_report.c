#include <stdlib.h>
#include "cli/command.h"
#include "cli/run_file.h"
#include "report/report.h"

#define REPORT_RUNS_MAX 64

static enum exit_code report_make(const struct command_line *line, struct store *const *stores,
				  const struct report_options *options, const char *path)
{
	struct text html = { 0 };
	struct fault fault = { 0 };
	enum exit_code code;

	if (report_html(stores, line->word_count, options, &html, &fault))
		code = command_fail_fault(EXIT_CODE_FAILED, &fault);
	else
		code = result_write(path, text_data(&html), html.bytes);
	text_release(&html);
	return code;
}

static enum exit_code report_run(const struct command_line *line)
{
	struct report_options options = { .language = REPORT_ENGLISH, .names = line->words };
	struct store *stores[REPORT_RUNS_MAX] = { 0 };
	const char *path = command_value(line, "output");
	const char *language = command_value(line, "lang");
	enum exit_code code;

	if (!path)
		return command_fail(EXIT_CODE_USAGE,
				    "report: name the page: -o FILE.html ('-' = standard output)");
	if (language && report_language_parse(language, &options.language))
		return command_fail(EXIT_CODE_USAGE, "report: --lang %s: known are en, zh-Hans, zh-Hant",
				    language);
	code = run_files_open(line->words, line->word_count, stores);
	if (!code)
		code = report_make(line, stores, &options, path);
	for (uint32_t i = 0; i < line->word_count; i++)
		store_close(stores[i]);
	return code;
}

const struct command command_report = {
	.name = "report",
	.summary = "one self-contained page to look at, of one or several runs",
	.usage = "RUN... -o FILE.html [--lang en]",
	.words_min = 1,
	.words_max = REPORT_RUNS_MAX,
	.options = {
		{ "output", 'o', "FILE", false, "the page; '-' = standard output" },
		{ "lang", 0, "LANGUAGE", false, "en, zh-Hans or zh-Hant" },
	},
	.run = report_run,
};
