/* bench: one worker on the null engine in time that the test sets, from the text of a load. It is moved as
 * the event loops of the room move it: reap, complete, issue. */
#pragma once
#include "../plan/fixture.h"
#include "run/stage.h"
#include "run/step_limits.h"

#define MEBI (1ull << 20)
#define MS 1000000ull

struct bench {
	struct plan *plan;
	struct plan_instance *instance;
	struct stage stage;
	struct run_target target;
	struct target opened;
	struct clock clock;
	struct worker worker;
	uint64_t start_ns;
	/* what was seen */
	uint64_t ios, bytes, bursts;
	uint64_t first_ns, last_ns;	/* of submissions, since the start */
	uint32_t in_flight_max, submitted_max;
	void (*on_submit)(struct bench *bench, uint64_t since_start_ns, uint32_t count);
	int32_t result;			/* < 0: every completion fails so */
};

/* "[a]\nLINES" on a target of so many bytes with 512-byte blocks; one worker (number `worker`). */
void bench_init(struct bench *bench, const char *lines, uint64_t target_bytes, uint32_t worker);
void bench_release(struct bench *bench);
/* Moves time by step_ns: what is in flight completes, then the worker issues. False when it is done. */
bool bench_step(struct bench *bench, uint64_t step_ns);
/* Until it is done; fails after `steps_max` steps. Then worker_finish. */
void bench_run(struct bench *bench, uint64_t step_ns, uint32_t steps_max);
uint64_t bench_now(const struct bench *bench);	/* since the start */
struct worker_board *bench_entry(struct bench *bench);
