/* stall: times in which a whole drive was silent: I/Os in flight and not one of them completed.
 *
 * Exact, not sampled: each worker logs every time of 1 ms and more without a completion (recorder.h,
 * quiet_log) and since when I/Os were in flight in it; a stall is where these overlap over all workers of
 * the drive, from when the first I/O was in flight. One merger per target; it takes the rings' quiet logs,
 * nothing else reads them. A silence that lies for half of its length or more in pauses of the computer itself
 * (stopped, or taken away by its host) says nothing of the drive and is counted apart. Pure memory; not
 * thread-safe. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "measure/recorder.h"

#define STALL_LISTED 1000u	/* the longest ones are kept one by one */
#define STALL_PAUSES 256u	/* of the computer, that are remembered */
#define STALL_BUCKETS 7		/* >= 10, 30, 50, 100, 200, 500, 1000 ms, cumulative */
extern const uint64_t stall_bucket_ns[STALL_BUCKETS];
extern const char *const stall_bucket_name[STALL_BUCKETS];	/* "ge_10ms" ... "ge_1s" */

struct stall {
	uint64_t start_ns, end_ns;	/* since the rings' start_ns */
};

struct stall_summary {
	uint64_t longest_ns;		/* also below 10 ms; 0 = none of 1 ms or more */
	uint64_t longest_start_ns;
	uint64_t count[STALL_BUCKETS];
	/* quiet times that a full log dropped: > 0 means stalls may be missing */
	uint64_t incomplete;
	/* stalls of 10 ms and more that are not in the list: the shortest ones */
	uint64_t list_dropped;
	/* silences of 10 ms and more that were the computer's: in nothing of the above */
	uint64_t host_count, host_longest_ns;
};

struct stall_merger;

/* Rings (borrowed) of all workers on one target; 0 or -ENOMEM. */
int stall_merger_new(struct recorder_ring *const *rings, uint32_t ring_count, uint64_t grace_ns,
		     struct stall_merger **ret_merger);
struct stall_merger *stall_merger_free(struct stall_merger *merger);	/* takes NULL, returns NULL */
/* Call at least every two seconds: a worker's log holds four seconds of the worst case. Looks at what ended
 * before now_ns - grace_ns: a completion must be in its worker's log that long after it happened. */
void stall_merger_advance(struct stall_merger *merger, uint64_t now_ns);
/* At the end: what is silent now counts until now. */
void stall_merger_finish(struct stall_merger *merger, uint64_t now_ns);
/* The computer itself stood still; in order of to_ns, before the advance that looks at that time. The last
 * STALL_PAUSES are remembered. */
void stall_merger_pause(struct stall_merger *merger, uint64_t from_ns, uint64_t to_ns);
/* The stall that goes on at now_ns, if any: for a live display, before it ends. 0 = the drive answers. */
uint64_t stall_merger_silent_ns(const struct stall_merger *merger, uint64_t now_ns);
void stall_merger_summary(const struct stall_merger *merger, struct stall_summary *ret_summary);
/* Stalls of 10 ms and more in order of time, of more than STALL_LISTED the longest; returns the count
 * taken. */
uint32_t stall_merger_take(struct stall_merger *merger, struct stall *stalls, uint32_t max);
