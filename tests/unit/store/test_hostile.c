/* Nothing in a file can make the reader crash, write, loop or take memory without bound. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>
#include "base/clock.h"
#include "base/text.h"
#include "fixture.h"

#define MUTATIONS 2000

static void write_file(const char *path, const char *bytes, size_t count)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, count), (ssize_t)count);
	close(fd);
}

/* A small finished run, as bytes. */
static void make_run(struct fixture *fixture, struct text *image)
{
	struct store *store;

	assert_int_equal(store_create(fixture->path, &store, NULL), 0);
	run_fill(store, 1, 12, 1);
	run_fill(store, 2, 3, 1);
	store_close(store);
	if (image)
		assert_int_equal(text_read_file(image, fixture->path, 10 << 20), 0);
}

static int read_everything(const char *path)
{
	struct store *store;
	uint64_t rows;
	int result = store_open(path, &store, NULL);

	if (result < 0)
		return result;
	result = run_read_all(store, &rows);
	store_close(store);
	return result;
}

/* -- damage -- */

/* Overwrites, copies within, cuts or swaps: what broken disks, broken copies and attackers do. */
static void mutate(char *bytes, size_t *count, struct random *random)
{
	size_t at = random_below(random, *count), length = 1 + random_below(random, 200);
	size_t from = random_below(random, *count);

	length = length < *count - at ? length : *count - at;
	length = length < *count - from ? length : *count - from;
	switch (random_below(random, 8)) {
	case 0:
		for (size_t i = 0; i < length; i++)
			bytes[at + i] = (char)random_u64(random);
		break;
	case 1:
		memmove(bytes + at, bytes + from, length);
		break;
	case 2:
		memset(bytes + at, random_below(random, 2) ? 0xff : 0, length);
		break;
	case 3:
		if (random_below(random, 4) == 0)
			*count = at + 1;
		break;
	case 4:		/* the header of a page */
		bytes[at / 8192 * 8192 + random_below(random, 12)] = (char)random_u64(random);
		break;
	case 5:		/* a whole page, where another belongs */
		if (*count >= 8192)
			memmove(bytes + at / 8192 * 8192, bytes + from / 8192 * 8192, 8192);
		break;
	default:
		bytes[at] = (char)(bytes[at] ^ 1 << random_below(random, 8));
	}
}

static bool result_is_expected(int result)
{
	return result == 0 || result == -EBADMSG || result == -ENOTSUP || result == -ENODATA ||
	       result == -EFBIG || result == -ENOMEM || result == -EROFS;
}

static void mutated_files_are_read_or_refused(void **state)
{
	struct fixture *fixture = *state;
	struct text image = { 0 };
	struct random random;
	uint32_t refused = 0;
	char *bytes;

	make_run(fixture, &image);
	bytes = malloc(image.bytes);
	random_init(&random, 77, 1);
	for (uint32_t i = 0; i < MUTATIONS; i++) {
		uint64_t start = clock_monotonic_ns(), changes = 1 + random_below(&random, 6);
		size_t count = image.bytes;
		int result;

		memcpy(bytes, image.data, count);
		while (changes-- > 0)
			mutate(bytes, &count, &random);
		write_file(fixture->path, bytes, count);
		result = read_everything(fixture->path);
		if (!result_is_expected(result))
			fail_msg("mutation %u: %d", (unsigned int)i, result);
		if (clock_monotonic_ns() - start > 10000000000)
			fail_msg("mutation %u took longer than ten seconds", (unsigned int)i);
		refused += result < 0;
	}
	assert_true(refused > MUTATIONS / 20 && refused < MUTATIONS);
	free(bytes);
	text_release(&image);
}

static void random_and_empty_files_are_refused(void **state)
{
	struct fixture *fixture = *state;
	char bytes[5000];
	struct random random;

	random_init(&random, 5, 5);
	for (int i = 0; i < 200; i++) {
		size_t count = random_below(&random, sizeof(bytes));

		for (size_t k = 0; k < count; k++)
			bytes[k] = (char)random_u64(&random);
		if (i % 2 && count > 100)
			memcpy(bytes, "SQLite format 3\0\x10\0\1\1\0\x40\x20\x20", 24);
		write_file(fixture->path, bytes, count);
		assert_int_equal(read_everything(fixture->path), -EBADMSG);
	}
}

static void what_is_not_a_file_is_refused(void **state)
{
	struct fixture *fixture = *state;
	struct store *store;
	struct fault fault;

	assert_int_equal(store_open("/nonexistent/run", &store, &fault), -ENOENT);
	assert_int_equal(store_open(fixture->directory, &store, &fault), -EBADMSG);
	assert_int_equal(store_open_resume(fixture->directory, &store, &fault), -EBADMSG);
	assert_int_equal(mkfifo(fixture->path, 0600), 0);
	assert_int_equal(store_open(fixture->path, &store, &fault), -EBADMSG);
}

