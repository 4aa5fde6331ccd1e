#include <errno.h>
#include "base/units.h"
#include "work/segments.h"
#include "work/work.h"

/* In bytes; a share of `whole` is rounded down to `align`, except all of it. */
static uint64_t aligned_amount(const struct amount *amount, uint64_t whole, uint64_t align, uint64_t unset)
{
	uint64_t bytes = amount_resolve(amount, whole, unset);

	if (amount->unit != AMOUNT_SHARE || bytes == whole)
		return bytes;
	return bytes / align * align;
}

static bool is_zero(const struct amount *amount)
{
	return (amount->unit == AMOUNT_BYTES && amount->bytes == 0) ||
	       (amount->unit == AMOUNT_SHARE && !(amount->share > 0));
}

static int fault_beyond(struct fault *fault, const char *what, uint64_t end, uint64_t limit)
{
	char asked[UNITS_TEXT], has[UNITS_TEXT];

	return fault_set(fault, 0, 0, "%s ends at %s (%llu bytes), beyond the target's %s (%llu bytes)", what,
			 capacity_format(end, asked), (unsigned long long)end, capacity_format(limit, has),
			 (unsigned long long)limit);
}

static int resolve_segments(const struct load *load, uint64_t target_bytes, uint32_t block_bytes,
			    struct work_range *ret_range, struct fault *fault)
{
	uint32_t count = load->range_segments;
	uint64_t wanted = aligned_amount(&load->range_to, target_bytes, block_bytes, target_bytes) / count;
	uint64_t span = target_bytes / block_bytes * block_bytes;
	uint64_t align = segments_align_bytes(span / count, block_bytes);
	uint64_t each = wanted / align * align;

	if (load->offset.unit || load->size.unit || load->offset_increment.unit || load->range_from.unit)
		return fault_set(fault, 0, 0, "range in segments can't be combined with offset, size or a "
				 "start");
	if (each == 0)
		return fault_set(fault, 0, 0, "range in %u segments: each would be smaller than %llu bytes",
				 count, (unsigned long long)align);
	if (count > 1 && each * count + align * (count - 1) > span)
		return fault_set(fault, 0, 0, "range in %u segments: no room left to keep them apart", count);
	*ret_range = (struct work_range){ .start = 0, .bytes = span, .segments = count,
					  .addressed_bytes = each * count };
	return 0;
}

/* Start and end of one piece inside [from, to). */
static int resolve_piece(const struct load *load, uint64_t from, uint64_t to, uint32_t block_bytes,
			 uint32_t worker, struct work_range *ret_range, struct fault *fault)
{
	uint64_t span = to - from, align = segments_align_bytes(span, block_bytes), start, size, step, end;

	step = aligned_amount(&load->offset_increment, span, align, 0);
	start = load->offset_continue ? 0 : aligned_amount(&load->offset, span, align, 0);
	if (__builtin_mul_overflow(step, (uint64_t)worker, &step) ||
	    __builtin_add_overflow(start, step, &start) || start >= span)
		return fault_set(fault, 0, 0, "offset of worker %u lies beyond the addressed range of %llu "
				 "bytes", worker + 1, (unsigned long long)span);
	start = (from + start + block_bytes - 1) / block_bytes * block_bytes;
	size = aligned_amount(&load->size, span, align, to > start ? to - start : 0);
	if (__builtin_add_overflow(start, size, &end))
		end = UINT64_MAX;
	if (end > to) {
		if (load->size.unit == AMOUNT_BYTES)
			return fault_beyond(fault, "offset + size", end, to);
		end = to;
	}
	end = end / block_bytes * block_bytes;
	if (end <= start)
		return fault_set(fault, 0, 0, "the addressed range is smaller than one block of %u bytes",
				 block_bytes);
	*ret_range = (struct work_range){ .start = start, .bytes = end - start, .segments = 1,
					  .addressed_bytes = end - start };
	return 0;
}

int work_range_resolve(const struct load *load, uint64_t target_bytes, uint32_t block_bytes, uint32_t worker,
		       struct work_range *ret_range, struct fault *fault)
{
	uint64_t align = segments_align_bytes(target_bytes, block_bytes), from, to;

	if (target_bytes < block_bytes || block_bytes == 0)
		return fault_set(fault, 0, 0, "the target is smaller than one block");
	if (is_zero(&load->size) || is_zero(&load->range_to))
		return fault_set(fault, 0, 0, "size is 0: nothing would be addressed (leave it out for all)");
	if (load->range_segments > 0)
		return resolve_segments(load, target_bytes, block_bytes, ret_range, fault);
	from = aligned_amount(&load->range_from, target_bytes, align, 0);
	to = aligned_amount(&load->range_to, target_bytes, align, target_bytes);
	if (to > target_bytes)
		return fault_beyond(fault, "range", to, target_bytes);
	if (from >= to)
		return fault_set(fault, 0, 0, "range is empty: it starts at %llu and ends at %llu bytes",
				 (unsigned long long)from, (unsigned long long)to);
	return resolve_piece(load, from, to, block_bytes, worker, ret_range, fault);
}

uint64_t work_budget_bytes(const struct load *load, const struct work_range *range)
{
	uint64_t budget, loops = load->loops ? load->loops : 1;

	if (load->time_based)
		return UINT64_MAX;
	budget = aligned_amount(&load->io_size, range->addressed_bytes, 1, range->addressed_bytes);
	return __builtin_mul_overflow(budget, loops, &budget) ? UINT64_MAX : budget;
}
