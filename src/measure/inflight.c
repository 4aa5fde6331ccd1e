/* What a worker has in flight, as another process or thread sees it. */
#include "measure/recorder.h"

static bool inflight_read(const struct inflight *entry, struct inflight *copy)
{
	copy->submit_ns = __atomic_load_n(&entry->submit_ns, __ATOMIC_ACQUIRE);
	copy->offset = __atomic_load_n(&entry->offset, __ATOMIC_RELAXED);
	copy->bytes = __atomic_load_n(&entry->bytes, __ATOMIC_RELAXED);
	copy->op = __atomic_load_n(&entry->op, __ATOMIC_RELAXED);
	copy->slot = __atomic_load_n(&entry->slot, __ATOMIC_RELAXED);
	copy->intent_ns = __atomic_load_n(&entry->intent_ns, __ATOMIC_RELAXED);
	copy->flags = 0;
	return copy->submit_ns != INFLIGHT_NONE;
}

bool inflight_oldest(const struct recorder_ring *ring, struct inflight *ret_entry)
{
	struct inflight oldest = { .submit_ns = INFLIGHT_NONE }, entry;

	for (uint32_t slot = 0; slot < ring->config.depth; slot++)
		if (inflight_read(&ring->inflight[slot], &entry) && entry.submit_ns < oldest.submit_ns)
			oldest = entry;
	if (oldest.submit_ns == INFLIGHT_NONE)
		return false;
	*ret_entry = oldest;
	return true;
}

uint32_t inflight_count(const struct recorder_ring *ring)
{
	struct inflight entry;
	uint32_t count = 0;

	for (uint32_t slot = 0; slot < ring->config.depth; slot++)
		count += inflight_read(&ring->inflight[slot], &entry);
	return count;
}
