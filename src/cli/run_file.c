#include "cli/run_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/output.h"

enum exit_code run_file_open(const char *path, struct store **ret_store)
{
	struct fault fault = { 0 };
	int error = store_open(path, ret_store, &fault);
	const struct run_record *run;

	if (!error && store_run(*ret_store, &run) == -ENODATA) {
		*ret_store = store_close(*ret_store);
		return command_fail(EXIT_CODE_USAGE,
				    "%s: holds no run: it was ended before anything was recorded", path);
	}
	if (!error)
		return EXIT_CODE_DONE;
	if (fault.text[0])
		return command_fail_fault(error == -ENOENT || error == -EBADMSG ? EXIT_CODE_USAGE
										: EXIT_CODE_FAILED,
					  &fault);
	return command_fail(EXIT_CODE_FAILED, "cannot open run %s: %s", path, strerror(-error));
}

/* A second name of a run, or a copy, is no second measurement. */
static enum exit_code refuse_twice(const char *const *words, struct store *const *stores, uint32_t last)
{
	const struct run_record *run, *other;

	if (store_run(stores[last], &run) || !run->id || !run->id[0])
		return EXIT_CODE_DONE;
	for (uint32_t i = 0; i < last; i++)
		if (!store_run(stores[i], &other) && other->id && !strcmp(run->id, other->id))
			return command_fail(EXIT_CODE_USAGE,
					    "%s and %s are the same measurement: name it once", words[i],
					    words[last]);
	return EXIT_CODE_DONE;
}

enum exit_code run_files_open(const char *const *words, uint32_t count, struct store **stores)
{
	enum exit_code code = EXIT_CODE_DONE;

	for (uint32_t i = 0; i < count && !code; i++) {
		code = run_file_open(words[i], &stores[i]);
		if (!code)
			code = refuse_twice(words, stores, i);
	}
	return code;
}

static int standard_output_write(const char *bytes, size_t count)
{
	struct output output = { .fd = STDOUT_FILENO };

	return output_write(&output, bytes, count);
}

enum exit_code result_write(const char *path, const char *bytes, size_t count)
{
	struct output output;
	struct fault fault = { 0 };
	int error;

	if (!strcmp(path, "-")) {
		error = standard_output_write(bytes, count);
		return error ? command_fail(EXIT_CODE_FAILED, "cannot write to standard output: %s",
					    strerror(-error))
			     : EXIT_CODE_DONE;
	}
	error = output_open(&output, AT_FDCWD, path, &fault);
	if (error)
		return command_fail_fault(error == -EEXIST ? EXIT_CODE_USAGE : EXIT_CODE_FAILED, &fault);
	error = output_write(&output, bytes, count);
	if (error)
		output_discard(&output);
	else
		error = output_finish(&output);
	return error ? command_fail(EXIT_CODE_FAILED, "%s cannot be written: %s", path, strerror(-error))
		     : EXIT_CODE_DONE;
}
