#include "store/reserve.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The run's row with its plan and options, the drives' rows, findings and checks, each in whole pages of the
 * log. */
#define RESERVE_BYTES (512 << 10)

int reserve_take(const char *path)
{
	char directory[PATH_MAX], *slash;
	int fd;

	if (snprintf(directory, sizeof(directory), "%s", path) >= (int)sizeof(directory))
		return -1;
	slash = strrchr(directory, '/');
	if (slash)
		slash[slash == directory] = 0;
	else
		strcpy(directory, ".");
	fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (fd >= 0 && fallocate(fd, 0, 0, RESERVE_BYTES)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void reserve_give(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}
