#include "work/sizes.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t round_up(uint64_t bytes, uint64_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/* How many sizes a part stands for, and every how many-th of them is kept. */
static uint32_t part_count(const struct load_size *part, uint32_t room, uint32_t *ret_step)
{
	uint32_t count = part->bytes_max / part->bytes_min;

	*ret_step = (count + room - 1) / room;
	return (count + *ret_step - 1) / *ret_step;
}

static uint32_t part_room(const struct load_sizes *load)
{
	return SIZES_MAX / load->count;
}

uint32_t sizes_count(const struct load_sizes *load)
{
	uint32_t count = 0, step;

	for (uint32_t i = 0; i < load->count; i++)
		if (load->part[i].bytes_min > 0)
			count += part_count(&load->part[i], part_room(load), &step);
	return count;
}

static int check_part(const struct load_size *part, uint32_t block_bytes, uint64_t segment_bytes,
		      struct fault *fault)
{
	if (!(part->share >= 0))
		return fault_set(fault, 0, 0, "block size of %u bytes has a share below 0", part->bytes_min);
	if (part->bytes_min == 0 || part->bytes_max < part->bytes_min)
		return fault_set(fault, 0, 0, "block size is 0 or its range runs backwards");
	if (round_up(part->bytes_max, block_bytes) > UINT32_MAX / 2)
		return fault_set(fault, 0, 0, "block size of %u bytes is too big", part->bytes_max);
	if (round_up(part->bytes_max, block_bytes) > segment_bytes)
		return fault_set(fault, 0, 0, "block size of %u bytes (in blocks of %u) is bigger than the "
				 "addressed range of %llu bytes", part->bytes_max, block_bytes,
				 (unsigned long long)segment_bytes);
	return 0;
}

static void add_size(struct sizes *sizes, uint32_t bytes, double weight)
{
	sizes->size[sizes->count].bytes = bytes;
	sizes->weight[sizes->count++] = weight;
	if (bytes < sizes->bytes_min || sizes->bytes_min == 0)
		sizes->bytes_min = bytes;
	if (bytes > sizes->bytes_max)
		sizes->bytes_max = bytes;
}

static void add_part(struct sizes *sizes, const struct load_size *part, uint32_t room, uint32_t block_bytes)
{
	uint32_t step, count = part_count(part, room, &step), all = part->bytes_max / part->bytes_min;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t multiple = i == count - 1 ? all : 1 + i * step;

		add_size(sizes, (uint32_t)round_up((uint64_t)multiple * part->bytes_min, block_bytes),
			 part->share / count);
	}
}

int sizes_init(struct sizes *sizes, const struct load_sizes *load, uint32_t align_bytes, uint32_t block_bytes,
	       uint64_t segment_bytes, struct fault *fault)
{
	double share = 0;
	uint32_t count;
	int error;

	memset(sizes, 0, sizeof(*sizes));
	if (load->count == 0 || load->count > LOAD_SIZES)
		return fault_set(fault, 0, 0, "the load has no block size");
	for (uint32_t i = 0; i < load->count; i++) {
		error = check_part(&load->part[i], block_bytes, segment_bytes, fault);
		if (error)
			return error;
		share += load->part[i].share;
	}
	if (!(share > 0))
		return fault_set(fault, 0, 0, "no block size has a share above 0");
	count = sizes_count(load);
	sizes->size = calloc(count, sizeof(*sizes->size));
	sizes->weight = calloc(count, sizeof(*sizes->weight));
	if (!sizes->size || !sizes->weight)
		return -ENOMEM;
	for (uint32_t i = 0; i < load->count; i++)
		add_part(sizes, &load->part[i], part_room(load), block_bytes);
	sizes->unit = align_bytes ? round_up(align_bytes, block_bytes) : sizes->bytes_min;
	divide_init(&sizes->by_unit, sizes->unit);
	for (uint32_t i = 0; i < count; i++)
		sizes->size[i].positions = (segment_bytes - sizes->size[i].bytes) / sizes->unit + 1;
	return alias_init(&sizes->alias, sizes->weight, count);
}

void sizes_release(struct sizes *sizes)
{
	free(sizes->size);
	free(sizes->weight);
	alias_release(&sizes->alias);
	memset(sizes, 0, sizeof(*sizes));
}
