#include "run/life.h"

#include <stddef.h>
#include "drive/drive_counters.h"

#define UNWATCHED_NS 10000000000ull

static uint64_t known(uint64_t count)
{
	return count == DRIVE_UNKNOWN ? 0 : count;
}

bool life_done(dev_t dev, uint64_t *ret_done)
{
	struct drive_counters counters;

	if (drive_counters(NULL, dev, &counters))
		return false;
	*ret_done = counters.reads + counters.writes + known(counters.discards) + known(counters.flushes);
	return true;
}

uint64_t life_still_ns(struct life *life, uint64_t done, uint64_t now_ns)
{
	if (!life->moved_ns || done != life->done || now_ns - life->looked_ns > UNWATCHED_NS)
		life->moved_ns = now_ns;
	life->looked_ns = now_ns;
	life->done = done;
	return now_ns - life->moved_ns;
}
