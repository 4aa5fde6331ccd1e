#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "cli/command.h"
#include "cli/version.h"
#include "store/import.h"

#define IMPORT_FILES_MAX 4096

/* What the user can mend is a mistake of his; the rest is the machine's. */
static enum exit_code code_of(int error)
{
	switch (error) {
	case -EBADMSG: case -ENOENT: case -EISDIR: case -EACCES: case -EEXIST: case -ENOTDIR: case -EFBIG:
		return EXIT_CODE_USAGE;
	default:
		return EXIT_CODE_FAILED;
	}
}

/* Notes say what the files could not. */
static void notes_print(const char *path)
{
	const struct event_record *events;
	struct store *store;
	uint32_t count;

	if (store_open(path, &store, NULL))
		return;
	if (!store_events(store, &events, &count))
		for (uint32_t i = 0; i < count; i++)
			command_print_line(stderr, "ssdassay: note: %s", events[i].text);
	store_close(store);
}

static enum exit_code files_import(const struct import_request *request, const char *path)
{
	struct fault fault = { 0 };
	struct store *store;
	int error = store_create(path, &store, &fault);

	if (error)
		return command_fail_fault(code_of(error), &fault);
	error = store_import(store, request, &fault);
	store_close(store);
	if (!error) {
		notes_print(path);
		return EXIT_CODE_DONE;
	}
	unlink(path);
	return command_fail_fault(code_of(error), &fault);
}

static enum exit_code import_run(const struct command_line *line)
{
	const char *path = command_value(line, "output");
	struct import_request request = {
		.paths = line->words,
		.count = line->word_count,
		.version = SSDASSAY_VERSION,
	};
	enum exit_code code;
	char *json;

	if (!path)
		return command_fail(EXIT_CODE_USAGE,
				    "import: name the run file that is to be made: -o RUN.assay");
	json = command_line_json(line);
	if (!json)
		return command_fail(EXIT_CODE_FAILED, "import: out of memory");
	request.command_line = json;
	code = files_import(&request, path);
	free(json);
	if (!code)
		command_print_line(stderr, "Run file: %s", path);
	return code;
}

const struct command command_import = {
	.name = "import",
	.summary = "results of other tools as a run: fio's JSON and logs",
	.usage = "FILE... -o RUN",
	.details = "Reads what fio 2.x and 3.x write: JSON (normal, json+, client/server, with other output around it) and "
		   "bandwidth, IOPS, latency and histogram logs (PREFIX_bw.1.log, ...). Logs go to the jobs that name their "
		   "prefix. What contradicts itself is refused with the reason; what a file cannot say stays empty, and a "
		   "note says so.",
	.words_min = 1,
	.words_max = IMPORT_FILES_MAX,
	.options = {
		{ "output", 'o', "RUN", false, "the run file; an existing one is never overwritten" },
	},
	.run = import_run,
};
