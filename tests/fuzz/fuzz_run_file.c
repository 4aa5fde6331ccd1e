/* fuzz_run_file: any bytes as a run file, in memory. What is accepted can be read to the end or is refused on the way,
 * with every reading function. An input that isn't SQLite's is a list of changes to the bytes of a good run file, four
 * bytes each: where (three) and the new value. */
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include "memory_store.h"
#include "../unit/store/fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_file(const uint8_t *data, size_t bytes)
{
	struct store *store = memory_store_open(data, bytes);
	uint64_t rows;

	if (store)
		run_read_all(store, &rows);
	store_close(store);
}

static uint8_t *good_file(size_t *ret_bytes)
{
	struct memory_store *memory = memory_store_new();
	uint8_t *data;

	run_fill(memory_store_borrow(memory), 1, 1, 1);
	data = memory_store_bytes(memory_store_borrow(memory), ret_bytes);
	memory_store_free(memory);
	return data;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static uint8_t *good, *changed;
	static size_t good_bytes;

	if (!good) {
		good = good_file(&good_bytes);
		changed = malloc(good_bytes);
	}
	if (!changed)
		abort();
	if (bytes >= 16 && memcmp(data, "SQLite", 6) == 0) {
		check_file(data, bytes);
		return 0;
	}
	memcpy(changed, good, good_bytes);
	for (size_t i = 0; i + 4 <= bytes; i += 4)
		changed[(data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16) % good_bytes] = data[i + 3];
	check_file(changed, good_bytes);
	return 0;
}
