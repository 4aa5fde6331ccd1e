/* reserve: space beside a run file, kept for its last words: when the disk is full, it is given back and they
 * fit. Only for src/store. docs/decisions/0019. */
#pragma once

/* A file without a name, so that it goes with the process. The descriptor, or -1: there is no room, or the
 * file system has no such files. */
int reserve_take(const char *path);
/* Gives the space back; -1 is none. */
void reserve_give(int *fd);
