/* Logs of fio: "time in ms, value, direction, block size[, offset[, priority]]", and "time, direction, block
 * size, bucket, bucket, ..." for histograms. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "store/import_inside.h"

#define ABSOLUTE_MS 100000000000ull	/* a time after this is since 1970 (three years of a run otherwise) */
#define COUNT_MAX (1ull << 32)		/* I/Os in one bucket of one row */
#define ROW_IOS_MAX 1000000000ull	/* I/Os in one row: more than a drive can in its time */
#define RATE_MAX 10000000000ull		/* KiB or I/Os per second */
#define LATENCY_MAX 4000000000000ull	/* ns: more than an hour */
#define BACKWARDS_MS 5000		/* threads of one log may be that much out of order */

bool import_log_looks_like(const struct text *text)
{
	const char *at = text_data(text);

	while (isspace((unsigned char)*at))
		at++;
	if (!isdigit((unsigned char)*at))
		return *at == '\0';
	while (isdigit((unsigned char)*at))
		at++;
	while (*at == ' ')
		at++;
	return *at == ',';
}

void import_log_release(struct import_log *log)
{
	text_release(&log->text);
	free(log->prefix);
	free(log->row);
	log->prefix = NULL;
	log->row = NULL;
}

/* One number and the comma after it. False when there is none or it is too large. */
static bool take_number(const char **at, uint64_t *ret_value)
{
	const char *c = *at;
	uint64_t value = 0;

	while (*c == ' ' || *c == '\t')
		c++;
	if (*c == '0' && c[1] == 'x') {		/* priorities are written in hex */
		*ret_value = strtoull(c, (char **)(uintptr_t)&c, 16);
	} else {
		if (!isdigit((unsigned char)*c))
			return false;
		for (; isdigit((unsigned char)*c); c++)
			if (__builtin_mul_overflow(value, 10, &value) ||
			    __builtin_add_overflow(value, (uint64_t)(*c - '0'), &value))
				return false;
		*ret_value = value;
	}
	while (*c == ' ' || *c == '\t' || *c == '\r')
		c++;
	*at = *c == ',' ? c + 1 : c;
	return *c == ',' || *c == '\0' || *c == '\n';
}

static bool at_end(const char *at)
{
	return *at == '\0' || *at == '\n';
}

static int set_direction(struct import *import, struct import_log *log, uint64_t direction)
{
	static const enum io_op op[] = { IO_READ, IO_WRITE, IO_TRIM };

	if (direction >= sizeof(op) / sizeof(op[0]))
		return import_refuse(import, log->path, log->line,
				     "a direction of %llu (0 read, 1 write, 2 trim)",
				     (unsigned long long)direction);
	log->row->op = op[direction];
	return 0;
}

static int read_bins(struct import *import, struct import_log *log, const char **at)
{
	struct import_row *row = log->row;
	uint64_t ios = 0;

	for (row->bins = 0; !at_end(*at); row->bins++) {
		uint64_t count;

		if (row->bins >= sizeof(row->bin) / sizeof(row->bin[0]))
			return import_refuse(import, log->path, log->line,
					     "more columns than fio has buckets (1856)");
		if (!take_number(at, &count))
			return import_refuse(import, log->path, log->line, "bucket %u is no number",
					     row->bins);
		ios += count;
		if (count > COUNT_MAX || ios > ROW_IOS_MAX)
			return import_refuse(import, log->path, log->line,
					     "impossible count in bucket %u: the histogram is corrupt (fio "
					     "is known to write stray memory here with --client)",
					     row->bins);
		row->bin[row->bins] = count;
	}
	return 0;
}

static int check_value(struct import *import, struct import_log *log)
{
	uint64_t max = log->kind == IMPORT_LAT ? LATENCY_MAX : RATE_MAX;

	if (log->row->value > max || log->row->block_bytes > 1ull << 40)
		return import_refuse(import, log->path, log->line, "a value that cannot be");
	return 0;
}

/* Rows of histograms have as many buckets as fio 3 (1856) or 2 (1216), or a half, a quarter, ... of that. */
static bool bins_fit(uint32_t bins)
{
	for (uint32_t shift = 0; shift <= 6; shift++)
		if (bins == 1856u >> shift || bins == 1216u >> shift)
			return true;
	return false;
}

