#include <errno.h>
#include "measure/event_log.h"

int event_log_push(struct event_log *log, const struct logged_io *io)
{
	const uint64_t tail = __atomic_load_n(&log->tail, __ATOMIC_ACQUIRE);

	if (log->head - tail == EVENT_LOG_ENTRIES) {
		__atomic_store_n(&log->dropped, log->dropped + 1, __ATOMIC_RELAXED);
		return -ENOSPC;
	}
	log->entry[log->head & (EVENT_LOG_ENTRIES - 1)] = *io;
	__atomic_store_n(&log->head, log->head + 1, __ATOMIC_RELEASE);
	return 0;
}

uint32_t event_log_take(struct event_log *log, struct logged_io *ios, uint32_t max)
{
	const uint64_t head = __atomic_load_n(&log->head, __ATOMIC_ACQUIRE);
	uint32_t count = 0;

	while (count < max && log->tail + count < head) {
		ios[count] = log->entry[(log->tail + count) & (EVENT_LOG_ENTRIES - 1)];
		count++;
	}
	__atomic_store_n(&log->tail, log->tail + count, __ATOMIC_RELEASE);
	return count;
}
