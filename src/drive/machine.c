#include "drive/machine.h"
#include "drive/lines.h"
#include "drive/smartctl.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ATTRIBUTE_BYTES 4096	/* sysfs gives at most a page */

static int kernel_open(void *context, const char *path, int flags)
{
	const int fd = open(path, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int kernel_command(void *context, int fd, unsigned long request, void *argument)
{
	const int result = ioctl(fd, request, argument);

	return result < 0 ? -errno : result;
}

static void kernel_close(void *context, int fd)
{
	close(fd);
}

static int kernel_smartctl(void *context, const char *device, struct text *out)
{
	return smartctl_spawn(device, out);
}

static const struct drive_io kernel_io = {
	.open = kernel_open, .command = kernel_command, .close = kernel_close, .smartctl = kernel_smartctl,
};
static const struct machine real_machine = {"", &kernel_io};

const struct machine *machine_real(void)
{
	return &real_machine;
}

const struct machine *machine_or_real(const struct machine *machine)
{
	return machine ? machine : &real_machine;
}

/* Root and formatted path into `path`; -ENAMETOOLONG. */
static int rooted_path(const struct machine *machine, char path[PATH_MAX], const char *format, va_list args)
{
	const int root = snprintf(path, PATH_MAX, "%s", machine_or_real(machine)->root);
	int rest;

	if (root < 0 || root >= PATH_MAX)
		return -ENAMETOOLONG;
	rest = vsnprintf(path + root, (size_t)(PATH_MAX - root), format, args);
	return rest < 0 || rest >= PATH_MAX - root ? -ENAMETOOLONG : 0;
}

/* A whole attribute, as it is, with a NUL behind it: its bytes or -errno. */
static ssize_t read_attribute(const struct machine *machine, char raw[ATTRIBUTE_BYTES + 1], const char *format,
			      va_list args)
{
	char path[PATH_MAX];
	int failed = rooted_path(machine, path, format, args), fd, error;
	ssize_t got;

	if (failed)
		return failed;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	got = read(fd, raw, ATTRIBUTE_BYTES);
	error = errno;
	close(fd);
	if (got < 0)
		return -error;
	raw[got] = 0;
	return got;
}

/* Bytes of the well-formed UTF-8 character at `text` (two or more bytes), 0 if it is none. */
static uint32_t utf8_length(const unsigned char *text)
{
	const uint32_t length = (text[0] & 0xe0) == 0xc0 ? 2 : (text[0] & 0xf0) == 0xe0 ? 3 :
				(text[0] & 0xf8) == 0xf0 ? 4 : 0;
	uint32_t code = length == 2 ? text[0] & 0x1fu : length == 3 ? text[0] & 0xfu : text[0] & 7u;
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};

	for (uint32_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3fu);
	}
	if (!length || code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return code < 0xa0 ? 0 : length;	/* C1 control characters are not printable */
}

void machine_clean_text(const char *raw, char *buffer, uint32_t buffer_bytes)
{
	const unsigned char *in = (const unsigned char *)raw;
	uint32_t used = 0;

	while (*in && isspace(*in))
		in++;
	while (*in) {
		const uint32_t length = *in < 0x80 ? 1 : utf8_length(in);

		if (used + (length ? length : 1) >= buffer_bytes)
			break;
		if (!length || (length == 1 && (*in < 0x20 || *in == 0x7f))) {
			buffer[used++] = *in == '\t' ? ' ' : '?';
			in++;
			continue;
		}
		memcpy(buffer + used, in, length);
		used += length;
		in += length;
	}
	while (used && buffer[used - 1] == ' ')
		used--;
	buffer[used] = 0;
}

int machine_read_text(const struct machine *machine, char *buffer, uint32_t buffer_bytes, const char *format,
		      ...)
{
	char raw[ATTRIBUTE_BYTES + 1];
	va_list args;
	ssize_t got;

	va_start(args, format);
	got = read_attribute(machine, raw, format, args);
	va_end(args);
	if (got < 0) {
		buffer[0] = 0;
		return (int)got;
	}
	raw[strcspn(raw, "\n")] = 0;
	machine_clean_text(raw, buffer, buffer_bytes);
	return (int)strlen(buffer);
}

int machine_read_bytes(const struct machine *machine, void *buffer, uint32_t buffer_bytes, const char *format,
		       ...)
{
	char raw[ATTRIBUTE_BYTES + 1];
	va_list args;
	ssize_t got;

	va_start(args, format);
	got = read_attribute(machine, raw, format, args);
	va_end(args);
	if (got < 0)
		return (int)got;
	if ((size_t)got > buffer_bytes)
		got = buffer_bytes;
	memcpy(buffer, raw, (size_t)got);
	return (int)got;
}

uint64_t machine_read_u64(const struct machine *machine, const char *format, ...)
{
	char raw[ATTRIBUTE_BYTES + 1], *end;
	unsigned long long value;
	va_list args;
	ssize_t got;

	va_start(args, format);
	got = read_attribute(machine, raw, format, args);
	va_end(args);
	if (got <= 0 || !isdigit((unsigned char)raw[0]))
		return DRIVE_UNKNOWN;
	errno = 0;
	value = strtoull(raw, &end, raw[0] == '0' && (raw[1] | 32) == 'x' ? 16 : 10);
	return errno || end == raw ? DRIVE_UNKNOWN : value;
}

int machine_read_link(const struct machine *machine, char *buffer, uint32_t buffer_bytes, const char *format,
		      ...)
{
	char path[PATH_MAX], where[PATH_MAX];
	const char *last;
	va_list args;
	ssize_t got;

	va_start(args, format);
	got = rooted_path(machine, path, format, args);
	va_end(args);
	if (got < 0)
		return (int)got;
	got = readlink(path, where, sizeof where - 1);
	if (got < 0)
		return -errno;
	where[got] = 0;
	last = strrchr(where, '/');
	last = last ? last + 1 : where;
	if (strlen(last) >= buffer_bytes)
		return -ENAMETOOLONG;
	strcpy(buffer, last);
	return 0;
}

int machine_real_path(const struct machine *machine, char buffer[PATH_MAX], const char *format, ...)
{
	char path[PATH_MAX], real[PATH_MAX], root[PATH_MAX];
	size_t skip = 0;
	va_list args;
	int failed;

	va_start(args, format);
	failed = rooted_path(machine, path, format, args);
	va_end(args);
	if (failed)
		return failed;
	if (!realpath(path, real))
		return -errno;
	if (machine_or_real(machine)->root[0]) {
		if (!realpath(machine->root, root))
			return -errno;
		skip = strlen(root);
		if (strncmp(real, root, skip) || real[skip] != '/')
			return -EXDEV;		/* a captured tree must not lead out of itself */
	}
	strcpy(buffer, real + skip);
	return 0;
}

static int compare_natural(const void *left, const void *right)
{
	return strverscmp(*(char *const *)left, *(char *const *)right);
}

int machine_list(const struct machine *machine, struct lines *names, const char *format, ...)
{
	char path[PATH_MAX];
	struct dirent *entry;
	va_list args;
	DIR *directory;
	int failed;

	va_start(args, format);
	failed = rooted_path(machine, path, format, args);
	va_end(args);
	if (failed)
		return failed;
	directory = opendir(path);
	if (!directory)
		return -errno;
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			lines_add(names, "%s", entry->d_name);
	closedir(directory);
	if (names->count)
		qsort(names->line, names->count, sizeof *names->line, compare_natural);
	return names->error;
}
