#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/command.h"
#include "cli/run_file.h"
#include "report/report.h"

static enum exit_code directory_open(const char *path, int *ret_fd)
{
	int fd;

	if (mkdir(path, 0755) && errno != EEXIST)
		return command_fail(EXIT_CODE_FAILED, "cannot make directory %s: %s", path, strerror(errno));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return command_fail(EXIT_CODE_FAILED, "cannot open directory %s: %s", path, strerror(errno));
	*ret_fd = fd;
	return EXIT_CODE_DONE;
}

/* Several files. */
static enum exit_code export_files(struct store *store, const char *directory,
				   int (*write)(struct store *store, int directory, struct fault *fault))
{
	struct fault fault = { 0 };
	int fd = -1, error;
	enum exit_code code = directory_open(directory ? directory : ".", &fd);

	if (code)
		return code;
	error = write(store, fd, &fault);
	if (error)
		code = command_fail_fault(error == -EEXIST ? EXIT_CODE_USAGE : EXIT_CODE_FAILED, &fault);
	close(fd);
	return code;
}

/* One document: a file of this name in the directory, or standard output without one. */
static enum exit_code export_document(struct store *store, const char *directory, const char *name,
				      int (*write)(struct store *store, struct text *out,
						   struct fault *fault))
{
	struct text text = { 0 };
	struct fault fault = { 0 };
	char path[4096] = "-";
	enum exit_code code;

	if (directory && mkdir(directory, 0755) && errno != EEXIST)
		return command_fail(EXIT_CODE_FAILED, "cannot make directory %s: %s", directory,
				    strerror(errno));
	if (directory)
		snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (write(store, &text, &fault))
		code = command_fail_fault(EXIT_CODE_FAILED, &fault);
	else
		code = result_write(path, text_data(&text), text.bytes);
	text_release(&text);
	return code;
}

static const struct {
	const char *name;
	int (*files)(struct store *store, int directory, struct fault *fault);		/* either */
	int (*document)(struct store *store, struct text *out, struct fault *fault);	/* or */
	const char *document_name;
} formats[] = {
	{ "csv", .files = report_csv },
	{ "json", .document = report_json, .document_name = "run.json" },
	{ "fio-json", .document = report_fio_json, .document_name = "fio.json" },
	{ "hdr", .files = report_hdr },
};

static enum exit_code export_run(const struct command_line *line)
{
	const char *format = command_value(line, "format"), *directory = command_value(line, "output");
	struct store *store;
	enum exit_code code;
	size_t i = 0;

	if (!format)
		return command_fail(EXIT_CODE_USAGE,
				    "export: which format? --format csv, json, fio-json or hdr");
	while (i < sizeof(formats) / sizeof(formats[0]) && strcmp(format, formats[i].name))
		i++;
	if (i == sizeof(formats) / sizeof(formats[0]))
		return command_fail(EXIT_CODE_USAGE,
				    "export: --format %s: known are csv, json, fio-json and hdr", format);
	code = run_file_open(line->words[0], &store);
	if (code)
		return code;
	code = formats[i].files
		       ? export_files(store, directory, formats[i].files)
		       : export_document(store, directory, formats[i].document_name, formats[i].document);
	store_close(store);
	return code;
}

const struct command command_export = {
	.name = "export",
	.summary = "machine-readable copies of a run",
	.usage = "RUN --format csv|json|fio-json|hdr [-o DIR]",
	.details = "csv writes series.csv, outliers.csv, telemetry.csv, results.csv and windows.csv into DIR\n"
		   "(default: here).\n"
		   "json writes DIR/run.json, or to standard output without -o.\n"
		   "fio-json writes DIR/fio.json (or standard output) in the shape of fio 3's JSON: a job per load.\n"
		   "hdr writes HdrHistogram logs (format 1.3, values in ns), one per load, kind of I/O and time.",
	.words_min = 1,
	.words_max = 1,
	.options = {
		{ "format", 0, "FORMAT", false, "csv, json, fio-json or hdr" },
		{ "output", 'o', "DIR", false, "where the files go; made when it does not exist" },
	},
	.run = export_run,
};
