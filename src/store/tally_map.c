#include "store/tally_map.h"
#include <stdlib.h>
#include <sys/mman.h>

struct tally *tally_map_add(struct tally_map **list, uint32_t count)
{
	uint64_t bytes = (count ? count : 1) * (uint64_t)sizeof(struct tally);
	struct tally_map *map = malloc(sizeof(*map));
	void *at;

	if (!map)
		return NULL;
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED) {
		free(map);
		return NULL;
	}
	madvise(at, bytes, MADV_NOHUGEPAGE);	/* a huge page would hold all the zeros after all */
	*map = (struct tally_map){ .previous = *list, .tally = at, .bytes = bytes };
	*list = map;
	return at;
}

void tally_map_free(struct tally_map *list)
{
	while (list) {
		struct tally_map *previous = list->previous;

		munmap(list->tally, list->bytes);
		free(list);
		list = previous;
	}
}
