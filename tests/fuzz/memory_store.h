/* memory_store: run files that are only in memory, so that a fuzz target can have thousands of them a second.
 *
 * Looks inside the store (store/connection.h): the files of a real one are the only difference. One thread. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "store/store.h"

struct memory_store;

/* An empty one to write to and to read from; aborts when it cannot. */
struct memory_store *memory_store_new(void);
struct store *memory_store_borrow(struct memory_store *memory);
/* As new: rows, names and everything that was read are gone. */
void memory_store_clear(struct memory_store *memory);
/* The same, but back to the rows that were there when it was called: everything that is written after keep,
 * up to the next back, is undone. Nothing may be committed between. */
void memory_store_keep(struct memory_store *memory);
void memory_store_back(struct memory_store *memory);
void memory_store_free(struct memory_store *memory);

/* These bytes as a run file that is only read, in place; store_close(). NULL when it is refused. */
struct store *memory_store_open(const uint8_t *data, size_t bytes);
/* The bytes behind the first page were changed for the `changes`th time: reading starts anew, as if the run
 * file had just been opened. The schema, which is in the first page, stays as SQLite knows it. */
void memory_store_changed(struct store *store, uint8_t *data, uint32_t changes);
/* The bytes of an open store as a file would have them; free with sqlite3_free(). */
uint8_t *memory_store_bytes(struct store *store, size_t *ret_bytes);
