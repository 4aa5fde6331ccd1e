/* Whatever workers do - on time, late, hung, killed in mid-write - the intervals add up to the total, and
 * the total is the truth. */
#include <stdlib.h>
#include "rig.h"

#define WORKERS 4
#define FLIGHT 8

enum mood { ON_TIME, SLEEPY, HUNG };

struct worker {
	struct recorder_ring *ring;
	struct random random;
	enum mood mood;
	uint64_t mood_until_ns;
	uint64_t now_ns, next_ns;
	uint32_t in_flight;
	uint64_t submit_ns[FLIGHT];
};

struct scene {
	struct worker worker[WORKERS];
	struct collector *collector;
	struct tally *truth, *sum;
	struct random random;
	uint64_t given, next_index, ramp_intervals;
	bool exact;			/* virtual time: check each interval against the truth of that interval */
	struct tally *truth_now;
};

static uint64_t random_service_ns(struct random *random)
{
	const uint64_t kind = random_below(random, 100);

	if (kind < 90)
		return 50000 + random_below(random, 100000);
	if (kind < 99)
		return random_below(random, 30 * RIG_MS);
	return random_below(random, 1500 * RIG_MS);
}

static void worker_fill(struct worker *worker)
{
	uint32_t count = 0;

	while (worker->in_flight + count < FLIGHT && random_below(&worker->random, 4) > 0)
		worker->submit_ns[worker->in_flight + count++] = worker->now_ns;
	if (count == 0)
		return;
	rig_submit(worker->ring, worker->now_ns, count);
	worker->in_flight += count;
}

/* Completes some of what is in flight at the worker's time. */
static void worker_reap(struct scene *scene, struct worker *worker)
{
	const uint32_t count = (uint32_t)random_below(&worker->random, worker->in_flight + 1);

	recorder_batch_begin(worker->ring);
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t submit_ns = worker->submit_ns[--worker->in_flight];
		const enum io_op op = random_below(&worker->random, IO_TRIM);
		const int32_t result = random_below(&worker->random, 50) ? 4096 : -5;
		const struct io io = { .op = (uint8_t)op, .bytes = 4096 };
		const struct io_done done = { .result = result, .submit_ns = RIG_START + submit_ns,
					      .done_ns = RIG_START + worker->now_ns };

		inflight_set(worker->ring, &io, done.submit_ns);
		recorder_complete(worker->ring, &done, 1);
		rig_expect(&scene->truth->op[op], worker->now_ns - submit_ns, result);
		rig_expect(&scene->truth_now->op[op], worker->now_ns - submit_ns, result);
	}
	recorder_batch_end(worker->ring, count);
}

static void worker_step(struct scene *scene, struct worker *worker, uint64_t now_ns)
{
	while (worker->next_ns <= now_ns) {
		worker->now_ns = worker->next_ns;
		worker_fill(worker);
		worker_reap(scene, worker);
		worker->next_ns += 1 + random_service_ns(&worker->random);
	}
}

static void scene_check_interval(struct scene *scene, const struct collected *got)
{
	assert_int_equal(got->index, scene->next_index);
	assert_int_equal(got->tally->start_ns, got->index * RIG_SECOND);
	scene->next_index = (got->tally->end_ns + RIG_SECOND - 1) / RIG_SECOND;
	assert_true(scene->next_index > got->index);
	if (!got->ramp)
		tally_add(scene->sum, got->tally);
	for (uint32_t op = 0; op < IO_OPS; op++) {
		const struct histogram *service = &got->tally->op[op].service;

		assert_int_equal(service->moments.n, got->tally->op[op].ios);
		if (service->moments.n == 0)
			continue;
		assert_true(service->moments.min_ns <= service->moments.max_ns);
		assert_true(histogram_percentile(service, 0.5) >= service->moments.min_ns);
		assert_true(histogram_percentile(service, 0.999) <= service->moments.max_ns);
	}
	if (scene->exact) {
		assert_int_equal(got->tally->spans, 1);
		rig_same_counts(got->tally, scene->truth_now);
		tally_clear(scene->truth_now);
	}
	scene->given++;
}

static void scene_collect(struct scene *scene, uint64_t now_ns)
{
	struct collected got;

	while (collector_next(scene->collector, RIG_START + now_ns, &got) > 0)
		scene_check_interval(scene, &got);
}

static void scene_init(struct scene *scene, uint64_t seed, uint64_t grace_ns, uint64_t ramp)
{
	struct recorder_ring *rings[WORKERS];
	struct collector_config config = { .rings = rings, .ring_count = WORKERS, .grace_ns = grace_ns,
					   .ramp_intervals = ramp, .samples_per_second = 500 };

	random_init(&scene->random, seed, 0);
	for (uint16_t i = 0; i < WORKERS; i++) {
		const struct recorder_config recorder = rig_config(i, false);

		rings[i] = scene->worker[i].ring = rig_ring(&recorder);
		random_init(&scene->worker[i].random, seed, i + 1);
	}
	assert_int_equal(collector_new(&config, &scene->collector), 0);
	scene->truth = rig_tally_new();
	scene->truth_now = rig_tally_new();
	scene->sum = rig_tally_new();
}