static void every_truncation_is_read_or_refused(void **state)
{
	struct fixture *fixture = *state;
	struct text image = { 0 };

	make_run(fixture, &image);
	for (size_t count = 0; count < image.bytes; count += 997) {
		write_file(fixture->path, image.data, count);
		assert_int_equal(read_everything(fixture->path), -EBADMSG);
	}
	text_release(&image);
}

/* -- valid databases with hostile contents -- */

static void change(const char *path, const char *sql)
{
	char *error = NULL;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
	if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
		fail_msg("%s: %s", sql, error);
	sqlite3_close(db);
}

static void hostile_contents_are_refused(void **state)
{
	static const struct {
		const char *sql; int expected;
	} hostile[] = {
		{ "PRAGMA application_id = 7", -EBADMSG },
		{ "PRAGMA user_version = 4", -ENOTSUP },
		{ "PRAGMA user_version = 0", -EBADMSG },
		{ "PRAGMA user_version = -3", -EBADMSG },
		{ "DROP TABLE series", -EBADMSG },
		{ "DROP INDEX series_place", -EBADMSG },
		{ "ALTER TABLE series RENAME TO s; CREATE VIEW series AS SELECT * FROM s", -EBADMSG },
		{ "DROP TABLE event; CREATE VIRTUAL TABLE event USING fts5(t_ns, step, kind, text, "
		  "data_json)",
		  -EBADMSG },
		{ "DROP TABLE event; CREATE TABLE event (t_ns INTEGER, step INTEGER, kind TEXT, text TEXT, "
		  "data_json TEXT AS (hex(zeroblob(10000000))))",
		  -EBADMSG },
		{ "ALTER TABLE event ADD COLUMN more TEXT", -EBADMSG },
		{ "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'series'",
		  -EBADMSG },
		{ "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE series (' WHERE "
		  "name = 'series'",
		  -EBADMSG },
		{ "UPDATE run SET status = 'splendid'", -EBADMSG },
		{ "UPDATE run SET duration_ns = -1", -EBADMSG },
		{ "UPDATE run SET plan_text = x'00'", -EBADMSG },
		{ "UPDATE run SET scale = 9e999", -EBADMSG },
		{ "UPDATE run SET plan_text = hex(zeroblob(20000000))", -EFBIG },
		{ "UPDATE series SET op = op + 5", -EBADMSG },
		{ "UPDATE series SET load = 70000 + op", 0 }, /* belongs to no load */
		{ "UPDATE series SET ios = 'many'", -EBADMSG },
		{ "UPDATE series SET n = n + 1", -EBADMSG },
		{ "UPDATE series SET n = 9223372036854775807", -EBADMSG },
		{ "UPDATE series SET min_ns = max_ns + 1", -EBADMSG },
		{ "UPDATE series SET sum_squares_ns2 = 1e300", -EBADMSG },
		{ "UPDATE series SET histogram = x''", -EBADMSG },
		{ "UPDATE series SET histogram = x'06'", -EBADMSG },
		{ "UPDATE series SET histogram = x'85ff'", -EBADMSG },
		{ "UPDATE series SET histogram = zeroblob(20000000)", -EBADMSG },
		{ "UPDATE series_open SET histogram = randomblob(300)", -EBADMSG },
		{ "UPDATE total_latency SET kind = 3 WHERE kind = 2", -EBADMSG },
		{ "UPDATE total_latency SET histogram = substr(histogram, 1, 20)", -EBADMSG },
		{ "UPDATE load SET total_end_ns = -5", -EBADMSG },
		{ "UPDATE sample SET ios = randomblob(1000)", -EBADMSG },
		{ "UPDATE sample SET count = count + 1", -EBADMSG },
		{ "UPDATE outlier SET op = 200", -EBADMSG },
		{ "UPDATE outlier SET flags = 256", -EBADMSG },
		{ "DELETE FROM telemetry_name", -EBADMSG },
		{ "UPDATE telemetry_name SET name = NULL", -EBADMSG },
		{ "UPDATE self_check SET result = NULL", -EBADMSG },
		{ "DELETE FROM run", -ENODATA },
		/* harmless */
		{ "CREATE VIEW mine AS SELECT * FROM series; CREATE INDEX mine_too ON series (ios); ANALYZE",
		  0 },
		{ "CREATE TRIGGER bad BEFORE DELETE ON series BEGIN SELECT hex(randomblob(100000000)); END",
		  0 },
		{ "CREATE UNIQUE INDEX part ON series (step, load, idx, op) WHERE ios > 1e9", 0 },
		{ "UPDATE run SET plan_text = NULL, seed = -1", 0 },
		{ "UPDATE event SET text = CAST(x'c328ff41' AS TEXT)", 0 },
	};
	struct fixture *fixture = *state;
	struct text image = { 0 };

	make_run(fixture, &image);
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		int result;

		write_file(fixture->path, image.data, image.bytes);
		change(fixture->path, hostile[i].sql);
		result = read_everything(fixture->path);
		if (result != hostile[i].expected)
			fail_msg("%s: %d instead of %d", hostile[i].sql, result, hostile[i].expected);
	}
	text_release(&image);
}

