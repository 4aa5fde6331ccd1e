#include "memory_store.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "store/connection.h"
#include "store/schema.h"
#include "store/tally_map.h"
#include "store/writer_lock.h"

#define TABLES_MAX 32
#define PAGE_BYTES 8192		/* as in a run file */
#define PAGES 512		/* kept by SQLite's page cache without asking for memory */
#define PAGE_HEAD_BYTES 320	/* more than SQLITE_CONFIG_PCACHE_HDRSZ */

struct memory_store {
	struct store *store;
	sqlite3_stmt *clear[TABLES_MAX];	/* DELETE FROM each table */
	uint32_t tables;
};

/* -- in place of what takes system calls: the linker leads the calls here (see meson.build) -- */

int __wrap_writer_is_there(const char *path);
int __real_stat64(const char *path, struct stat64 *facts);
int __wrap_stat64(const char *path, struct stat64 *facts);
struct tally *__real_tally_map_add(struct tally_map **list, uint32_t count);
struct tally *__wrap_tally_map_add(struct tally_map **list, uint32_t count);
void __real_tally_map_free(struct tally_map *list);
void __wrap_tally_map_free(struct tally_map *list);

/* Nobody else writes a store that is in memory: a run that is running in it was killed. */
int __wrap_writer_is_there(const char *path)
{
	(void)path;
	return 0;
}

/* SQLite calls a file that is in memory "x". */
int __wrap_stat64(const char *path, struct stat64 *facts)
{
	if (strcmp(path, "x") && strcmp(path, "x-wal"))
		return __real_stat64(path, facts);
	errno = ENOENT;
	return -1;
}

/* One tally stays mapped from one reading to the next: new pages cost more than zeroing the old ones. */
static struct tally_map *kept;

struct tally *__wrap_tally_map_add(struct tally_map **list, uint32_t count)
{
	if (count > 1 || *list)
		return __real_tally_map_add(list, count);
	if (kept)
		memset(kept->tally, 0, kept->bytes);
	else if (!__real_tally_map_add(&kept, 1))
		return NULL;
	*list = kept;
	return kept->tally;
}

void __wrap_tally_map_free(struct tally_map *list)
{
	if (list == kept)
		return;
	for (struct tally_map *map = list; map; map = map->previous)
		if (map == kept)
			kept = NULL;
	__real_tally_map_free(list);
}

/* -- stores -- */

static struct store *store_in_memory(bool writable)
{
	static _Alignas(16) char pages[PAGES * (PAGE_BYTES + PAGE_HEAD_BYTES)];
	struct store *store = calloc(1, sizeof(*store));

	/* before SQLite is used for the first time; later it changes nothing */
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	sqlite3_config(SQLITE_CONFIG_PAGECACHE, pages, PAGE_BYTES + PAGE_HEAD_BYTES, PAGES);
	if (!store)
		abort();
	store->lock_fd = -1;
	store->writable = writable;
	store->path = strdup("memory");
	if (!store->path || sqlite3_open(":memory:", &store->db))
		abort();
	return store;
}

static void prepare_clear(struct memory_store *memory, const char *table)
{
	char sql[100];

	snprintf(sql, sizeof(sql), "DELETE FROM %s", table);
	if (memory->tables == TABLES_MAX ||
	    sqlite3_prepare_v2(memory->store->db, sql, -1, &memory->clear[memory->tables++], NULL))
		abort();
}

struct memory_store *memory_store_new(void)
{
	struct memory_store *memory = calloc(1, sizeof(*memory));

	if (!memory)
		abort();
	memory->store = store_in_memory(true);
	if (sqlite3_exec(memory->store->db, "PRAGMA page_size = 8192", NULL, NULL, NULL) ||
	    schema_create(memory->store->db) || connection_harden(memory->store))
		abort();
	for (size_t i = 0; i < schema_object_count; i++) {
		const struct schema_object *object = &schema_object[i];

		if (!strcmp(object->type, "table") && strcmp(object->name, "op") &&
		    strcmp(object->name, "latency"))
			prepare_clear(memory, object->name);
	}
	return memory;
}

struct store *memory_store_borrow(struct memory_store *memory)
{
	return memory->store;
}

static void forget(struct store *store)
{
	while (store->telemetry_names)
		free(store->telemetry_name[--store->telemetry_names]);
	store->telemetry_names_committed = 0;
	free(store->op.last);
	memset(&store->op, 0, sizeof(store->op));
	tally_map_free(store->tally_maps);
	store->tally_maps = NULL;
	arena_release(&store->arena);
}

static void undo(struct store *store)
{
	for (int i = 0; i < STATEMENTS; i++)
		if (store->statement[i])
			sqlite3_reset(store->statement[i]);
	if (!sqlite3_get_autocommit(store->db))
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

void memory_store_keep(struct memory_store *memory)
{
	if (sqlite3_exec(memory->store->db, "BEGIN", NULL, NULL, NULL))
		abort();
}

void memory_store_back(struct memory_store *memory)
{
	undo(memory->store);
	forget(memory->store);
	memory_store_keep(memory);
}

void memory_store_clear(struct memory_store *memory)
{
	undo(memory->store);
	for (uint32_t i = 0; i < memory->tables; i++) {
		if (sqlite3_step(memory->clear[i]) != SQLITE_DONE)
			abort();
		sqlite3_reset(memory->clear[i]);
	}
	forget(memory->store);
}

void memory_store_free(struct memory_store *memory)
{
	for (uint32_t i = 0; i < memory->tables; i++)
		sqlite3_finalize(memory->clear[i]);
	store_close(memory->store);
	free(memory);
}

struct store *memory_store_open(const uint8_t *data, size_t bytes)
{
	struct store *store = store_in_memory(false);

	if (sqlite3_deserialize(store->db, "main", (uint8_t *)(uintptr_t)data, (sqlite3_int64)bytes,
				(sqlite3_int64)bytes, SQLITE_DESERIALIZE_READONLY) ||
	    connection_harden(store) || schema_check(store->db, store->path, NULL))
		return store_close(store);
	return store;
}

static void write_be32(uint8_t *to, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> (24 - 8 * i));
}

void memory_store_changed(struct store *store, uint8_t *data, uint32_t changes)
{
	undo(store);
	forget(store);
	/* SQLite drops its pages when the file's change counter isn't what it was; the copy of the counter
	 * says that the header is of the same change */
	write_be32(data + 24, changes);
	write_be32(data + 92, changes);
}

uint8_t *memory_store_bytes(struct store *store, size_t *ret_bytes)
{
	sqlite3_int64 bytes;
	unsigned char *data = sqlite3_serialize(store->db, "main", &bytes, 0);

	if (!data)
		abort();
	*ret_bytes = (size_t)bytes;
	return data;
}
