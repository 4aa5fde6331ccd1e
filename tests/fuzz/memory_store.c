#include "memory_store.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "store/connection.h"
#include "store/schema.h"
#include "store/tally_map.h"

#define TABLES_MAX 32

struct memory_store {
	struct store *store;
	sqlite3_stmt *clear[TABLES_MAX];	/* DELETE FROM each table */
	uint32_t tables;
};

static struct store *store_in_memory(bool writable)
{
	struct store *store = calloc(1, sizeof(*store));

	/* before SQLite is used for the first time; later it changes nothing */
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
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
	if (schema_create(memory->store->db) || connection_harden(memory->store))
		abort();
	for (size_t i = 0; i < schema_object_count; i++) {
		const struct schema_object *object = &schema_object[i];

		if (!strcmp(object->type, "table") && strcmp(object->name, "op") && strcmp(object->name, "latency"))
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
	unsigned char *copy = sqlite3_malloc64(bytes ? bytes : 1);

	if (!copy)
		abort();
	memcpy(copy, data, bytes);
	/* takes the copy, also when it fails */
	if (sqlite3_deserialize(store->db, "main", copy, (sqlite3_int64)bytes, (sqlite3_int64)bytes,
				SQLITE_DESERIALIZE_READONLY | SQLITE_DESERIALIZE_FREEONCLOSE) ||
	    connection_harden(store) || schema_check(store->db, store->path, NULL))
		return store_close(store);
	return store;
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
