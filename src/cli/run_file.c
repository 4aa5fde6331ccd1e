#include "cli/run_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

static int write_all(int fd, const char *bytes, size_t count)
{
	while (count) {
		ssize_t done = write(fd, bytes, count);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		bytes += done;
		count -= (size_t)done;
	}
	return 0;
}

enum exit_code output_write(const char *path, const char *bytes, size_t count)
{
	char temporary[4096];
	int fd, error;

	if (!strcmp(path, "-")) {
		error = write_all(STDOUT_FILENO, bytes, count);
		return error ? command_fail(EXIT_CODE_FAILED, "cannot write to standard output: %s",
					    strerror(-error))
			     : EXIT_CODE_DONE;
	}
	if (snprintf(temporary, sizeof(temporary), "%s.part", path) >= (int)sizeof(temporary))
		return command_fail(EXIT_CODE_USAGE, "%s: the name is too long", path);
	/* What is left of an earlier try goes; a file that somebody else puts there in the meantime is not
	 * written to. */
	unlink(temporary);
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return command_fail(EXIT_CODE_FAILED, "cannot create %s: %s", path, strerror(errno));
	error = write_all(fd, bytes, count);
	if (close(fd) && !error)
		error = -errno;
	if (!error && rename(temporary, path))
		error = -errno;
	if (error) {
		unlink(temporary);
		return command_fail(EXIT_CODE_FAILED, "cannot write %s: %s", path, strerror(-error));
	}
	return EXIT_CODE_DONE;
}