static int parse_row(struct import *import, struct import_log *log, const char *at)
{
	uint64_t field[4], ignored;
	uint32_t needed = log->kind == IMPORT_HIST ? 3 : 4, columns = needed;
	int result;

	for (uint32_t i = 0; i < needed; i++)
		if (!take_number(&at, &field[i]))
			return import_refuse(import, log->path, log->line, "column %u is no number", i + 1);
	log->row->time_ms = field[0];
	log->row->value = log->kind == IMPORT_HIST ? 0 : field[1];
	log->row->block_bytes = field[needed - 1];
	result = check_value(import, log);
	if (result == 0)
		result = set_direction(import, log, field[needed - 2]);
	if (result == 0 && log->kind == IMPORT_HIST) {
		result = read_bins(import, log, &at);
		columns += log->row->bins;
		if (result == 0 && !bins_fit(log->row->bins))
			result = import_refuse(import, log->path, log->line,
					       "%u buckets: neither fio 3 (1856) nor fio 2 (1216) nor a "
					       "coarse form of them",
					       log->row->bins);
	}
	for (; result == 0 && !at_end(at); columns++)
		if (!take_number(&at, &ignored) || columns >= 7)
			return import_refuse(import, log->path, log->line, "column %u is unexpected",
					     columns + 1);
	if (result == 0 && log->columns == 0)
		log->columns = columns;
	if (result == 0 && columns != log->columns)
		result = import_refuse(import, log->path, log->line,
				       "%u columns where the lines before have %u", columns, log->columns);
	return result;
}

/* The next line that isn't empty; NULL at the end. A last line without its end was cut off: it is left out.
 */
static const char *next_line(struct import_log *log)
{
	const char *text = text_data(&log->text);

	while (text[log->at]) {
		const char *line = text + log->at, *end = strchr(line, '\n');

		log->line++;
		if (!end) {
			log->cut_off = true;
			log->at += strlen(line);
			return NULL;
		}
		log->at += (size_t)(end - line) + 1;
		if (end > line)
			return line;
	}
	return NULL;
}

int import_log_next(struct import *import, struct import_log *log)
{
	const char *line = next_line(log);
	int result;

	if (!line)
		return 0;
	result = parse_row(import, log, line);
	if (result < 0)
		return result;
	if (log->row->time_ms < log->base_ms)
		log->row->time_ms = 0;
	else
		log->row->time_ms -= log->base_ms;
	return 1;
}

static bool is_averaged(const struct import_log *log)
{
	return log->row->block_bytes == 0 || log->kind == IMPORT_HIST;
}

static void keep_step(struct import_log *log, uint64_t before_ms)
{
	uint64_t now_ms = log->row->time_ms;

	if (now_ms > before_ms && now_ms - before_ms < 100000000 &&
	    log->steps < sizeof(log->step_ms) / sizeof(log->step_ms[0]))
		log->step_ms[log->steps++] = (uint32_t)(now_ms - before_ms);
}