/* A small deflated blob that would inflate to very much. */
static size_t make_bomb(unsigned char *bomb, size_t room, unsigned char form)
{
	z_stream stream = { 0 };
	size_t plain_bytes = 64 << 20;
	unsigned char *plain = calloc(1, plain_bytes);

	assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
	stream.next_in = plain;
	stream.avail_in = (uInt)plain_bytes;
	stream.next_out = bomb + 1;
	stream.avail_out = (uInt)room - 1;
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	free(plain);
	bomb[0] = form;
	return stream.total_out + 1;
}

static void deflated_bombs_are_refused_within_bounded_memory(void **state)
{
	static unsigned char bomb[100000];
	struct fixture *fixture = *state;
	struct rusage before, after;
	struct text sql = { 0 };
	size_t count = make_bomb(bomb, sizeof(bomb), 0x86);

	make_run(fixture, NULL);
	text_append(&sql, "UPDATE series SET histogram = x'");
	for (size_t i = 0; i < count; i++)
		text_printf(&sql, "%02x", bomb[i]);
	text_append(&sql, "'; UPDATE sample SET ios = (SELECT x'81' || substr(histogram, 2) FROM series "
			  "LIMIT 1);");
	change(fixture->path, text_data(&sql));
	text_release(&sql);
	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(read_everything(fixture->path), -EBADMSG);
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < 32 << 10);
}

/* A tree whose pages lead back to one leaf again and again: small, and endless to read. */
static void an_endless_tree_is_given_up(void **state)
{
	struct fixture *fixture = *state;
	struct store *store;
	uint64_t start, rows;
	struct text image = { 0 };
	uint32_t pages;
	int result;

	assert_int_equal(store_create(fixture->path, &store, NULL), 0);
	for (uint64_t i = 0; i < 20000; i++) {
		struct event_record event = { .t_ns = i, .kind = "x", .text = "y" };

		assert_int_equal(store_put_event(store, &event), 0);
	}
	assert_int_equal(store_commit(store), 0);
	store_close(store);
	assert_int_equal(text_read_file(&image, fixture->path, 100 << 20), 0);
	pages = (uint32_t)(image.bytes / 8192);
	for (uint32_t page = 2; page <= pages; page++) {
		unsigned char *at = (unsigned char *)image.data + (page - 1) * 8192u;
		uint32_t cells = (uint32_t)at[3] << 8 | at[4];

		for (uint32_t cell = 0; at[0] == 5 && cell < cells; cell++) {	/* inner page of a table */
			uint32_t offset = (uint32_t)at[12 + cell * 2] << 8 | at[13 + cell * 2];

			memcpy(at + offset, at + 8, 4);		/* every child is the right-most one */
		}
	}
	write_file(fixture->path, image.data, image.bytes);
	start = clock_monotonic_ns();
	assert_int_equal(store_open(fixture->path, &store, NULL), 0);
	result = run_read_all(store, &rows);
	assert_true(result_is_expected(result));
	assert_true(clock_monotonic_ns() - start < 10000000000);
	store_close(store);
	text_release(&image);
}

static void reading_changes_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct text before = { 0 }, after = { 0 };

	make_run(fixture, &before);
	assert_int_equal(read_everything(fixture->path), 0);
	assert_int_equal(text_read_file(&after, fixture->path, 10 << 20), 0);
	assert_int_equal(before.bytes, after.bytes);
	assert_memory_equal(before.data, after.data, before.bytes);
	text_release(&before);
	text_release(&after);
}

static void odd_names_are_taken_as_they_are(void **state)
{
	static const char *const names[] = {
		"a?b=c", "a#b", "100%41", "file:x", " b", "\xc3\xa4 \xe7\xa1\xac"
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct store *store;
		char path[128];

		snprintf(path, sizeof(path), "%s/%s", fixture->directory, names[i]);
		assert_int_equal(store_create(path, &store, NULL), 0);
		run_fill(store, 1, 1, 1);
		store_close(store);
		assert_int_equal(read_everything(path), 0);
		assert_int_equal(unlink(path), 0);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(mutated_files_are_read_or_refused),
		TEST(random_and_empty_files_are_refused),
		TEST(what_is_not_a_file_is_refused),
		TEST(every_truncation_is_read_or_refused),
		TEST(hostile_contents_are_refused),
		TEST(deflated_bombs_are_refused_within_bounded_memory),
		TEST(an_endless_tree_is_given_up),
		TEST(reading_changes_nothing),
		TEST(odd_names_are_taken_as_they_are),
	};

	return cmocka_run_group_tests_name("run file, hostile", tests, NULL, NULL);
}
