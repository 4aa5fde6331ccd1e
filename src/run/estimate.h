/* estimate: what a plan will do to a target before it does it: each point with its bytes, its time and the
 * wear it costs. Times are upper limits where the plan gives one, guesses from a nominal speed where it
 * counts bytes. */
#pragma once
#include "run/run.h"

#define ESTIMATE_FS_MAX 8u

struct estimate_row {
	const struct plan_step *step;
	uint32_t points, repeats;	/* how often the step runs in one round of its groups; 0 points: not
					 * on this target */
	uint32_t rounds;		/* most rounds of its groups together */
	uint64_t write_bytes, read_bytes, trim_bytes;	/* all points and repeats, one round; UINT64_MAX = by
							 * time only */
	uint64_t time_ns;		/* the same */
	bool time_known;		/* false: guessed from the bytes */
	uint32_t fs_count;		/* kind=mkfs: the different file systems, at most ESTIMATE_FS_MAX */
	char fs[ESTIMATE_FS_MAX][16];
};

struct estimate {
	struct estimate_row *row;	/* owned; one per step but groups */
	uint32_t count;
	uint64_t write_bytes, read_bytes, time_ns;	/* sums, rounds multiplied in, at most */
	uint64_t memory_bytes;		/* of the largest step: buffers and recorders */
};

/* What is estimated for: a target's size, and which of the plan's own targets it is (ESTIMATE_ANY: the run
 * names it, and every step goes to it). */
#define ESTIMATE_ANY UINT32_MAX
struct estimate_target {
	uint64_t bytes;
	const struct guard_subject *subject;	/* borrowed */
	uint32_t block_bytes;
	bool no_trim;
	uint32_t index;
};

/* What counts of an examined target. `sim`: opened, or all zero for a real one. */
struct estimate_target estimate_target_of(const struct guard_subject *subject, const struct target *sim,
					  uint32_t index);

/* 0, -EINVAL with fault (a load that does not fit the target), -ENOMEM. Release with estimate_release. */
int estimate_make(const struct plan *plan, const struct estimate_target *at, struct estimate *ret_estimate,
		  struct fault *fault);
void estimate_release(struct estimate *estimate);
