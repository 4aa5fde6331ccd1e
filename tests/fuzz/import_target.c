#include "import_target.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "memory_store.h"
#include "store/import.h"
#include "../unit/store/fixture.h"

/* Made once, in memory: the file that each input is written to, and the run that it is imported into. */
struct bench {
	char folder[40];
	int fd;
	struct memory_store *memory;
};

static struct bench bench;

static void bench_remove(void)
{
	char command[80];

	snprintf(command, sizeof(command), "rm -rf %s", bench.folder);
	if (system(command))
		abort();
	close(bench.fd);
	memory_store_free(bench.memory);
}

static void bench_make(void)
{
	char path[64];

	snprintf(bench.folder, sizeof(bench.folder), "/dev/shm/fuzz-import-XXXXXX");
	if (!mkdtemp(bench.folder))
		abort();
	snprintf(path, sizeof(path), "%s/file", bench.folder);
	bench.fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bench.memory = memory_store_new();
	if (bench.fd < 0 || atexit(bench_remove))
		abort();
}

/* A link of the name to the one file: what the import makes of a file depends on its name. */
static void name_file(const char *name, char path[96])
{
	snprintf(path, 96, "%s/%s", bench.folder, name);
	if (symlink("file", path) && errno != EEXIST)
		abort();
}

void import_target(const char *name, const uint8_t *data, size_t bytes)
{
	char path[96];
	const char *paths[] = { path };
	const struct import_request request = {
		.paths = paths, .count = 1, .version = "0", .command_line = "[]"
	};
	struct fault fault = { 0 };
	uint64_t rows;
	int result;

	if (!bench.memory)
		bench_make();
	name_file(name, path);
	if (ftruncate(bench.fd, 0) || pwrite(bench.fd, data, bytes, 0) != (ssize_t)bytes)
		abort();
	result = store_import(memory_store_borrow(bench.memory), &request, &fault);
	if (result < 0 && (result != -EBADMSG || !*fault.text))
		abort();
	if (result == 0 && run_read_all(memory_store_borrow(bench.memory), &rows))
		abort();
	memory_store_clear(bench.memory);
}
