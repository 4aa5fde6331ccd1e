/* fuzz_import: any bytes as another tool's result file. What is accepted is readable to the end; what is
 * refused says why. A text that begins like JSON is a result, every other one a log, of a kind that follows
 * from its first byte. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "store/import.h"
#include "../unit/store/fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static const char *name_for(const uint8_t *data, size_t bytes)
{
	static const char *const names[] = {
		"x_bw.1.log", "x_lat.1.log", "x_clat.1.log", "x_clat_hist.1.log", "x_iops.log"
	};

	if (!bytes || data[0] == '{' || data[0] == '<')
		return "x.json";
	return names[data[bytes / 2] % 5];
}

static void write_all(const char *path, const uint8_t *data, size_t bytes)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
		abort();
	close(fd);
}

static void import_check(const char *run_path, const char *path)
{
	const struct import_request request = {
		.paths = &path, .count = 1, .version = "0", .command_line = "[]"
	};
	struct fault fault = { 0 };
	struct store *store;
	uint64_t rows;
	int result;

	if (store_create(run_path, &store, NULL))
		abort();
	result = store_import(store, &request, &fault);
	store_close(store);
	if (result < 0) {
		if (result != -EBADMSG || !*fault.text)
			abort();
		return;
	}
	if (store_open(run_path, &store, NULL) || run_read_all(store, &rows))
		abort();
	store_close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char folder[] = "/dev/shm/fuzz-import-XXXXXX", path[96], run_path[96];

	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof(path), "%s/%s", folder, name_for(data, bytes));
	snprintf(run_path, sizeof(run_path), "%s/run.assay", folder);
	write_all(path, data, bytes);
	import_check(run_path, path);
	unlink(path);
	unlink(run_path);
	rmdir(folder);
	return 0;
}
