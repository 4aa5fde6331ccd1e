#include "run/ceiling.h"

#include <stdlib.h>
#include <string.h>
#include "run/worker.h"

#define CEILING_DEPTH 128u
#define INTERVAL_NS 1000000000u

struct ceiling {
	struct load load;
	struct worker_board entry;
	struct worker worker;
	struct board board;		/* without workers of its own */
};

static double ceiling_spin(struct worker *worker, struct clock *clock)
{
	const uint64_t start_ns = clock_now_ns(clock);
	uint64_t now_ns = start_ns, ios = 0;

	worker_start(worker, start_ns);
	while (now_ns - start_ns < CEILING_TIME_NS) {
		int count;

		worker_issue(worker, now_ns);
		count = engine_reap(worker->engine, worker->done, worker->reap_max, 1, ENGINE_WAIT_FOREVER);
		if (count <= 0)
			return 0;
		worker_complete(worker, worker->done, (uint32_t)count);
		now_ns = worker->done[0].done_ns;
		ios += (uint32_t)count;
	}
	return (double)ios * 1e9 / (double)(now_ns - start_ns);
}

static void ceiling_load(struct load *load)
{
	*load = (struct load){
		.rw = LOAD_RANDREAD, .read_share = 1, .engine = ENGINE_URING, .iodepth = CEILING_DEPTH,
		.numjobs = 1, .fixed_buffers = true, .fixed_files = true, .sqpoll_cpu = -1,
		.percentage_random = { 1, 1, 1 }, .distribution_center = -1, .time_based = true,
	};
	load->sizes[IO_READ] = (struct load_sizes){ .count = 1, .part = { { 4096, 4096, 1 } } };
}

static double ceiling_measure(struct ceiling *ceiling, const struct target *target, struct clock *clock)
{
	struct target imagined = *target;
	struct worker_config config = {
		.load = &ceiling->load, .target = &imagined, .clock = clock, .board = &ceiling->board,
		.entry = &ceiling->entry, .budget_bytes = UINT64_MAX, .budget_ios = UINT64_MAX, .no_op = true,
	};
	struct fault fault = { 0 };
	double iops = 0;

	imagined.kind = TARGET_FILE;
	imagined.may_write = false;
	imagined.size_bytes = 1ull << 30;
	imagined.block_bytes = 4096;
	if (!worker_init(&ceiling->worker, &config, &fault))
		iops = ceiling_spin(&ceiling->worker, clock);
	worker_release(&ceiling->worker);
	return iops;
}

double ceiling_iops(const struct target *target, struct clock *clock)
{
	const struct recorder_config recorder = { .start_ns = clock_now_ns(clock), .interval_ns = INTERVAL_NS,
						  .samples_per_second = 2000, .depth = CEILING_DEPTH };
	struct ceiling *ceiling = aligned_alloc(64, (sizeof(*ceiling) + 63) / 64 * 64);
	void *memory = aligned_alloc(64, recorder_ring_bytes(&recorder));
	double iops = 0;

	if (ceiling && memory) {
		memset(ceiling, 0, sizeof(*ceiling));
		memset(memory, 0, recorder_ring_bytes(&recorder));
		ceiling_load(&ceiling->load);
		ceiling->entry.depth = CEILING_DEPTH;
		ceiling->entry.ring = recorder_ring_init(memory, &recorder);
		iops = ceiling_measure(ceiling, target, clock);
	}
	free(ceiling);
	free(memory);
	return iops;
}
