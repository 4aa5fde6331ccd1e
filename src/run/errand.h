/* errand: something short that touches a target (a purge, a look at what is written), done in a process of
 * its own, so that a device that hangs cannot hold up the run. */
#pragma once
#include "run/conductor.h"

/* Shared with the errand's process. */
struct errand {
	struct run_target *target;
	struct fault fault;
	int32_t error;
	uint64_t offset, bytes;			/* the range it is about */
	uint64_t first_unwritten;		/* errand_written: out */
	bool written;
	enum purge_method method, used;		/* errand_purge: in and out */
	bool cache_on, cache_was;		/* errand_write_cache: in and out */
	bool cache_look;			/* errand_write_cache: cache_was is all that is wanted */
	struct guard_progress progress;		/* errand_purge: while it goes on, and what it was */
	const char *step;			/* its name, for the user; borrowed. NULL = tell nothing */
	uint64_t started_ns;			/* of the monotonic clock */
	uint64_t give_up_ns;			/* in: the plan's give_up=; 0 = never */
};

/* 0 and what the errand found; -errno with errand->fault filled. -ETIMEDOUT: the device has been silent for
 * give_up_ns, and was not told to work for itself. -EINTR: the user wants to stop; what cannot
 * be stopped goes on without us, and fault says so. `ret_errand` comes from errand_new and goes to
 * errand_free. */
struct errand *errand_new(void);
struct errand *errand_free(struct errand *errand);
int errand_purge(struct conductor *conductor, struct errand *errand);
int errand_write_cache(struct conductor *conductor, struct errand *errand);
int errand_written(struct conductor *conductor, struct errand *errand);
