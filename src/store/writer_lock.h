/* writer_lock: at most one writer of a run file, also when it forks. */
#pragma once

/* Locks the run file that `fd` has open for reading and writing. 0; -EWOULDBLOCK: somebody else has it;
 * another -errno. */
int writer_lock(int fd);
/* Also for processes that have inherited it. */
void writer_unlock(int fd);
/* Does somebody hold the run file at `path` as its writer? 1, 0, or -errno: not known. Asked in a process of
 * its own: where the run file is open, closing a second descriptor would drop the locks that SQLite holds on
 * it. */
int writer_is_there(const char *path);
