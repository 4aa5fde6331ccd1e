#include "store/connection.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define PROGRESS_STEP 1000	/* virtual machine operations between two looks at the budget */

/* An I/O error names its cause in errno, which SQLite keeps. */
static int io_error(sqlite3 *db, int code)
{
	int system = db ? sqlite3_system_errno(db) : 0;

	if (code == SQLITE_IOERR_SHORT_READ || code == SQLITE_IOERR_CORRUPTFS)
		return -EBADMSG;
	return system > 0 ? -system : -EIO;
}

int store_error(sqlite3 *db, int code)
{
	switch (code & 0xff) {
	case SQLITE_OK: case SQLITE_ROW: case SQLITE_DONE:
		return 0;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_IOERR:
		return io_error(db, db ? sqlite3_extended_errcode(db) : code);
	case SQLITE_CANTOPEN: {
		int system = db ? sqlite3_system_errno(db) : 0;

		return system > 0 ? -system : -EACCES;	/* side files that cannot be made */
	}
	case SQLITE_BUSY: case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_PERM: case SQLITE_AUTH:
		return -EACCES;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_TOOBIG:
		return -EFBIG;
	case SQLITE_CONSTRAINT: case SQLITE_MISMATCH: case SQLITE_RANGE: case SQLITE_MISUSE:
		return -EINVAL;
	default: /* corrupt, not a database, interrupted as endless, SQL that the file's schema breaks */
		return -EBADMSG;
	}
}

/* A new transaction. If the last one was rolled back (full disk), the names that it added are not in the
 * file. */
static int begin(struct store *store)
{
	if (!store->writable || !sqlite3_get_autocommit(store->db))
		return 0;
	while (store->telemetry_names > store->telemetry_names_committed)
		free(store->telemetry_name[--store->telemetry_names]);
	return store_error(store->db, sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL));
}

int store_statement(struct store *store, enum statement which, sqlite3_stmt **ret_statement)
{
	sqlite3_stmt **kept = &store->statement[which];
	int result;

	if (!store->writable && which < STATEMENTS_WRITING)
		return -EROFS;
	if (!*kept) {
		result = sqlite3_prepare_v3(store->db, statement_sql[which], -1, SQLITE_PREPARE_PERSISTENT,
					    kept, NULL);
		if (result != SQLITE_OK)
			return store_error(store->db, result);
	}
	sqlite3_reset(*kept);
	if (which < STATEMENTS_WRITING)
		result = begin(store);
	else
		result = 0;
	if (!store->writable)
		connection_refill(store);
	if (result == 0)
		*ret_statement = *kept;
	return result;
}

int store_finish(struct store *store, sqlite3_stmt *statement, int bound)
{
	int result = bound;

	if (bound == 0)
		result = store_error(store->db, sqlite3_step(statement));
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return result;
}

int store_next(struct store *store, sqlite3_stmt *statement)
{
	int code = sqlite3_step(statement);

	if (code == SQLITE_ROW)
		return 1;
	code = store_error(store->db, code);
	sqlite3_reset(statement);
	return code;
}

void store_finalize_statements(struct store *store)
{
	for (int i = 0; i < STATEMENTS; i++) {
		sqlite3_finalize(store->statement[i]);
		store->statement[i] = NULL;
	}
}

/* -- against hostile files -- */

static int spend(void *context)
{
	struct store *store = context;

	if (store->operations_left < PROGRESS_STEP)
		return 1;
	store->operations_left -= PROGRESS_STEP;
	return 0;
}

static uint64_t file_bytes(const char *path, const char *suffix)
{
	char name[PATH_MAX];
	struct stat status;

	if (snprintf(name, sizeof(name), "%s%s", path, suffix) >= (int)sizeof(name) ||
	    stat(name, &status) < 0)
		return 0;
	return (uint64_t)status.st_size;
}

/* By the file as it was named: what is read may be a copy of it that has no name any more. The densest honest
 * row takes more than 8 bytes and fewer than 100 operations. A damaged tree that leads to the same page again
 * and again runs out of its budget instead. */
void connection_refill(struct store *store)
{
	uint64_t bytes = file_bytes(store->path, "") + file_bytes(store->path, "-wal");

	store->operations_left = 1000000 + bytes * 12;
}

static void set_limits(sqlite3 *db)
{
	static const struct {
		int which, value;
	} limit[] = {
		{ SQLITE_LIMIT_LENGTH, STORE_VALUE_BYTES_MAX },
		{ SQLITE_LIMIT_SQL_LENGTH, 100000 },
		{ SQLITE_LIMIT_COLUMN, 200 },
		{ SQLITE_LIMIT_EXPR_DEPTH, 30 },
		{ SQLITE_LIMIT_COMPOUND_SELECT, 3 },
		{ SQLITE_LIMIT_VDBE_OP, 25000 },
		{ SQLITE_LIMIT_FUNCTION_ARG, 8 },
		{ SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50 },
		{ SQLITE_LIMIT_VARIABLE_NUMBER, 64 },
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
		{ SQLITE_LIMIT_WORKER_THREADS, 0 },
	};

	for (size_t i = 0; i < sizeof(limit) / sizeof(limit[0]); i++)
		sqlite3_limit(db, limit[i].which, limit[i].value);
}

static int set_options(sqlite3 *db)
{
	static const struct {
		int which, value;
	} option[] = {
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
		{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
		{ SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
		{ SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
		{ SQLITE_DBCONFIG_DQS_DDL, 0 },
		{ SQLITE_DBCONFIG_DQS_DML, 0 },
	};

	for (size_t i = 0; i < sizeof(option) / sizeof(option[0]); i++) {
		int code = sqlite3_db_config(db, option[i].which, option[i].value, NULL);

		if (code != SQLITE_OK)
			return store_error(db, code);
	}
	return 0;
}

int connection_harden(struct store *store)
{
	static const char pragmas[] = "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;";
	int result;

	sqlite3_extended_result_codes(store->db, 1);
	set_limits(store->db);
	result = set_options(store->db);
	if (result < 0)
		return result;
	if (!store->writable) {
		connection_refill(store);
		sqlite3_progress_handler(store->db, PROGRESS_STEP, spend, store);
	}
	sqlite3_busy_timeout(store->db, STORE_BUSY_MS);
	result = store_error(store->db, sqlite3_exec(store->db, pragmas, NULL, NULL, NULL));
	if (result == 0 && !store->writable)
		result = store_error(store->db,
				     sqlite3_exec(store->db, "PRAGMA query_only = ON", NULL, NULL, NULL));
	return result;
}
