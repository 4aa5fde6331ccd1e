/* Block sizes. Three directions, as fio has them: "4k" for all; "4k,64k" read, then write and trim;
 * "4k,64k,1m"; an empty place or a closing comma keeps the standard 4096. */
#include <string.h>
#include "plan/option.h"

#define BLOCK_STANDARD 4096
#define BLOCK_MAX (1ull << 30)

static int block_size(const struct value *value, struct span span, uint32_t *ret_bytes)
{
	uint64_t bytes;
	int error = value_size(value, span, &bytes);

	if (error)
		return error;
	if (!bytes)
		return value_fault(value, span.at, "a block of 0 bytes moves nothing");
	if (bytes > BLOCK_MAX)
		return value_fault(value, span.at, "blocks are at most 1g");
	*ret_bytes = (uint32_t)bytes;
	return 0;
}

/* "4k", "4k-64k" or, as fio has it too, "4k:64k" */
static int size_range(const struct value *value, struct span span, struct load_size *ret_size)
{
	const char *dash = span_find(span, '-') ? span_find(span, '-') : span_find(span, ':');
	struct load_size size = { .share = 1 };
	struct span low = span, high = span;
	int error;

	if (dash) {
		low = span_trim((struct span){ span.at, (size_t)(dash - span.at) });
		high = span_trim((struct span){ dash + 1, span.bytes - (size_t)(dash + 1 - span.at) });
	}
	error = block_size(value, low, &size.bytes_min);
	if (!error)
		error = block_size(value, high, &size.bytes_max);
	if (error)
		return error;
	if (size.bytes_max < size.bytes_min && value->dialect == PLAN_FIO)	/* fio swaps them */
		size = (struct load_size){ size.bytes_max, size.bytes_min, 1 };
	if (size.bytes_max < size.bytes_min)
		return value_fault(value, low.at,
				   "the range is upside down: its first size is the larger one");
	*ret_size = size;
	return 0;
}

static void sizes_standard(struct load_sizes *sizes)
{
	*sizes = (struct load_sizes){ .count = 1, .part[0] = { BLOCK_STANDARD, BLOCK_STANDARD, 1 } };
}

static int sizes_single(const struct value *value, struct span span, struct load_sizes *sizes)
{
	sizes->count = 1;
	return size_range(value, span, &sizes->part[0]);
}

/* "4k/60:64k/40", "4k/50:8k/:16k/": parts without a share take what is left in equal parts. */
static int sizes_split(const struct value *value, struct span rest, struct load_sizes *sizes)
{
	struct span whole = rest, part, size, share;
	double sum = 0, percent;
	uint32_t open = 0;
	int error;

	for (sizes->count = 0; span_next(&rest, ':', &part); sizes->count++) {
		struct load_size *to = &sizes->part[sizes->count];

		if (sizes->count == LOAD_SIZES)
			return value_fault(value, part.at, "more than %d sizes", LOAD_SIZES);
		span_next(&part, '/', &size);
		error = size_range(value, size, to);
		if (error)
			return error;
		to->share = -1;
		if (!span_next(&part, '/', &share) || !share.bytes) {
			open++;
			continue;
		}
		if (share.at[share.bytes - 1] == '%')
			share.bytes--;
		error = value_double(value, share, 0, 100, &percent);
		if (error)
			return error;
		to->share = percent / 100;
		sum += percent;
	}
	if (sum > 100 + 1e-9 || (!open && sum < 100 - 1e-9))
		return value_fault(value, whole.at, "the shares add up to %g%%, not 100%%", sum);
	for (uint32_t i = 0; i < sizes->count; i++)
		if (sizes->part[i].share < 0)
			sizes->part[i].share = (100 - sum) / 100 / open;
	return 0;
}

typedef int sizes_parse(const struct value *value, struct span span, struct load_sizes *sizes);

static int parse_directions(const struct value *value, struct load *load, sizes_parse *parse)
{
	struct span rest = value_span(value), part;
	int given = 0, error;

	for (int direction = 0; direction < 3; direction++) {
		struct load_sizes *sizes = &load->sizes[direction];

		if (!span_next(&rest, ',', &part)) {
			*sizes = load->sizes[direction - 1];
			continue;
		}
		given++;
		if (!part.bytes && (given > 1 || rest.at)) {
			sizes_standard(sizes);
			continue;
		}
		error = parse(value, part, sizes);
		if (error)
			return error;
	}
	return rest.at ? value_fault(value, rest.at, "at most three values: read, write, trim") : 0;
}

int parse_bs(const struct value *value, struct plan_instance *instance, struct load *load)
{
	return parse_directions(value, load, sizes_single);
}

int parse_bssplit(const struct value *value, struct plan_instance *instance, struct load *load)
{
	return parse_directions(value, load, sizes_split);
}

/* "4k" for all, or read, write and trim; an empty place: multiples of the block size. */
int parse_blockalign(const struct value *value, struct plan_instance *instance, struct load *load)
{
	struct span rest = value_span(value), part;
	int error = 0;

	for (int direction = 0; direction < 3 && !error; direction++) {
		uint32_t *to = &load->align_bytes[direction];

		if (!span_next(&rest, ',', &part))
			*to = load->align_bytes[direction - 1];
		else if (part.bytes || !direction)
			error = block_size(value, part, to);
	}
	if (!error && rest.at)
		error = value_fault(value, rest.at, "at most three values: read, write, trim");
	return error;
}
