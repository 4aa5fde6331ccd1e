#include "report/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int csv_create(struct csv *csv, int directory, const char *name)
{
	int fd;

	*csv = (struct csv){ .directory = directory };
	snprintf(csv->name, sizeof(csv->name), "%s", name);
	snprintf(csv->temporary, sizeof(csv->temporary), ".%s.%d", name, (int)getpid());
	fd = openat(directory, csv->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd < 0)
		return -errno;
	csv->stream = fdopen(fd, "w");
	if (csv->stream)
		return 0;
	close(fd);
	unlinkat(directory, csv->temporary, 0);
	return -ENOMEM;
}

void csv_discard(struct csv *csv)
{
	if (!csv->stream)
		return;
	fclose(csv->stream);
	csv->stream = NULL;
	unlinkat(csv->directory, csv->temporary, 0);
}

int csv_finish(struct csv *csv)
{
	int error = fflush(csv->stream) || ferror(csv->stream) ? -(errno ? errno : EIO) : 0;

	if (!error && renameat(csv->directory, csv->temporary, csv->directory, csv->name))
		error = -errno;
	if (error) {
		csv_discard(csv);
		return error;
	}
	fclose(csv->stream);
	csv->stream = NULL;
	return 0;
}

static void field(struct csv *csv)
{
	if (csv->started)
		fputc(',', csv->stream);
	csv->started = true;
}

void csv_text(struct csv *csv, const char *string)
{
	field(csv);
	if (!string)
		return;
	if (!strpbrk(string, ",\"\r\n") && string[0] != ' ') {
		fputs(string, csv->stream);
		return;
	}
	fputc('"', csv->stream);
	for (; *string; string++) {
		if (*string == '"')
			fputc('"', csv->stream);
		fputc(*string, csv->stream);
	}
	fputc('"', csv->stream);
}

void csv_u64(struct csv *csv, uint64_t number)
{
	field(csv);
	fprintf(csv->stream, "%" PRIu64, number);
}

void csv_i64(struct csv *csv, int64_t number)
{
	field(csv);
	fprintf(csv->stream, "%" PRId64, number);
}

void csv_number(struct csv *csv, double number)
{
	field(csv);
	if (isfinite(number))
		fprintf(csv->stream, "%.15g", number);
}

void csv_empty(struct csv *csv)
{
	field(csv);
}

void csv_row_end(struct csv *csv)
{
	fputs("\r\n", csv->stream);
	csv->started = false;
}