static void scene_release(struct scene *scene)
{
	for (uint32_t i = 0; i < WORKERS; i++)
		free(scene->worker[i].ring);
	collector_free(scene->collector);
	free(scene->truth);
	free(scene->truth_now);
	free(scene->sum);
}

static void scene_finish(struct scene *scene, uint64_t now_ns)
{
	struct collected got;
	int count = 0;

	collector_finish(scene->collector, RIG_START + now_ns);
	while (collector_next(scene->collector, RIG_START + now_ns, &got) > 0) {
		scene_check_interval(scene, &got);
		assert_true(++count < 1000);
	}
	rig_same_counts(scene->sum, collector_total(scene->collector));
	rig_same_counts(scene->truth, collector_total(scene->collector));
	assert_true(scene->sum->in_flight_ns == collector_total(scene->collector)->in_flight_ns);
}

static void workers_on_time_are_exact_in_each_interval(void **state)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct scene scene = { .exact = true };

		scene_init(&scene, seed, 0, 0);
		for (uint64_t second = 1; second <= 8; second++) {
			for (uint32_t i = 0; i < WORKERS; i++)
				worker_step(&scene, &scene.worker[i], second * RIG_SECOND - 1);
			scene_collect(&scene, second * RIG_SECOND);
		}
		assert_int_equal(scene.given, 8);
		for (uint32_t i = 0; i < WORKERS; i++)
			worker_step(&scene, &scene.worker[i], 8 * RIG_SECOND + 300 * RIG_MS);
		scene_finish(&scene, 8 * RIG_SECOND + 300 * RIG_MS);
		assert_int_equal(scene.given, 9);
		scene_release(&scene);
	}
}

static void worker_choose_mood(struct scene *scene, struct worker *worker, uint64_t now_ns)
{
	if (now_ns < worker->mood_until_ns)
		return;
	worker->mood = random_below(&scene->random, 3);
	worker->mood_until_ns = now_ns + random_below(&scene->random, 5 * RIG_SECOND);
}

/* A sleepy worker comes back later and records completions with stamps of long ago; a hung one comes back
 * never. */
static void late_workers_lose_nothing(void **state)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct scene scene = { 0 };
		uint64_t now_ns = 0;

		scene_init(&scene, 100 + seed, 50 * RIG_MS, 0);
		while (now_ns < 25 * RIG_SECOND) {
			now_ns += random_below(&scene.random, 400 * RIG_MS);
			for (uint32_t i = 0; i < WORKERS; i++) {
				worker_choose_mood(&scene, &scene.worker[i], now_ns);
				if (scene.worker[i].mood == ON_TIME)
					worker_step(&scene, &scene.worker[i], now_ns);
			}
			if (random_below(&scene.random, 20) == 0)
				now_ns += random_below(&scene.random, 8 * RIG_SECOND);	/* nobody collects */
			else
				scene_collect(&scene, now_ns);
		}
		scene_finish(&scene, now_ns);
		scene_release(&scene);
	}
}

static void a_killed_worker_keeps_its_ios(void **state)
{
	struct scene scene = { 0 };
	struct recorder *current;
	struct recording *service;

	scene_init(&scene, 7, 50 * RIG_MS, 0);
	for (uint32_t i = 0; i < WORKERS; i++)
		worker_step(&scene, &scene.worker[i], 2 * RIG_SECOND + 500 * RIG_MS);
	scene_collect(&scene, 2 * RIG_SECOND + 500 * RIG_MS);
	/* killed in mid-write: the lock is held, and n was counted but the slot was not */
	recorder_batch_begin(scene.worker[0].ring);
	current = scene.worker[0].ring->current;
	service = &current->op[IO_READ].service;
	assert_true(service->moments.n > 0);
	service->moments.n++;
	scene_collect(&scene, 9 * RIG_SECOND + 50 * RIG_MS);
	assert_int_equal(scene.given, 9);		/* the dead do not hold up the living */
	scene_finish(&scene, 9 * RIG_SECOND + 60 * RIG_MS);
	scene_release(&scene);
}

static void a_hung_worker_is_in_flight_until_the_end(void **state)
{
	struct scene scene = { 0 };

	scene_init(&scene, 8, 50 * RIG_MS, 0);
	rig_submit(scene.worker[0].ring, 0, 3);
	scene_collect(&scene, 4 * RIG_SECOND + 60 * RIG_MS);
	assert_int_equal(scene.given, 4);
	assert_true(scene.sum->in_flight_ns == 12e9);
	rig_done(scene.worker[0].ring, IO_READ, 0, 4 * RIG_SECOND + 100 * RIG_MS, -5);
	rig_expect(&scene.truth->op[IO_READ], 4 * RIG_SECOND + 100 * RIG_MS, -5);
	scene_finish(&scene, 5 * RIG_SECOND);
	assert_true(scene.sum->in_flight_ns == 12e9 + 0.3e9 + 1.8e9);
	scene_release(&scene);
}

