#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "report/csv.h"
#include "report/model.h"
#include "report/report.h"

#define FIELDS_MAX 96

struct table {
	struct text text;
	uint32_t rows, columns;
	char **fields;		/* rows * columns; row 0 is the header */
};

/* A strict reader of RFC 4180. */
static char *read_field(char **at, char *end)
{
	char *out = *at, *start = *at, *in = *at;

	if (*in != '"') {
		while (in < end && *in != ',' && *in != '\r')
			assert_true(*in++ != '"');
		*at = in;
		return start;
	}
	for (in++; in < end && !(in[0] == '"' && in[1] != '"'); in++) {
		in += in[0] == '"';
		*out++ = *in;
	}
	*at = in + 1;
	*out = '\0';
	return start;
}

static void table_read(struct table *table, const char *folder, const char *name)
{
	char path[200], *at, *end;
	uint32_t field = 0;

	*table = (struct table){ .fields = calloc(1 << 20, sizeof(char *)) };
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(text_read_file(&table->text, path, 64 << 20), 0);
	for (at = table->text.data, end = at + table->text.bytes; at < end;) {
		char *separator;

		table->fields[field++] = read_field(&at, end);
		separator = at;
		if (*at == ',') {
			at++;
		} else {
			assert_memory_equal(at, "\r\n", 2);
			at += 2;
			if (!table->rows++)
				table->columns = field;
			assert_int_equal(field, table->rows * table->columns);
		}
		*separator = '\0';
	}
}

static void table_release(struct table *table)
{
	text_release(&table->text);
	free(table->fields);
}

static const char *field(const struct table *table, uint32_t row, const char *column)
{
	for (uint32_t i = 0; i < table->columns; i++)
		if (strcmp(table->fields[i], column) == 0)
			return table->fields[row * table->columns + i];
	fail_msg("no column %s", column);
	return NULL;
}

static void export(struct fake_file *file, enum fake_kind kind)
{
	int directory;

	fake_open(file, kind, 30);
	directory = open(file->folder, O_RDONLY | O_DIRECTORY);
	assert_int_equal(report_csv(file->store, directory, NULL), 0);
	close(directory);
}

static void every_kind_of_run_is_read_back_by_a_strict_reader(void **state)
{
	static const char *const names[] = { "series.csv", "outliers.csv", "telemetry.csv", "results.csv",
					     "windows.csv" };

	for (int kind = 0; kind < FAKE_KINDS; kind++) {
		struct fake_file file;

		export(&file, kind);
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
			struct table table;

			table_read(&table, file.folder, names[i]);
			assert_true(table.rows >= 1);
			table_release(&table);
		}
		fake_close(&file);
	}
}

