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