static int compare_steps(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

/* The period that was asked for: people ask for round ones and fio is a millisecond or two off. */
static uint64_t find_period(struct import_log *log)
{
	static const uint64_t round_ms[] = { 1000, 500, 100, 50, 10, 5 };
	uint64_t median;

	if (log->steps == 0)	/* one row: since the start, or a second */
		return log->last_ms && log->last_ms < ABSOLUTE_MS ? log->last_ms : 1000;
	qsort(log->step_ms, log->steps, sizeof(log->step_ms[0]), compare_steps);
	median = log->step_ms[(log->steps - 1) / 2];
	for (size_t i = 0; i < sizeof(round_ms) / sizeof(round_ms[0]); i++) {
		uint64_t near = (median + round_ms[i] / 2) / round_ms[i] * round_ms[i];
		uint64_t off = near > median ? near - median : median - near;

		if (near > 0 && off * 50 <= median)
			return near;
	}
	return median;
}

struct log_line {
	uint64_t time_ms;
	const char *at;
	size_t bytes;		/* with its end */
};

static int compare_lines(const void *a, const void *b)
{
	const struct log_line *left = a, *right = b;

	if (left->time_ms != right->time_ms)
		return left->time_ms < right->time_ms ? -1 : 1;
	return left->at < right->at ? -1 : left->at > right->at;
}

/* The lines of a text; NULL when out of memory. */
static struct log_line *lines_of(const char *text, size_t *ret_count)
{
	struct log_line *lines = NULL;
	size_t count = 0, room = 0;

	for (const char *at = text; *at; at += lines[count++].bytes) {
		const char *end = strchr(at, '\n'), *number = at;
		struct log_line line = { .at = at, .bytes = end ? (size_t)(end - at) + 1 : strlen(at) };

		if (count == room) {
			struct log_line *more = realloc(lines,
							(room = room ? 2 * room : 1024) * sizeof(*lines));

			if (!more) {
				free(lines);
				return NULL;
			}
			lines = more;
		}
		if (!take_number(&number, &line.time_ms))
			line.time_ms = count ? lines[count - 1].time_ms : 0;	/* an empty one */
		lines[count] = line;
	}
	*ret_count = count;
	return lines ? lines : calloc(1, sizeof(*lines));
}

static int sort_lines(struct import *import, struct import_log *log)
{
	struct text sorted = { 0 };
	size_t count;
	struct log_line *lines = lines_of(text_data(&log->text), &count);

	if (!lines)
		return -ENOMEM;
	qsort(lines, count, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < count; i++)
		if (lines[i].at[lines[i].bytes - 1] == '\n')	/* else it is cut off */
			text_append_bytes(&sorted, lines[i].at, lines[i].bytes);
	free(lines);
	text_release(&log->text);
	log->text = sorted;
	return sorted.error ? sorted.error :
		import_note(import, 0, "%s: lines of several jobs in one file: added up", log->path);
}

/* What scanning learns from one row. before_ms: when the last row of each direction was; they take turns. */
static int scan_row(struct import *import, struct import_log *log, uint64_t *highest_ms,
		    uint64_t before_ms[IO_OPS])
{
	const struct import_row *row = log->row;

	if (log->rows++ == 0)
		log->first_ms = *highest_ms = row->time_ms;
	log->backwards |= row->time_ms < *highest_ms;
	if (row->time_ms < log->first_ms)
		log->first_ms = row->time_ms;
	if (row->time_ms + BACKWARDS_MS < *highest_ms && log->number != 0)
		return import_refuse(import, log->path, log->line,
				     "time runs backwards: %llu ms after %llu ms",
				     (unsigned long long)row->time_ms, (unsigned long long)*highest_ms);
	if (is_averaged(log) && before_ms[row->op] != UINT64_MAX)
		keep_step(log, before_ms[row->op]);
	before_ms[row->op] = row->time_ms;
	if (row->time_ms > *highest_ms)
		*highest_ms = row->time_ms;
	log->last_ms = *highest_ms;
	return 0;
}

int import_log_scan(struct import *import, struct import_log *log)
{
	uint64_t highest_ms = 0, before_ms[IO_OPS];
	int more;

	log->row = calloc(1, sizeof(*log->row));
	if (!log->row)
		return -ENOMEM;
	memset(before_ms, 0xff, sizeof(before_ms));
	while ((more = import_log_next(import, log)) > 0) {
		more = scan_row(import, log, &highest_ms, before_ms);
		if (more < 0)
			break;
	}
	if (more < 0)
		return more;
	if (log->rows > 0 && is_averaged(log))
		log->period_ms = find_period(log);
	if (log->first_ms >= ABSOLUTE_MS)
		log->base_ms = log->first_ms > log->period_ms ? log->first_ms - log->period_ms : 0;
	if (log->first_ms < ABSOLUTE_MS && log->last_ms >= ABSOLUTE_MS)
		return import_refuse(import, log->path, 0, "some times are since 1970 and others are not");
	if (log->last_ms - log->base_ms >= ABSOLUTE_MS)
		return import_refuse(import, log->path, 0, "it spans years: the times cannot be right");
	log->at = 0;
	log->line = 0;
	return log->backwards && log->number == 0 ? sort_lines(import, log) : 0;
}