static void the_series_has_the_columns_of_the_interface(void **state)
{
	static const char *const names[] = { "step", "load",  "direction", "t_ns", "duration_ns",
					     "ios",  "bytes", "errors",	   "min",  "mean",
					     "max",  "p50",   "p99",	   "p99.9" };
	struct fake_file file;
	struct table table;

	export(&file, FAKE_HOUR);
	table_read(&table, file.folder, "series.csv");
	for (uint32_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_string_equal(table.fields[i], names[i]);
	table_release(&table);
	fake_close(&file);
}

static void sums_of_the_series_are_the_totals(void **state)
{
	for (int kind = 0; kind < FAKE_KINDS; kind++) {
		struct fake_file file;
		struct table series, results;

		export(&file, kind);
		table_read(&series, file.folder, "series.csv");
		table_read(&results, file.folder, "results.csv");
		for (uint32_t i = 1; i < results.rows; i++) {
			uint64_t ios = 0, bytes = 0;

			for (uint32_t j = 1; j < series.rows; j++) {
				if (strcmp(field(&series, j, "step_id"), field(&results, i, "step_id")) !=
					    0 ||
				    strcmp(field(&series, j, "load_index"),
					   field(&results, i, "load_index")) != 0 ||
				    strcmp(field(&series, j, "direction"), field(&results, i, "direction")) !=
					    0)
					continue;
				ios += strtoull(field(&series, j, "ios"), NULL, 10);
				bytes += strtoull(field(&series, j, "bytes"), NULL, 10);
			}
			assert_int_equal(ios, strtoull(field(&results, i, "ios"), NULL, 10));
			assert_int_equal(bytes, strtoull(field(&results, i, "bytes"), NULL, 10));
		}
		table_release(&series);
		table_release(&results);
		fake_close(&file);
	}
}

static void an_empty_interval_is_a_row_with_empty_latencies(void **state)
{
	struct fake_file file;
	struct table table;
	uint32_t empty = 0;

	export(&file, FAKE_EMPTY);
	table_read(&table, file.folder, "series.csv");
	for (uint32_t i = 1; i < table.rows; i++) {
		if (strcmp(field(&table, i, "ios"), "0") != 0)
			continue;
		empty++;
		assert_string_equal(field(&table, i, "mean"), "");
		assert_string_equal(field(&table, i, "p99"), "");
	}
	assert_true(empty >= 3);
	table_release(&table);
	fake_close(&file);
}

static void hostile_names_stay_inside_their_field(void **state)
{
	struct fake_file file;
	struct table table;
	const struct step_record *steps;
	uint32_t count;

	export(&file, FAKE_HOSTILE);
	table_read(&table, file.folder, "results.csv");
	assert_int_equal(store_steps(file.store, &steps, &count), 0);
	assert_int_equal(count, 1);
	assert_string_equal(field(&table, 1, "step"),
			    "<script>alert(1)</script> \"q\" 'a' & \t tab \n line \xef\xbf\xbd[31m ?" "?( "
			    "caf\xc3\xa9 \xf0\x9f\x94\xa5 \\");
	table_release(&table);
	fake_close(&file);
}

static void no_word_is_a_formula_or_drives_the_terminal(void **state)
{
	static const char *const words[] = { "=1+1", "+1", "-1+1", "@SUM(A1)", "\tx", "a=1", ("\xc2\x9b" "31m") };
	char folder[] = "/tmp/ssdassay-csv-XXXXXX", path[64], text[200] = "";
	struct csv csv;
	FILE *file;
	int directory;

	assert_non_null(mkdtemp(folder));
	directory = open(folder, O_RDONLY | O_DIRECTORY);
	assert_int_equal(csv_create(&csv, directory, "words.csv", NULL), 0);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		csv_text(&csv, words[i]);
	csv_row_end(&csv);
	assert_int_equal(csv_finish(&csv), 0);
	close(directory);
	snprintf(path, sizeof(path), "%s/words.csv", folder);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
	assert_string_equal(text, "\"'=1+1\",\"'+1\",\"'-1+1\",\"'@SUM(A1)\",\"'\tx\",a=1,\xef\xbf\xbd" "31m\r\n");
	unlink(path);
	rmdir(folder);
}

/* A link or a file that somebody has put under the temporary name is not written to. */
static void a_file_in_the_way_is_not_written_to(void **state)
{
	char folder[] = "/tmp/ssdassay-csv-XXXXXX", mine[80], trap[120];
	struct stat status;
	struct csv csv;
	FILE *file;
	int directory;

	assert_non_null(mkdtemp(folder));
	directory = open(folder, O_RDONLY | O_DIRECTORY);
	snprintf(mine, sizeof(mine), "%s/mine", folder);
	snprintf(trap, sizeof(trap), "%s/.words.csv.%d", folder, (int)getpid());
	file = fopen(mine, "w");
	assert_non_null(file);
	fputs("mine", file);
	fclose(file);
	assert_int_equal(link(mine, trap), 0);
	assert_int_equal(csv_create(&csv, directory, "words.csv", NULL), 0);
	csv_text(&csv, "a");
	assert_int_equal(csv_finish(&csv), 0);
	assert_int_equal(stat(mine, &status), 0);
	assert_int_equal(status.st_size, 4);
	assert_int_equal(unlinkat(directory, "mine", 0) | unlinkat(directory, "words.csv", 0), 0);
	close(directory);
	assert_int_equal(rmdir(folder), 0);
}

static void a_folder_that_cannot_be_written_is_an_error_without_leftovers(void **state)
{
	struct fault fault = { 0 };
	struct fake_file file;
	int directory = open("/proc/self", O_RDONLY | O_DIRECTORY);

	fake_open(&file, FAKE_EMPTY, 0);
	assert_true(report_csv(file.store, directory, &fault) < 0);
	assert_non_null(strstr(fault.text, "series.csv"));
	close(directory);
	fake_close(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_run_is_read_back_by_a_strict_reader),
		cmocka_unit_test(the_series_has_the_columns_of_the_interface),
		cmocka_unit_test(sums_of_the_series_are_the_totals),
		cmocka_unit_test(an_empty_interval_is_a_row_with_empty_latencies),
		cmocka_unit_test(hostile_names_stay_inside_their_field),
		cmocka_unit_test(no_word_is_a_formula_or_drives_the_terminal),
		cmocka_unit_test(a_file_in_the_way_is_not_written_to),
		cmocka_unit_test(a_folder_that_cannot_be_written_is_an_error_without_leftovers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
