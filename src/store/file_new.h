/* file_new: a new, empty run file, all at once. Only for src/store. */
#pragma once
#include "base/fault.h"
#include "store/records.h"

/* The file appears under `path` complete with all its tables and the row of the run (NULL: none), or not at
 * all, whenever the program is killed. It begins with a write-ahead log, and nobody has flushed it to the
 * disk yet. Never overwrites: -EEXIST. 0 or -errno. */
int file_new(const char *path, const struct run_record *run, struct fault *fault);
