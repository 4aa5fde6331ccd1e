/* fuzz_histogram: any bytes as a stored histogram. What is accepted must give the same slots when coded
 * again. */
#include <stdlib.h>
#include <string.h>
#include "measure/histogram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct histogram first, second;
	static uint8_t code[HISTOGRAM_ENCODED_MAX];
	uint32_t bits;
	int count;

	if (bytes == 0)
		return 0;
	bits = data[0] & 1 ? HISTOGRAM_BITS : HISTOGRAM_SERIES_BITS;
	histogram_clear(&first);
	histogram_clear(&second);
	if (histogram_decode(&first, bits, data + 1, bytes - 1) < 0)
		return 0;
	count = histogram_encode(&first, bits, code, sizeof(code));
	if (count < 0 || histogram_decode(&second, bits, code, (size_t)count) < 0 ||
	    memcmp(first.slot, second.slot, sizeof(first.slot)) != 0)
		abort();
	histogram_percentile(&first, 0.5);
	return 0;
}
