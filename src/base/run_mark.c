#include "base/run_mark.h"
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HEAD_BYTES 72	/* SQLite's header up to the application id */
#define ID_AT 68

bool run_mark_is(int directory, const char *path)
{
	unsigned char head[HEAD_BYTES];
	const int fd = openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	const bool whole = fd >= 0 && read(fd, head, sizeof head) == (ssize_t)sizeof head;

	if (fd >= 0)
		close(fd);
	return whole && !memcmp(head, "SQLite format 3", 16) && !memcmp(head + ID_AT, "SSDA", 4);
}

bool run_mark_is_side(int directory, const char *path, char *run)
{
	static const char *const sides[] = {"-wal", "-shm", "-journal"};
	const size_t bytes = strlen(path);

	for (uint32_t i = 0; i < sizeof sides / sizeof *sides; i++) {
		const size_t side = strlen(sides[i]);

		if (bytes <= side || bytes - side >= PATH_MAX || strcmp(path + bytes - side, sides[i]))
			continue;
		snprintf(run, PATH_MAX, "%.*s", (int)(bytes - side), path);
		return run_mark_is(directory, run);
	}
	return false;
}
