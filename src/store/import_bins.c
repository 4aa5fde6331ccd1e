#include "store/import_inside.h"

#define BIN_BITS 6u
#define BIN_GROUP (1u << BIN_BITS)

/* As described in fio's documentation of its histograms: the first two groups of 64 are exact, each further
 * group spans twice as many values. That is the same ladder as a histogram with K = 6. */
uint64_t import_bin_low(uint32_t index)
{
	return histogram_slot_low(index, BIN_BITS);
}

uint64_t import_bin_middle(uint32_t index, uint32_t bins)
{
	uint64_t low = import_bin_low(index), end = import_bin_low(index + bins);

	return low + (end - low - 1) / 2;
}

void import_count_slow(struct op_tally *op, uint64_t value_ns, uint64_t count)
{
	for (int i = 0; i < SLOW_BUCKETS; i++)
		if (value_ns >= slow_bucket_ns[i])
			op->slow[i] += count;
}

void import_add_slot(struct op_tally *op, uint64_t value_ns, uint64_t count)
{
	op->service.slot[histogram_slot(value_ns)] += count;
	op->service.moments.n += count;
	if (value_ns >> HISTOGRAM_RANGE_BITS)
		op->service.moments.over_range += count;
	import_count_slow(op, value_ns, count);
}
