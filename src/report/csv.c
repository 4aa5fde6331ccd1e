#include "report/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "report/utf8.h"

int csv_create(struct csv *csv, int directory, const char *name, struct fault *fault)
{
	int error, fd;

	*csv = (struct csv){ 0 };
	error = output_open(&csv->output, directory, name, fault);
	if (error)
		return error;
	fd = fcntl(csv->output.fd, F_DUPFD_CLOEXEC, 0);
	csv->stream = fd < 0 ? NULL : fdopen(fd, "w");
	if (csv->stream)
		return 0;
	error = -errno;
	if (fd >= 0)
		close(fd);
	output_discard(&csv->output);
	return fault_system(fault, error, "%s cannot be written: %s", name, strerror(-error));
}

void csv_discard(struct csv *csv)
{
	if (!csv->stream)
		return;
	fclose(csv->stream);
	csv->stream = NULL;
	output_discard(&csv->output);
}

int csv_finish(struct csv *csv)
{
	int error = fflush(csv->stream) || ferror(csv->stream) ? -(errno ? errno : EIO) : 0;

	if (error) {
		csv_discard(csv);
		return error;
	}
	fclose(csv->stream);
	csv->stream = NULL;
	return output_finish(&csv->output);
}

static void field(struct csv *csv)
{
	if (csv->started)
		fputc(',', csv->stream);
	csv->started = true;
}

/* A spreadsheet takes a cell that begins so for a formula and computes it. */
static bool begins_formula(const char *string)
{
	return string[0] && strchr("=+-@\t\r", string[0]);
}

/* One character, or what stands for it: quotes doubled, what is no UTF-8 and what drives terminals replaced.
 * The count of bytes that were read. */
static uint32_t put_character(struct csv *csv, const char *at)
{
	const uint32_t length = utf8_length(at);
	const unsigned char *c = (const unsigned char *)at;
	const bool control = (c[0] < 0x20 && !strchr("\t\r\n", c[0])) || c[0] == 0x7f ||
			     (c[0] == 0xc2 && c[1] < 0xa0);

	if (!length || control)
		fputs(UTF8_REPLACEMENT, csv->stream);
	else
		fwrite(at, 1, length, csv->stream);
	if (*at == '"')
		fputc('"', csv->stream);
	return length ? length : 1;
}

void csv_text(struct csv *csv, const char *string)
{
	bool quoted;

	field(csv);
	if (!string)
		return;
	quoted = strpbrk(string, ",\"\r\n") || string[0] == ' ' || begins_formula(string);
	if (quoted)
		fputc('"', csv->stream);
	if (begins_formula(string))
		fputc('\'', csv->stream);
	while (*string)
		string += put_character(csv, string);
	if (quoted)
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
