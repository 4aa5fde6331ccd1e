/* connection: what the files of this room share: the open database, its prepared statements and its limits.
 * Only for src/store. */
#pragma once
#include <sqlite3.h>
#include <stdbool.h>
#include "base/arena.h"
#include "store/pack.h"
#include "store/statement.h"
#include "store/store.h"

/* No text or blob of a run file is longer. */
#define STORE_VALUE_BYTES_MAX (32 << 20)
/* So long somebody else may have the file to himself, for instance to take in the log of a killed run. */
#define STORE_BUSY_MS 5000

struct store {
	sqlite3 *db;
	sqlite3_stmt *statement[STATEMENTS];	/* prepared when first used */
	struct arena arena;			/* everything given to the reader */
	struct packer packer;
	bool writable;
	bool flushed;				/* writer: each commit is (store_flush) */
	int lock_fd;				/* writer: holds the lock against a second writer; -1 */
	int reserve_fd;				/* writer: space for its last words (reserve.h); -1 = none */
	char *path;
	uint64_t operations_left; /* reader: until the running statement is given up as endless */

	/* writer */
	struct {
		uint64_t step;
		uint8_t *last; /* by load: the op of its last interval with something in it */
		uint32_t loads;
	} op;
	char **telemetry_name;			/* the name of id i + 1 */
	uint32_t telemetry_names, telemetry_names_committed;

	/* reader: totals of loads, one mapping per call of store_loads */
	struct tally_map *tally_maps;
};

/* SQLite's answer as -errno; 0 for SQLITE_OK, SQLITE_ROW and SQLITE_DONE. */
int store_error(sqlite3 *db, int code);

/* The prepared statement, reset and ready to bind; starts the transaction of a writer. 0 or -errno. */
int store_statement(struct store *store, enum statement which, sqlite3_stmt **ret_statement);
/* Runs a statement that gives no rows, and resets it. `bound` is the result of binding: passed on when
 * negative. */
int store_finish(struct store *store, sqlite3_stmt *statement, int bound);
/* Next row: 1, 0 at the end, or -errno; at the end and on failure the statement is reset. */
int store_next(struct store *store, sqlite3_stmt *statement);
void store_finalize_statements(struct store *store);

/* Reader: everything that makes SQLite safe against a hostile file. */
int connection_harden(struct store *store);
/* Gives the next statement of a reader its budget, by the size of the file. */
void connection_refill(struct store *store);
