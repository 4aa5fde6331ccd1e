#include "base/output.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/run_mark.h"

static int cannot(struct fault *fault, int error, const char *name)
{
	return fault_system(fault, error, "%s cannot be written: %s", name, strerror(-error));
}

/* Where the links end. */
static int follow(struct output *output, const char *name)
{
	char link[64];
	const int fd = openat(output->directory, name, O_PATH | O_CLOEXEC);
	ssize_t bytes;

	if (fd < 0)
		return -errno;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	bytes = readlink(link, output->name, sizeof output->name - 1);
	close(fd);
	if (bytes < 0)
		return -errno;
	output->name[bytes] = '\0';
	return 0;
}

static int open_in_place(struct output *output, const char *name, struct fault *fault)
{
	output->fd = openat(output->directory, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	return output->fd < 0 ? cannot(fault, -errno, name) : 0;
}

/* "a/page.html" -> "a/.page.html.4711" */
static int temporary_name(struct output *output)
{
	const char *slash = strrchr(output->name, '/');
	const int folder = slash ? (int)(slash + 1 - output->name) : 0;
	const int bytes = snprintf(output->temporary, sizeof output->temporary, "%.*s.%s.%d", folder,
				   output->name, output->name + folder, (int)getpid());

	return bytes >= (int)sizeof output->temporary ? -ENAMETOOLONG : 0;
}

static int open_beside(struct output *output, const char *name, struct fault *fault)
{
	const int error = temporary_name(output);

	if (error)
		return cannot(fault, error, name);
	/* What is left of an earlier try goes; a file that somebody else puts there in the meantime is not
	 * written to. */
	unlinkat(output->directory, output->temporary, 0);
	output->fd = openat(output->directory, output->temporary,
			    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	return output->fd < 0 ? cannot(fault, -errno, name) : 0;
}

static int refuse_run_files(const struct output *output, const char *name, struct fault *fault)
{
	char run[PATH_MAX];

	if (run_mark_is(output->directory, output->name))
		return fault_system(fault, -EEXIST,
				    "%s is a run file and is not written over: the measurement would be "
				    "lost; give another name", name);
	if (run_mark_is_side(output->directory, output->name, run))
		return fault_system(fault, -EEXIST,
				    "%s belongs to the run file %s and is not written over; give another name",
				    name, run);
	return 0;
}

int output_open(struct output *output, int directory, const char *name, struct fault *fault)
{
	struct stat status;
	const bool there = !fstatat(directory, name, &status, 0);
	int error = 0;

	*output = (struct output){ .fd = -1, .directory = directory };
	if (there && S_ISBLK(status.st_mode))
		return fault_system(fault, -EEXIST,
				    "%s is a block device: no result is written over what it holds", name);
	if (there && S_ISDIR(status.st_mode))
		return cannot(fault, -EISDIR, name);
	if (there && !S_ISREG(status.st_mode))
		return open_in_place(output, name, fault);
	if (there)
		error = follow(output, name);
	else if (snprintf(output->name, sizeof output->name, "%s", name) >= (int)sizeof output->name)
		error = -ENAMETOOLONG;
	if (error)
		return cannot(fault, error, name);
	error = refuse_run_files(output, name, fault);
	if (error)
		return error;
	/* a link to what is not there yet */
	if (!there && !fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW))
		return open_in_place(output, name, fault);
	return open_beside(output, name, fault);
}

int output_write(struct output *output, const void *bytes, size_t count)
{
	const char *at = bytes;

	while (count) {
		const ssize_t done = write(output->fd, at, count);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		at += done;
		count -= (size_t)done;
	}
	return 0;
}

void output_discard(struct output *output)
{
	if (output->fd < 0)
		return;
	close(output->fd);
	output->fd = -1;
	if (output->temporary[0])
		unlinkat(output->directory, output->temporary, 0);
}

int output_finish(struct output *output)
{
	int error = close(output->fd) ? -errno : 0;

	output->fd = -1;
	if (!output->temporary[0])
		return error;
	if (!error && renameat(output->directory, output->temporary, output->directory, output->name))
		error = -errno;
	if (error)
		unlinkat(output->directory, output->temporary, 0);
	return error;
}
