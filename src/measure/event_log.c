#include <errno.h>
#include "measure/event_log.h"

void event_log_init(struct event_log *log, uint32_t entries)
{
	uint32_t used = 1;

	while (used < entries && used < EVENT_LOG_ENTRIES)
		used *= 2;
	log->head = log->tail = log->dropped = 0;
	log->mask = used - 1;
}

int event_log_push(struct event_log *log, const struct logged_io *io)
{
	const uint64_t tail = __atomic_load_n(&log->tail, __ATOMIC_ACQUIRE);

	if (log->head - tail > log->mask) {
		__atomic_store_n(&log->dropped, log->dropped + 1, __ATOMIC_RELAXED);
		return -ENOSPC;
	}
	log->entry[log->head & log->mask] = *io;
	__atomic_store_n(&log->head, log->head + 1, __ATOMIC_RELEASE);
	return 0;
}

uint32_t event_log_take(struct event_log *log, struct logged_io *ios, uint32_t max)
{
	const uint64_t head = __atomic_load_n(&log->head, __ATOMIC_ACQUIRE);
	uint32_t count = 0;

	while (count < max && log->tail + count < head) {
		ios[count] = log->entry[(log->tail + count) & log->mask];
		count++;
	}
	__atomic_store_n(&log->tail, log->tail + count, __ATOMIC_RELEASE);
	return count;
}
