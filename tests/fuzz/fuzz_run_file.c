/* fuzz_run_file: any bytes as a run file, or (when they don't begin as a database does) as the blobs inside
 * one. What is accepted must be readable to the end, with every reading function. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "store/batch.h"
#include "../unit/store/fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_histogram(struct packer *packer, const uint8_t *data, size_t bytes)
{
	static struct histogram histogram;

	histogram_clear(&histogram);
	if (packer_unpack_histogram(packer, data, bytes, &histogram) == 0)
		histogram_percentile(&histogram, 0.99);
}

/* A batch that is accepted gives the same I/Os when packed again. */
static void check_batch(struct packer *packer, const uint8_t *data, size_t bytes)
{
	static struct logged_io first[BATCH_IOS_MAX], second[BATCH_IOS_MAX];
	struct packer other = { 0 };
	int count = batch_unpack(packer, data, bytes, first);
	const void *packed;
	size_t packed_count;

	if (count < 0)
		return;
	if (batch_pack(packer, first, (uint32_t)count, &packed, &packed_count) < 0)
		abort();
	if (batch_unpack(&other, packed, packed_count, second) != count ||
	    memcmp(first, second, (size_t)count * sizeof(*first)) != 0)
		abort();
	packer_release(&other);
}

static void check_blobs(const uint8_t *data, size_t bytes)
{
	struct packer packer = { 0 };

	check_histogram(&packer, data, bytes);
	check_batch(&packer, data, bytes);
	packer_release(&packer);
}

static void check_file(const uint8_t *data, size_t bytes)
{
	struct store *store;
	char path[64];
	uint64_t rows;
	int fd;

	snprintf(path, sizeof(path), "/dev/shm/fuzz-run-%d.assay", (int)getpid());
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
		abort();
	close(fd);
	if (store_open(path, &store, NULL) == 0) {
		run_read_all(store, &rows);
		store_close(store);
	}
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	if (bytes > 16 && memcmp(data, "SQLite", 6) == 0)
		check_file(data, bytes);
	else
		check_blobs(data, bytes);
	return 0;
}
