/* event_log: single slow I/Os and samples, bounded; never silently lost.
 *
 * A ring with one writer (the worker) and one reader (the collector), without locks; when it is full an entry
 * is counted in `dropped`. Lies in shared memory: no pointers. */
#pragma once
#include <stdint.h>

enum logged_flags {
	LOGGED_ERROR = 1,	/* result was an error */
	LOGGED_HOST = 2,	/* overlaps a host hiccup: tagged by the collector */
	LOGGED_TOP = 4,		/* kept as one of the slowest of its interval, though below what the log keeps */
	LOGGED_SHORT = 8,	/* read or write that moved less than was asked, without an error */
	LOGGED_KEPT = 128,	/* inside measure only: a top-K entry that the outlier log has too */
};

struct logged_io {
	uint64_t submit_ns;	/* since the start of the step, target's clock */
	uint64_t offset;
	uint64_t service_ns;
	uint64_t response_ns;	/* == service_ns in closed loops */
	uint32_t bytes;
	int32_t result;		/* bytes or -errno */
	uint16_t worker;
	uint16_t in_flight;	/* of this worker, at completion */
	uint8_t op;		/* enum io_op */
	uint8_t flags;
	uint16_t load;
};

#define EVENT_LOG_ENTRIES 4096	/* at most; power of two */

struct event_log {
	_Alignas(64) uint64_t head;	/* written by the worker */
	_Alignas(64) uint64_t tail;	/* written by the collector */
	uint64_t dropped;		/* by the worker */
	uint32_t mask;			/* entries in use - 1 */
	struct logged_io entry[EVENT_LOG_ENTRIES];
};

/* Empties it; room for `entries` or a few more. Those that are not used never become memory. */
void event_log_init(struct event_log *log, uint32_t entries);
/* Worker side: 0, or -ENOSPC and counted as dropped. */
int event_log_push(struct event_log *log, const struct logged_io *io);
/* Collector side: takes up to max entries in order; returns the count. */
uint32_t event_log_take(struct event_log *log, struct logged_io *ios, uint32_t max);
