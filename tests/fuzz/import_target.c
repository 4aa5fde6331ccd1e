#include "import_target.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "memory_store.h"
#include "memory_tree.h"
#include "store/import.h"
#include "../unit/store/fixture.h"

void import_target(const char *name, const uint8_t *data, size_t bytes)
{
	static struct memory_store *memory;
	char path[96];
	const char *paths[] = { path };
	const struct import_request request = {
		.paths = paths, .count = 1, .version = "0", .command_line = "[]"
	};
	struct fault fault = { 0 };
	uint64_t rows;
	int result;

	if (!memory)
		memory = memory_store_new();
	memory_tree_write(memory_tree_add(name), data, bytes);
	snprintf(path, sizeof(path), "%s/%s", MEMORY_TREE, name);
	result = store_import(memory_store_borrow(memory), &request, &fault);
	if (result < 0 && (result != -EBADMSG || !*fault.text))
		abort();
	if (result == 0 && run_read_all(memory_store_borrow(memory), &rows))
		abort();
	memory_store_clear(memory);
}
