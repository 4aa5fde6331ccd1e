#include "sim/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Zeroed pages, huge ones where the kernel has them: random access to a large map is bound by the TLB. */
static void *table_new(size_t bytes)
{
	void *table =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (table == MAP_FAILED)
		return NULL;
	madvise(table, bytes, MADV_HUGEPAGE);
	return table;
}

static void table_free(void *table, size_t bytes)
{
	if (table)
		munmap(table, bytes);
}

static void free_list_fill(struct sim_map *map)
{
	for (uint32_t i = 0; i < map->geometry->superblocks; i++)
		map->free_list[i] = i;
	map->free_first = 0;
	map->free_count = map->geometry->superblocks;
}

int sim_map_init(struct sim_map *map, const struct sim_geometry *geometry)
{
	const uint64_t flash_pages = (uint64_t)geometry->superblocks * geometry->superblock_pages;

	memset(map, 0, sizeof(*map));
	map->geometry = geometry;
	map->physical_bytes = (size_t)geometry->user_pages * 4;
	map->logical_bytes = (flash_pages + 32) * 4;
	map->valid_bytes = flash_pages / 8 + 16;
	map->physical = table_new(map->physical_bytes);
	map->logical = table_new(map->logical_bytes);
	map->valid = table_new(map->valid_bytes);
	map->superblocks = calloc(geometry->superblocks, sizeof(*map->superblocks));
	map->free_list = malloc(geometry->superblocks * sizeof(uint32_t));
	if (!map->physical || !map->logical || !map->valid || !map->superblocks || !map->free_list)
		return -ENOMEM;
	memset(map->physical, 0xff, map->physical_bytes);
	free_list_fill(map);
	return 0;
}

void sim_map_release(struct sim_map *map)
{
	table_free(map->physical, map->physical_bytes);
	table_free(map->logical, map->logical_bytes);
	table_free(map->valid, map->valid_bytes);
	free(map->superblocks);
	free(map->free_list);
	memset(map, 0, sizeof(*map));
}

uint32_t sim_map_open(struct sim_map *map, enum sim_mode mode)
{
	uint32_t index;

	if (!map->free_count)
		return SIM_NOWHERE;
	index = map->free_list[map->free_first];
	map->free_first = (map->free_first + 1) % map->geometry->superblocks;
	map->free_count--;
	map->superblocks[index] = (struct sim_superblock){
		.capacity = sim_capacity_pages(map->geometry, mode),
		.erases = map->superblocks[index].erases,
		.opened = ++map->opened,
		.state = SIM_OPEN,
		.mode = (uint8_t)mode,
		.used = map->superblocks[index].used,
	};
	return index;
}

void sim_map_erase(struct sim_map *map, uint32_t index)
{
	struct sim_superblock *superblock = &map->superblocks[index];

	superblock->state = SIM_FREE;
	superblock->mode = SIM_MODE_NATIVE;
	superblock->erases++;
	map->free_list[(map->free_first + map->free_count) % map->geometry->superblocks] = index;
	map->free_count++;
}

uint32_t sim_map_next_valid(const struct sim_map *map, uint32_t index, uint32_t offset)
{
	const uint32_t capacity = map->superblocks[index].capacity;
	const uint64_t base = (uint64_t)index * map->geometry->superblock_pages;
	uint64_t at = base + offset, word;

	while (at < base + capacity) {
		word = map->valid[at >> 6] >> (at & 63);
		if (word) {
			at += (uint64_t)__builtin_ctzll(word);
			break;
		}
		at = (at | 63) + 1;
	}
	return at - base < capacity ? (uint32_t)(at - base) : capacity;
}
