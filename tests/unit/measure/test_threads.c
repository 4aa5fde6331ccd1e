/* Workers in threads of their own, a collector that looks in at all times: nothing lost, nothing torn. Run
 * under the thread sanitizer too. */
#include <pthread.h>
#include <stdlib.h>
#include "measure/stall.h"
#include "rig.h"

#define WORKERS 2
#define BATCHES 40000
#define BATCH 8

struct worker {
	pthread_t thread;
	struct recorder_ring *ring;
	uint64_t sum_ns, ios;
	uint64_t *clock;		/* shared: how far the first worker is */
};

static void *worker_run(void *context)
{
	struct worker *worker = context;
	struct random random;
	uint64_t now_ns = RIG_START;

	random_init(&random, 42, worker->ring->config.worker);
	for (int batch = 0; batch < BATCHES; batch++) {
		const uint64_t submit_ns = now_ns;

		recorder_submitted(worker->ring, submit_ns, BATCH);
		now_ns += random_below(&random, 1000) ? random_below(&random, 200000) : 300 * RIG_MS;
		recorder_batch_begin(worker->ring);
		for (uint16_t i = 0; i < BATCH; i++) {
			const struct io io = { .op = IO_READ, .bytes = 4096, .slot = i };
			const struct io_done done = { .slot = i, .result = 4096, .submit_ns = submit_ns,
						      .done_ns = now_ns };

			inflight_set(worker->ring, &io, done.submit_ns);
			recorder_complete(worker->ring, &done, 1);
			worker->sum_ns += now_ns - submit_ns;
			worker->ios++;
		}
		recorder_batch_end(worker->ring, BATCH);
		__atomic_store_n(worker->clock, now_ns, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void drain(struct collector *collector, struct stall_merger *merger, struct tally *sum, uint64_t now_ns)
{
	static struct logged_io ios[512];
	struct collected got;

	while (collector_next(collector, now_ns, &got) > 0) {
		assert_int_equal(got.tally->op[IO_READ].ios, got.tally->op[IO_READ].service.moments.n);
		tally_add(sum, got.tally);
	}
	stall_merger_advance(merger, now_ns);
	while (collector_take_outliers(collector, ios, 512) > 0 ||
	       collector_take_samples(collector, ios, 512) > 0)
		;
}

static bool threads_done(struct worker *worker)
{
	uint64_t submitted = 0;

	for (uint32_t i = 0; i < WORKERS; i++)
		submitted += __atomic_load_n(&worker[i].ring->seq, __ATOMIC_RELAXED) == 4 * BATCHES;
	return submitted == WORKERS;
}

static void a_collector_beside_running_workers_loses_nothing(void **state)
{
	struct worker worker[WORKERS];
	struct recorder_ring *rings[WORKERS];
	struct collector_config config = { .rings = rings, .ring_count = WORKERS, .samples_per_second = 2000 };
	struct collector *collector;
	struct stall_merger *merger;
	struct tally *sum = rig_tally_new();
	uint64_t clock_ns = RIG_START, ios = 0, sum_ns = 0;

	for (uint16_t i = 0; i < WORKERS; i++) {
		struct recorder_config recorder = rig_config(i, false);

		recorder.interval_ns = 20 * RIG_MS;
		rings[i] = rig_ring(&recorder);
		worker[i] = (struct worker){ .ring = rings[i], .clock = &clock_ns };
	}
	assert_int_equal(collector_new(&config, &collector), 0);
	assert_int_equal(stall_merger_new(rings, WORKERS, 0, &merger), 0);
	for (uint32_t i = 0; i < WORKERS; i++)
		assert_int_equal(pthread_create(&worker[i].thread, NULL, worker_run, &worker[i]), 0);
	while (!threads_done(worker))
		drain(collector, merger, sum, __atomic_load_n(&clock_ns, __ATOMIC_RELAXED));
	for (uint32_t i = 0; i < WORKERS; i++)
		pthread_join(worker[i].thread, NULL);
	collector_finish(collector, clock_ns);
	drain(collector, merger, sum, clock_ns);
	for (uint32_t i = 0; i < WORKERS; i++) {
		ios += worker[i].ios;
		sum_ns += worker[i].sum_ns;
	}
	assert_int_equal(tally_ios(sum), ios);
	assert_int_equal(sum->op[IO_READ].service.moments.sum_ns, sum_ns);
	rig_same_counts(sum, collector_total(collector));
	collector_free(collector);
	stall_merger_free(merger);
	for (uint32_t i = 0; i < WORKERS; i++)
		free(rings[i]);
	free(sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_collector_beside_running_workers_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
