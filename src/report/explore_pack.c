/* explore_pack: columns of numbers as the page's data blobs hold them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report/explore.h"
#include "report/explore_pack.h"

#define LOG_ZERO 8000.0
#define LOG_STEPS 1000.0

struct explore_range explore_range_of(const struct explore_column *column, uint32_t rows)
{
	struct explore_range range = { .log = strcmp(column->kind, "value") != 0, .low = INFINITY };
	double high = -INFINITY;

	for (uint32_t i = 0; i < rows && !range.log; i++) {
		range.low = fmin(range.low, column->values[i]);
		high = fmax(high, column->values[i]);
	}
	if (!isfinite(range.low))
		range.low = 0;
	range.step = high > range.low ? (high - range.low) / EXPLORE_STEPS : 1;
	return range;
}

static uint16_t quantised(const struct explore_range *range, double value)
{
	if (isnan(value))
		return 0;
	if (!range->log)
		return (uint16_t)(1 + lround((value - range->low) / range->step));
	if (!(value > 0))
		return 1;
	return (uint16_t)fmin(fmax(LOG_ZERO + round(LOG_STEPS * log(value)), 2), 65535);
}

/* Writes byte `plane` of a zig-zag coded difference at its place. */
static void put(uint8_t *out, uint32_t row, uint32_t rows, uint32_t planes, uint32_t zigzag)
{
	for (uint32_t plane = 0; plane < planes; plane++)
		out[(size_t)plane * rows + row] = (uint8_t)(zigzag >> (8 * plane));
}

static void pack_times(uint8_t *out, const double *t_ns, uint32_t rows)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < rows; i++) {
		uint32_t ms = (uint32_t)(uint64_t)llround(fmax(t_ns[i], 0) / 1e6);
		int32_t step = (int32_t)(ms - before);

		put(out, i, rows, 4, (uint32_t)step << 1 ^ (uint32_t)(step >> 31));
		before = ms;
	}
}

static void pack_column(uint8_t *out, const struct explore_column *column, uint32_t rows)
{
	struct explore_range range = explore_range_of(column, rows);
	uint16_t before = 0;

	for (uint32_t i = 0; i < rows; i++) {
		uint16_t now = quantised(&range, column->values[i]);
		int16_t step = (int16_t)(now - before);

		put(out, i, rows, 2, (uint16_t)((uint16_t)step << 1 ^ step >> 15));
		before = now;
	}
}

int explore_pack(const double *t_ns, uint32_t rows, const struct explore_column *columns, uint32_t column_count,
		 uint8_t **ret_bytes, size_t *ret_count)
{
	size_t count = (size_t)rows * (4 + 2 * (size_t)column_count);
	uint8_t *bytes = malloc(count + 1);

	if (!bytes)
		return -ENOMEM;
	pack_times(bytes, t_ns, rows);
	for (uint32_t i = 0; i < column_count; i++)
		pack_column(bytes + (size_t)rows * (4 + 2 * i), &columns[i], rows);
	*ret_bytes = bytes;
	*ret_count = count;
	return 0;
}
