/* fuzz_packed: any bytes as the packed histograms and I/Os of a run file. */
#include <stdlib.h>
#include <string.h>
#include "store/batch.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct packer packer = { 0 };

	check_histogram(&packer, data, bytes);
	check_batch(&packer, data, bytes);
	packer_release(&packer);
	return 0;
}
