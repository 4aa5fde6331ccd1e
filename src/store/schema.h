/* schema: the tables of a run file, their version, and how an older file becomes a new one. The columns are
 * described in docs/formats/run-file.md.
 *
 * A file is accepted only when every object below exists with exactly this SQL text and a root page (no view
 * and no virtual table in disguise, no computed column), so that the reader's statements mean what they say.
 * Other objects in the file are ignored. A migration therefore rebuilds a table with its new text instead of
 * altering it. */
#pragma once
#include <sqlite3.h>
#include <stddef.h>
#include "base/fault.h"

struct schema_object {
	const char *type;	/* "table" "index" */
	const char *name;
	const char *sql;
};
extern const struct schema_object schema_object[];
extern const size_t schema_object_count;

struct schema_migration {
	int from;		/* user_version this one starts from; it leads to from + 1 */
	const char *sql;
};
extern const struct schema_migration schema_migration[];
extern const size_t schema_migration_count;

/* Creates everything in an empty database, application id and version included. 0 or -errno. */
int schema_create(sqlite3 *db);
/* Is this a run file of exactly our version, with our tables? 0; -EBADMSG, -ENOTSUP (newer), -ESTALE (older:
 * migrate). */
int schema_check(sqlite3 *db, const char *path, struct fault *fault);
/* Brings a database from its user_version to `version` in one transaction, by the migrations of the table
 * given. 0, -ENOTSUP when a migration is missing, or another -errno; nothing is changed then. */
int schema_migrate(sqlite3 *db, const struct schema_migration *migration, size_t count, int version);