/* Five intervals without a collector: the worker has four recorders. */
static void a_late_collector_gives_joined_intervals(void **state)
{
	struct scene scene = { 0 };
	struct collected got;

	scene_init(&scene, 9, 0, 0);
	for (uint64_t i = 0; i < 7; i++) {
		for (uint32_t w = 0; w < WORKERS; w++) {
			rig_io(scene.worker[w].ring, IO_READ, i * RIG_SECOND, i * RIG_SECOND + 1000);
			rig_expect(&scene.truth->op[IO_READ], 1000, 4096);
		}
	}
	for (uint64_t i = 0; i < 3; i++) {
		assert_int_equal(collector_next(scene.collector, RIG_START + 7 * RIG_SECOND, &got), 1);
		assert_int_equal(got.tally->spans, 1);
		assert_int_equal(tally_ios(got.tally), WORKERS);
		scene_check_interval(&scene, &got);
	}
	assert_int_equal(collector_next(scene.collector, RIG_START + 7 * RIG_SECOND, &got), 1);
	assert_int_equal(got.index, 3);
	assert_int_equal(got.tally->spans, 4);
	assert_int_equal(got.tally->end_ns, 7 * RIG_SECOND);
	assert_int_equal(tally_ios(got.tally), 4 * WORKERS);
	scene_check_interval(&scene, &got);
	scene_finish(&scene, 7 * RIG_SECOND);
	scene_release(&scene);
}

static void grace_is_given_and_then_not(void **state)
{
	struct scene scene = { 0 };
	struct collected got;

	scene_init(&scene, 10, 50 * RIG_MS, 0);
	assert_int_equal(collector_next(scene.collector, RIG_START + RIG_SECOND + 49 * RIG_MS, &got), 0);
	assert_int_equal(collector_next(scene.collector, RIG_START + RIG_SECOND + 50 * RIG_MS, &got), 1);
	/* all have handed over: no need to wait */
	for (uint32_t i = 0; i < WORKERS; i++)
		recorder_boundary(scene.worker[i].ring, RIG_START + 2 * RIG_SECOND);
	assert_int_equal(collector_next(scene.collector, RIG_START + 2 * RIG_SECOND, &got), 1);
	scene_release(&scene);
}

static void an_io_counted_late_says_over_which_intervals_it_may_be_spread(void **state)
{
	struct scene scene = { 0 };
	struct collected got;

	scene_init(&scene, 11, 0, 0);
	scene_collect(&scene, RIG_SECOND);
	rig_io(scene.worker[0].ring, IO_READ, 0, RIG_SECOND - 1);	/* completed in 0, recorded when 0 was given */
	assert_int_equal(collector_next(scene.collector, RIG_START + 2 * RIG_SECOND, &got), 1);
	assert_int_equal(got.tally->spans, 2);
	assert_int_equal(tally_ios(got.tally), 1);
	scene_release(&scene);
}

static void the_ramp_is_given_but_not_part_of_the_total(void **state)
{
	struct scene scene = { 0 };
	struct collected got;

	scene_init(&scene, 12, 0, 2);
	for (uint64_t i = 0; i < 4; i++)
		rig_io(scene.worker[0].ring, IO_READ, i * RIG_SECOND, i * RIG_SECOND + 1000 + i);
	for (uint64_t i = 0; i < 4; i++) {
		assert_int_equal(collector_next(scene.collector, RIG_START + 4 * RIG_SECOND, &got), 1);
		assert_int_equal(got.ramp, i < 2);
		assert_int_equal(tally_ios(got.tally), 1);
	}
	assert_int_equal(tally_ios(collector_total(scene.collector)), 2);
	assert_int_equal(collector_total(scene.collector)->op[IO_READ].service.moments.min_ns, 1002);
	assert_int_equal(collector_total(scene.collector)->start_ns, 2 * RIG_SECOND);
	scene_release(&scene);
}

static void nothing_at_all_gives_nothing_or_empty_intervals(void **state)
{
	struct scene scene = { 0 };

	scene_init(&scene, 13, 0, 0);
	scene_finish(&scene, 0);
	assert_int_equal(scene.given, 0);
	scene_release(&scene);
	scene = (struct scene){ 0 };
	scene_init(&scene, 13, 0, 0);
	scene_finish(&scene, 2 * RIG_SECOND + 1);
	assert_int_equal(scene.given, 3);
	scene_release(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workers_on_time_are_exact_in_each_interval),
		cmocka_unit_test(late_workers_lose_nothing),
		cmocka_unit_test(a_killed_worker_keeps_its_ios),
		cmocka_unit_test(a_hung_worker_is_in_flight_until_the_end),
		cmocka_unit_test(a_late_collector_gives_joined_intervals),
		cmocka_unit_test(grace_is_given_and_then_not),
		cmocka_unit_test(an_io_counted_late_says_over_which_intervals_it_may_be_spread),
		cmocka_unit_test(the_ramp_is_given_but_not_part_of_the_total),
		cmocka_unit_test(nothing_at_all_gives_nothing_or_empty_intervals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
