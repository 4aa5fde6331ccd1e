#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/command.h"
#include "cli/run_file.h"
#include "report/report.h"

static enum exit_code export_csv(struct store *store, const char *directory)
{
	struct fault fault = { 0 };
	enum exit_code code = EXIT_CODE_DONE;
	int fd;

	if (mkdir(directory, 0755) && errno != EEXIST)
		return command_fail(EXIT_CODE_FAILED, "cannot make directory %s: %s", directory, strerror(errno));
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return command_fail(EXIT_CODE_FAILED, "cannot open directory %s: %s", directory, strerror(errno));
	if (report_csv(store, fd, &fault))
		code = command_fail_fault(EXIT_CODE_FAILED, &fault);
	close(fd);
	return code;
}

static enum exit_code export_json(struct store *store, const char *directory)
{
	struct text text = { 0 };
	struct fault fault = { 0 };
	char path[4096] = "-";
	enum exit_code code;

	if (directory && mkdir(directory, 0755) && errno != EEXIST)
		return command_fail(EXIT_CODE_FAILED, "cannot make directory %s: %s", directory, strerror(errno));
	if (directory)
		snprintf(path, sizeof(path), "%s/run.json", directory);
	if (report_json(store, &text, &fault))
		code = command_fail_fault(EXIT_CODE_FAILED, &fault);
	else
		code = output_write(path, text_data(&text), text.bytes);
	text_release(&text);
	return code;
}

static enum exit_code export_run(const struct command_line *line)
{
	const char *format = command_value(line, "format");
	const char *directory = command_value(line, "output");
	struct store *store;
	enum exit_code code;

	if (!format)
		return command_fail(EXIT_CODE_USAGE, "export: which format? --format csv or json");
	if (strcmp(format, "csv") && strcmp(format, "json"))
		return command_fail(EXIT_CODE_USAGE, "export: --format %s: known are csv and json", format);
	code = run_file_open(line->words[0], &store);
	if (code)
		return code;
	if (!strcmp(format, "csv"))
		code = export_csv(store, directory ? directory : ".");
	else
		code = export_json(store, directory);
	store_close(store);
	return code;
}

const struct command command_export = {
	.name = "export",
	.summary = "machine-readable copies of a run",
	.usage = "RUN --format csv|json [-o DIR]",
	.details = "csv writes series.csv, outliers.csv, telemetry.csv and results.csv into DIR (default: here).\n"
		   "json writes DIR/run.json, or to standard output without -o.",
	.words_min = 1,
	.words_max = 1,
	.options = {
		{ "format", 0, "FORMAT", false, "csv or json" },
		{ "output", 'o', "DIR", false, "where the files go; made when it does not exist" },
	},
	.run = export_run,
};
