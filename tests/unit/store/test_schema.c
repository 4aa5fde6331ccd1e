/* Versions and migrations. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "store/schema.h"
#include "store/store.h"

static sqlite3 *open_memory(void)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	return db;
}

static int number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement;
	int value = -1;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
		return -1;
	if (sqlite3_step(statement) == SQLITE_ROW)
		value = sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	return value;
}

static void a_new_database_passes_its_own_check(void **state)
{
	sqlite3 *db = open_memory();
	struct fault fault;

	(void)state;
	assert_int_equal(schema_create(db), 0);
	assert_int_equal(schema_check(db, "x", &fault), 0);
	assert_int_equal(number(db, "PRAGMA application_id"), STORE_APPLICATION_ID);
	assert_int_equal(number(db, "PRAGMA user_version"), STORE_SCHEMA);
	assert_int_equal(number(db, "SELECT count(*) FROM op"), IO_OPS);
	sqlite3_close(db);
}

/* The names in the file are the names of the program. */
static void the_name_tables_agree_with_the_program(void **state)
{
	sqlite3 *db = open_memory();
	sqlite3_stmt *statement;

	(void)state;
	assert_int_equal(schema_create(db), 0);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT op, name FROM op", -1, &statement, NULL), SQLITE_OK);
	while (sqlite3_step(statement) == SQLITE_ROW)
		assert_string_equal((const char *)sqlite3_column_text(statement, 1),
				    io_op_name((enum io_op)sqlite3_column_int(statement, 0)));
	sqlite3_finalize(statement);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT kind, name FROM latency", -1, &statement, NULL),
			 SQLITE_OK);
	while (sqlite3_step(statement) == SQLITE_ROW)
		assert_string_equal((const char *)sqlite3_column_text(statement, 1),
				    latency_kind_name((enum latency_kind)sqlite3_column_int(statement, 0)));
	sqlite3_finalize(statement);
	sqlite3_close(db);
}

/* What the first version wrote: the same tables without how their sentences were made. */
static void a_file_of_the_first_version_becomes_one_of_this(void **state)
{
	static const char first[] = "ALTER TABLE event DROP COLUMN said_json;"
				    "ALTER TABLE finding DROP COLUMN said_json;"
				    "ALTER TABLE self_check DROP COLUMN said_json;"
				    "ALTER TABLE load DROP COLUMN total_rest_ns;"
				    "ALTER TABLE load DROP COLUMN thinktime_ns;"
				    "ALTER TABLE series DROP COLUMN rest_ns;"
				    "INSERT INTO finding (kind, text) VALUES ('cache', 'It has one.');"
				    "PRAGMA user_version = 1";
	sqlite3 *db = open_memory();
	struct fault fault;

	(void)state;
	assert_int_equal(schema_create(db), 0);
	assert_int_equal(sqlite3_exec(db, first, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(schema_check(db, "x", &fault), -ESTALE);
	assert_int_equal(schema_migrate(db, schema_migration, schema_migration_count, STORE_SCHEMA), 0);
	assert_int_equal(schema_check(db, "x", &fault), 0);
	assert_int_equal(
		number(db, "SELECT count(*) FROM finding WHERE text = 'It has one.' AND said_json IS NULL"),
		1);
	sqlite3_close(db);
}

static const struct schema_migration chain[] = {
	{ 7, "CREATE TABLE seven (x)" },
	{ 8, "CREATE TABLE eight (x); INSERT INTO eight VALUES (8)" },
	{ 9, "INSERT INTO missing VALUES (1)" },
};

static void migrations_run_in_order_up_to_the_version(void **state)
{
	sqlite3 *db = open_memory();

	(void)state;
	sqlite3_exec(db, "PRAGMA user_version = 7", NULL, NULL, NULL);
	assert_int_equal(schema_migrate(db, chain, 3, 9), 0);
	assert_int_equal(number(db, "PRAGMA user_version"), 9);
	assert_int_equal(number(db, "SELECT x FROM eight"), 8);
	assert_int_equal(number(db, "SELECT count(*) FROM seven"), 0);
	assert_int_equal(schema_migrate(db, chain, 3, 9), 0);	/* nothing left to do */
	sqlite3_close(db);
}

static void a_failing_migration_changes_nothing(void **state)
{
	sqlite3 *db = open_memory();

	(void)state;
	sqlite3_exec(db, "PRAGMA user_version = 7", NULL, NULL, NULL);
	assert_int_equal(schema_migrate(db, chain, 3, 10), -EBADMSG);
	assert_int_equal(number(db, "PRAGMA user_version"), 7);
	assert_int_equal(number(db, "SELECT count(*) FROM seven"), -1);
	assert_int_equal(sqlite3_get_autocommit(db), 1);
	sqlite3_close(db);
}

static void a_missing_migration_is_said(void **state)
{
	sqlite3 *db = open_memory();

	(void)state;
	sqlite3_exec(db, "PRAGMA user_version = 5", NULL, NULL, NULL);
	assert_int_equal(schema_migrate(db, chain, 3, 9), -ENOTSUP);
	assert_int_equal(number(db, "PRAGMA user_version"), 5);
	sqlite3_close(db);
}

static void a_newer_version_is_refused_with_words(void **state)
{
	sqlite3 *db = open_memory();
	struct fault fault = { 0 };

	(void)state;
	assert_int_equal(schema_create(db), 0);
	sqlite3_exec(db, "PRAGMA user_version = 99", NULL, NULL, NULL);
	assert_int_equal(schema_check(db, "x.assay", &fault), -ENOTSUP);
	assert_non_null(strstr(fault.text, "newer"));
	assert_non_null(strstr(fault.text, "x.assay"));
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_database_passes_its_own_check),
		cmocka_unit_test(the_name_tables_agree_with_the_program),
		cmocka_unit_test(a_file_of_the_first_version_becomes_one_of_this),
		cmocka_unit_test(migrations_run_in_order_up_to_the_version),
		cmocka_unit_test(a_failing_migration_changes_nothing),
		cmocka_unit_test(a_missing_migration_is_said),
		cmocka_unit_test(a_newer_version_is_refused_with_words),
	};

	return cmocka_run_group_tests_name("run file, schema", tests, NULL, NULL);
}
