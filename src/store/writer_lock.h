/* writer_lock: at most one writer of a run file, also when it forks. */
#pragma once

/* Locks the run file that `fd` has open for reading and writing. 0; -EWOULDBLOCK: somebody else has it; another -errno. */
int writer_lock(int fd);
/* Also for processes that have inherited it. */
void writer_unlock(int fd);
