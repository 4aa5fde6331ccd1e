/* file_copy: a private copy of a run file whose own place doesn't let SQLite read it: a write-ahead log
 * without its index on a read-only medium, a change that was cut off and must be rolled back, an older
 * version to migrate. Only for src/store. */
#pragma once
#include <sqlite3.h>

/* Opens, read-write, a copy of `path` and its side files in /tmp. The copy has no name any more when this
 * returns, and is gone when it is closed. 0 or -errno. */
int file_copy_open(const char *path, sqlite3 **ret_db);
