/* fuzz_run_file: any bytes as a run file, in memory. What is accepted can be read to the end or is refused on
 * the way, with every reading function. An input that isn't SQLite's is a list of changes to the bytes of a
 * good run file, four bytes each: where (three) and the new value. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include "memory_store.h"
#include "../unit/store/fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define HEAD_BYTES 100	/* of SQLite's file header, which has the counter of changes */

/* A good run file. The inputs' changes are made to `data` and taken back; those behind the first page are read by
 * `store`, which is open on it all the time: opening takes ten times as long as reading. */
struct bench {
	uint8_t *good, *data;
	size_t bytes, page_bytes;
	struct store *store;
	uint32_t changes;
};

static int read_all(struct store *store)
{
	uint64_t rows;

	return run_read_all(store, &rows);
}

static void check_file(const uint8_t *data, size_t bytes)
{
	struct store *store = memory_store_open(data, bytes);

	if (store)
		read_all(store);
	store_close(store);
}

static int read_changed(struct bench *bench)
{
	memory_store_changed(bench->store, bench->data, ++bench->changes);
	return read_all(bench->store);
}

static void bench_make(struct bench *bench)
{
	struct memory_store *memory = memory_store_new();

	run_fill(memory_store_borrow(memory), 1, 1, 1);
	bench->good = memory_store_bytes(memory_store_borrow(memory), &bench->bytes);
	memory_store_free(memory);
	bench->page_bytes = (size_t)bench->good[16] << 8 | bench->good[17];
	bench->data = malloc(bench->bytes);
	if (!bench->data || bench->good[100] != 13)	/* else the schema has more pages than the first */
		abort();
	memcpy(bench->data, bench->good, bench->bytes);
	bench->store = memory_store_open(bench->data, bench->bytes);
	/* changes are noticed, and so is that they were taken back, or nothing below is tested */
	if (!bench->store || read_changed(bench))
		abort();
	memset(bench->data + bench->page_bytes, 0xff, bench->bytes - bench->page_bytes);
	if (!read_changed(bench))
		abort();
	memcpy(bench->data, bench->good, bench->bytes);
	if (read_changed(bench))
		abort();
}

static size_t place(const struct bench *bench, const uint8_t *change)
{
	return (change[0] | (size_t)change[1] << 8 | (size_t)change[2] << 16) % bench->bytes;
}

static void check_changes(struct bench *bench, const uint8_t *data, size_t bytes)
{
	bool first_page = false;

	for (size_t i = 0; i + 4 <= bytes; i += 4) {
		bench->data[place(bench, data + i)] = data[i + 3];
		first_page |= place(bench, data + i) < bench->page_bytes;
	}
	if (first_page)
		check_file(bench->data, bench->bytes);
	else
		read_changed(bench);
	memcpy(bench->data, bench->good, HEAD_BYTES);
	for (size_t i = 0; i + 4 <= bytes; i += 4)
		bench->data[place(bench, data + i)] = bench->good[place(bench, data + i)];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct bench bench;

	if (!bench.good)
		bench_make(&bench);
	if (bytes >= 16 && memcmp(data, "SQLite", 6) == 0)
		check_file(data, bytes);
	else
		check_changes(&bench, data, bytes);
	return 0;
}
