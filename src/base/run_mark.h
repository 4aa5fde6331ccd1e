/* run_mark: is a file one of this program's run files? By its first bytes alone (docs/formats/run-file.md),
 * for those that are about to write over something and know nothing of databases. */
#pragma once
#include <stdbool.h>

/* `path`, from the directory `directory` (AT_FDCWD: here). Links are not followed; what cannot be read is
 * none. */
bool run_mark_is(int directory, const char *path);
/* The run file that `path` is a side file of (-wal, -shm, -journal), into `run` of at least PATH_MAX bytes;
 * false when it is none. */
bool run_mark_is_side(int directory, const char *path, char *run);
