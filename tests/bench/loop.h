/* loop: the same closed loop of random transfers, written twice: over the engine contract (engine_loop.c) and straight
 * over the kernel's interface (reference_loop.c). Both keep `depth` transfers in flight, send at most `batch` per round,
 * stamp each batch twice and add up latencies; neither keeps a histogram. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct loop_config {
	const char *path;
	int fd;
	uint64_t size_bytes;
	uint32_t depth, batch, block_bytes;
	bool write, no_op;
	const char *engine;	/* of the engine loop */
	uint64_t ios_max;	/* stop after so many (0 = no limit) ... */
	uint64_t time_ns_max;	/* ... or after this time */
};

struct loop_result {
	uint64_t ios, errors, calls, time_ns, cpu_ns, latency_ns_sum, latency_ns_max;
};

/* What this thread has had of a CPU. */
static inline uint64_t loop_cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* 0 or -errno. */
int reference_loop_run(const struct loop_config *config, struct loop_result *ret_result);
int engine_loop_run(const struct loop_config *config, struct loop_result *ret_result);
