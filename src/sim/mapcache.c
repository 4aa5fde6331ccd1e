#include "sim/mapcache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sim_mapcache_init(struct sim_mapcache *cache, const struct sim_params *params)
{
	memset(cache, 0, sizeof(*cache));
	if (params->map_cache_mb <= 0)
		return 0;
	cache->count = (uint32_t)(params->map_cache_mb * 1048576 / params->shrink / 4096);
	if (!cache->count)
		cache->count = 1;
	cache->tags = malloc(cache->count * sizeof(*cache->tags));
	if (!cache->tags)
		return -ENOMEM;
	memset(cache->tags, 0xff, cache->count * sizeof(*cache->tags));
	return 0;
}

void sim_mapcache_release(struct sim_mapcache *cache)
{
	free(cache->tags);
	memset(cache, 0, sizeof(*cache));
}
