#include <errno.h>
#include <stdlib.h>
#include "rig.h"

static struct collected next_interval(struct collector *collector, uint64_t now_ns)
{
	struct collected got;

	assert_int_equal(collector_next(collector, RIG_START + now_ns, &got), 1);
	return got;
}

static struct collector *collector_of(struct recorder_ring *const *rings, uint32_t count, uint64_t grace_ns)
{
	const struct collector_config config = { .rings = rings, .ring_count = count, .grace_ns = grace_ns };
	struct collector *collector;

	assert_int_equal(collector_new(&config, &collector), 0);
	return collector;
}

static void an_io_belongs_to_the_interval_of_its_completion(void **state)
{
	const struct recorder_config config = rig_config(0, false);
	struct recorder_ring *ring = rig_ring(&config);
	struct collector *collector = collector_of(&ring, 1, 0);
	struct collected got;

	rig_io(ring, IO_READ, 0, RIG_SECOND - 1);
	rig_io(ring, IO_READ, 900 * RIG_MS, RIG_SECOND);
	rig_io(ring, IO_WRITE, RIG_SECOND, 3 * RIG_SECOND + 5);
	assert_int_equal(next_interval(collector, 3 * RIG_SECOND).tally->op[IO_READ].ios, 1);
	assert_int_equal(next_interval(collector, 3 * RIG_SECOND).tally->op[IO_READ].ios, 1);
	assert_int_equal(tally_ios(next_interval(collector, 3 * RIG_SECOND).tally), 0);	/* an empty one is there */
	assert_int_equal(collector_next(collector, RIG_START + 3 * RIG_SECOND, &got), 0);
	collector_finish(collector, RIG_START + 3 * RIG_SECOND + 500 * RIG_MS);
	got = next_interval(collector, 0);
	assert_int_equal(got.index, 3);
	assert_true(got.partial);
	assert_int_equal(got.tally->op[IO_WRITE].ios, 1);
	assert_int_equal(got.tally->start_ns, 3 * RIG_SECOND);
	assert_int_equal(got.tally->end_ns, 3 * RIG_SECOND + 500 * RIG_MS);
	assert_int_equal(collector_next(collector, UINT64_MAX, &got), 0);
	assert_int_equal(tally_ios(collector_total(collector)), 3);
	collector_free(collector);
	free(ring);
}

static void slow_buckets_have_exact_bounds(void **state)
{
	const struct recorder_config config = rig_config(0, false);
	struct recorder_ring *ring = rig_ring(&config);
	struct collector *collector = collector_of(&ring, 1, 0);
	const struct op_tally *op;

	for (uint32_t i = 0; i < SLOW_BUCKETS; i++) {
		rig_io(ring, IO_READ, 0, slow_bucket_ns[i] - 1);
		rig_io(ring, IO_READ, 0, slow_bucket_ns[i]);
	}
	collector_finish(collector, RIG_START + 2 * RIG_SECOND);
	while (collector_next(collector, 0, &(struct collected){ 0 }) > 0)
		;
	op = &collector_total(collector)->op[IO_READ];
	for (uint32_t i = 0; i < SLOW_BUCKETS; i++)
		assert_int_equal(op->slow[i], 2 * (SLOW_BUCKETS - i) - 1);
	collector_free(collector);
	free(ring);
}

static void errors_are_counted_apart_and_logged(void **state)
{
	const struct recorder_config config = rig_config(7, false);
	struct recorder_ring *ring = rig_ring(&config);
	struct collector *collector = collector_of(&ring, 1, 0);
	const struct op_tally *op;
	struct logged_io io;

	rig_submit(ring, 0, 2);
	rig_done(ring, IO_WRITE, 0, 1000, -EIO);
	rig_done(ring, IO_WRITE, 0, 600 * RIG_MS, -EIO);
	op = &next_interval(collector, RIG_SECOND).tally->op[IO_WRITE];
	assert_int_equal(op->errors, 2);
	assert_int_equal(op->ios, 0);
	assert_int_equal(op->service.moments.n, 0);
	assert_int_equal(op->slow[6], 1);
	assert_int_equal(collector_take_outliers(collector, &io, 1), 1);
	assert_int_equal(io.result, -EIO);
	assert_int_equal(io.flags, LOGGED_ERROR);
	assert_int_equal(io.worker, 7);
	assert_int_equal(io.load, 3);
	assert_int_equal(io.in_flight, 2);
	assert_int_equal(io.submit_ns, 0);
	collector_free(collector);
	free(ring);
}

static void trims_count_the_bytes_they_were_given(void **state)
{
	const struct recorder_config config = rig_config(0, false);
	struct recorder_ring *ring = rig_ring(&config);
	struct collector *collector = collector_of(&ring, 1, 0);
	struct collected got;

	rig_submit(ring, 0, 2);
	rig_done(ring, IO_TRIM, 0, 1000, 0);
	rig_done(ring, IO_READ, 0, 2000, 512);		/* a short read moved 512 bytes */
	got = next_interval(collector, RIG_SECOND);
	assert_int_equal(got.tally->op[IO_TRIM].bytes, 4096);
	assert_int_equal(got.tally->op[IO_READ].bytes, 512);
	collector_free(collector);
	free(ring);
}

static void open_loops_count_from_the_intended_start(void **state)
{
	const struct recorder_config config = rig_config(0, true);
	struct recorder_ring *ring = rig_ring(&config);
	struct collector *collector = collector_of(&ring, 1, 0);
	const struct op_tally *op;

	/* a stall of 1 s at 1000 I/O per second: all wait, then each takes 100 us */
	rig_submit(ring, 0, 1000);
	recorder_batch_begin(ring);
	for (uint64_t i = 0; i < 1000; i++) {
		const uint64_t submit_ns = RIG_START + RIG_SECOND + i * 100000;
		const struct io io = { .op = IO_READ, .bytes = 4096, .intent_ns = RIG_START + i * RIG_MS };
		const struct io_done done = { .result = 4096, .submit_ns = submit_ns, .done_ns = submit_ns + 100000 };

		inflight_set(ring, &io, done.submit_ns);
		recorder_complete(ring, &done, 1);
	}
	recorder_batch_end(ring, 1000);
	collector_finish(collector, RIG_START + 2 * RIG_SECOND);
	while (collector_next(collector, 0, &(struct collected){ 0 }) > 0)
		;
	op = &collector_total(collector)->op[IO_READ];
	assert_int_equal(op->service.moments.max_ns, 100000);
	assert_int_equal(op->response.moments.n, 1000);
	assert_int_equal(op->lateness.moments.n, 1000);
	assert_int_equal(op->response.moments.max_ns, RIG_SECOND + 100000);
	assert_in_range(histogram_percentile(&op->response, 0.5), 540 * RIG_MS, 560 * RIG_MS);
	assert_int_equal(op->slow[0], 1000);
	collector_free(collector);
	free(ring);
}

static void in_flight_is_integrated_over_time(void **state)
{
	const struct recorder_config config = rig_config(0, false);
	struct recorder_ring *ring = rig_ring(&config);
	struct collector *collector = collector_of(&ring, 1, 0);

	rig_submit(ring, 0, 4);
	rig_done(ring, IO_READ, 0, RIG_SECOND / 2, 4096);	/* 4 for half a second, then 3 until 2.5 s */
	assert_true(next_interval(collector, RIG_SECOND).tally->in_flight_ns == 3.5e9);
	assert_true(next_interval(collector, 2 * RIG_SECOND).tally->in_flight_ns == 3e9);
	rig_done(ring, IO_READ, 0, 5 * RIG_SECOND / 2, 4096);	/* then 2 */
	assert_true(next_interval(collector, 3 * RIG_SECOND).tally->in_flight_ns == 2.5e9);
	collector_free(collector);
	free(ring);
}

static int slowest_first(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

static void the_slowest_of_an_interval_are_really_the_slowest(void **state)
{
	const struct recorder_config configs[2] = { rig_config(0, false), rig_config(1, false) };
	struct recorder_ring *rings[2] = { rig_ring(&configs[0]), rig_ring(&configs[1]) };
	struct collector *collector = collector_of(rings, 2, 0);
	struct random random;
	uint64_t time_ns = 0;

	random_init(&random, 1, 1);
	for (int round = 0; round < 5; round++) {
		uint64_t took[2000], now_ns = (uint64_t)(round + 1) * RIG_SECOND;
		struct collected got;

		for (int i = 0; i < 2000; i++) {
			took[i] = 1 + random_below(&random, 9 * RIG_MS);
			time_ns = now_ns - RIG_SECOND + 10 * RIG_MS + (uint64_t)i * 10000;
			rig_io(rings[i & 1], IO_READ, time_ns - took[i], time_ns);
		}
		qsort(took, 2000, sizeof(took[0]), slowest_first);
		got = next_interval(collector, now_ns);
		assert_int_equal(got.top_count, RECORDER_TOP);
		for (uint32_t i = 0; i < RECORDER_TOP; i++) {
			assert_int_equal(got.top[i].response_ns, took[i]);
			assert_int_equal(got.top[i].flags, LOGGED_TOP);
		}
	}
	collector_free(collector);
	free(rings[0]);
	free(rings[1]);
}

static void outliers_beyond_the_log_are_counted(void **state)
{
	struct recorder_config config = rig_config(0, false);
	struct recorder_ring *ring;
	struct collector *collector;
	struct collector_facts facts;
	static struct logged_io ios[EVENT_LOG_ENTRIES + 10];
	struct collected got;

	config.outlier_threshold_ns = 50000;
	ring = rig_ring(&config);
	collector = collector_of(&ring, 1, 0);
	for (uint64_t i = 0; i < EVENT_LOG_ENTRIES + 100; i++)
		rig_io(ring, IO_WRITE, i * 1000, i * 1000 + 50000 + i);
	rig_io(ring, IO_WRITE, 0, 49999);
	got = next_interval(collector, RIG_SECOND);
	assert_int_equal(collector_take_outliers(collector, ios, EVENT_LOG_ENTRIES + 10), EVENT_LOG_ENTRIES);
	collector_facts(collector, &facts);
	assert_int_equal(facts.outliers_seen, EVENT_LOG_ENTRIES + 100);
	assert_int_equal(ring->outliers.dropped, 100);
	assert_int_equal(got.top_count, RECORDER_TOP);		/* the slowest came last: dropped, but kept as such */
	assert_int_equal(got.top[0].flags, 0);
	assert_int_equal(facts.outliers_kept, EVENT_LOG_ENTRIES + RECORDER_TOP);
	for (uint64_t i = 0; i < EVENT_LOG_ENTRIES; i++)
		assert_int_equal(ios[i].service_ns, 50000 + i);
	collector_free(collector);
	free(ring);
}

static void the_threshold_follows_the_median(void **state)
{
	const struct recorder_config config = rig_config(0, false);
	struct recorder_ring *ring = rig_ring(&config);
	struct collector *collector = collector_of(&ring, 1, 0);

	assert_int_equal(ring->threshold_ns, 10 * RIG_MS);
	rig_io(ring, IO_READ, 0, 2 * RIG_MS);
	next_interval(collector, RIG_SECOND);
	rig_io(ring, IO_READ, 2 * RIG_SECOND, 2 * RIG_SECOND + RIG_MS);
	assert_int_equal(ring->threshold_ns, 40 * RIG_MS);
	collector_free(collector);
	free(ring);
}

/* 1000 of 10 to 20 ms, one of 15 ms that fails; returns how many of them are in the log. */
static uint32_t slow_second(struct recorder_ring *ring, struct collector *collector, uint64_t index, uint64_t *ret_least_ns,
			    uint32_t *ret_failed)
{
	static struct logged_io ios[EVENT_LOG_ENTRIES];
	const uint64_t start_ns = index * RIG_SECOND;
	uint32_t count;

	for (uint64_t i = 0; i < 1000; i++)
		rig_io(ring, IO_READ, start_ns + i * 900000, start_ns + i * 900000 + 10 * RIG_MS + i * 10000);
	rig_submit(ring, start_ns + 950 * RIG_MS, 1);
	rig_done(ring, IO_READ, start_ns + 950 * RIG_MS, start_ns + 965 * RIG_MS, -EIO);
	next_interval(collector, start_ns + RIG_SECOND);
	count = collector_take_outliers(collector, ios, EVENT_LOG_ENTRIES);
	*ret_least_ns = UINT64_MAX;
	*ret_failed = 0;
	for (uint32_t i = 0; i < count; i++) {
		*ret_failed += ios[i].result < 0;
		if (ios[i].result >= 0 && ios[i].service_ns < *ret_least_ns)
			*ret_least_ns = ios[i].service_ns;
	}
	return count;
}

static void where_many_are_slow_the_slowest_of_a_second_are_kept(void **state)
{
	const struct recorder_config config = rig_config(0, false);
	struct recorder_ring *ring = rig_ring(&config);
	struct collector *collector = collector_of(&ring, 1, 0);
	struct collector_facts facts;
	uint64_t least_ns;
	uint32_t failed;

	for (uint64_t i = 0; i < 20000; i++) /* the median stays low */
		rig_io(ring, IO_READ, i * 1000, i * 1000 + 100000);
	next_interval(collector, RIG_SECOND);
	assert_int_equal(slow_second(ring, collector, 1, &least_ns, &failed), 1001);
	ring->p50_ns = 0;
	assert_in_range(slow_second(ring, collector, 2, &least_ns, &failed), 200, 260);
	assert_in_range(least_ns, 17400000, 17800000); /* the 256 slowest begin at 17.44 ms */
	assert_int_equal(failed, 1);
	collector_facts(collector, &facts);
	assert_int_equal(facts.outliers_seen, 2002);
	for (uint64_t i = 0; i < 100; i++) /* few again: all are kept again */
		rig_io(ring, IO_READ, 3 * RIG_SECOND + i * 1000, 3 * RIG_SECOND + i * 1000 + 11 * RIG_MS);
	next_interval(collector, 4 * RIG_SECOND);
	ring->p50_ns = 0;
	rig_io(ring, IO_READ, 4 * RIG_SECOND, 4 * RIG_SECOND + 11 * RIG_MS);
	assert_int_equal(ring->keep_ns, 10 * RIG_MS);
	collector_free(collector);
	free(ring);
}

static uint32_t samples_of_interval(struct recorder_ring *ring, struct collector *collector, uint64_t index)
{
	static struct logged_io ios[EVENT_LOG_ENTRIES];

	for (uint64_t i = 0; i < 500000; i++)
		rig_io(ring, IO_READ, index * RIG_SECOND + i * 2000, index * RIG_SECOND + i * 2000 + 500);
	next_interval(collector, (index + 1) * RIG_SECOND);
	return collector_take_samples(collector, ios, EVENT_LOG_ENTRIES);
}

static void samples_are_bounded_from_the_first_second_on(void **state)
{
	const struct recorder_config config = rig_config(0, false);
	struct recorder_ring *ring = rig_ring(&config);
	const struct collector_config collect = { .rings = &ring, .ring_count = 1, .samples_per_second = 1000 };
	struct collector *collector;
	struct collector_facts facts;

	assert_int_equal(collector_new(&collect, &collector), 0);
	assert_in_range(samples_of_interval(ring, collector, 0), 1000, EVENT_LOG_ENTRIES);
	assert_int_equal(ring->samples.dropped > 0, 1);		/* the first second starts with every I/O */
	assert_in_range(samples_of_interval(ring, collector, 1), 900, 1100);
	assert_in_range(samples_of_interval(ring, collector, 2), 900, 1000);
	collector_facts(collector, &facts);
	assert_int_equal(facts.samples_every, 501);
	collector_free(collector);
	free(ring);
}

/* A collector on a busy computer comes a quarter of a second late: that must not join intervals of 10 ms. */
static void short_intervals_bear_a_collector_that_is_late(void **state)
{
	struct recorder_config config = rig_config(0, false);
	struct recorder_ring *ring;
	struct collector *collector;

	assert_int_equal(recorder_count(&config), RECORDERS_LEAST);
	config.interval_ns = 10 * RIG_MS;
	assert_int_equal(recorder_count(&config), RECORDERS_MOST);
	ring = rig_ring(&config);
	collector = collector_of(&ring, 1, 0);
	for (uint64_t i = 0; i < 26; i++)
		rig_io(ring, IO_READ, i * 10 * RIG_MS, i * 10 * RIG_MS + 1000);
	for (int i = 0; i < 25; i++) {
		const struct collected got = next_interval(collector, 260 * RIG_MS);

		assert_int_equal(got.tally->spans, 1);
		assert_int_equal(tally_ios(got.tally), 1);
	}
	collector_free(collector);
	free(ring);
}

/* Memory of thousands of workers: operations that won't come take none, and what comes is counted as ever. */
static void operations_that_do_not_come_are_not_touched(void **state)
{
	struct recorder_config config = rig_config(0, false);
	struct recorder_ring *ring;
	struct collector *collector;

	config.ops = 1u << IO_READ | 1u << IO_FSYNC;
	ring = rig_ring(&config);
	collector = collector_of(&ring, 1, 0);
	for (uint64_t i = 0; i < 4000; i++)
		rig_io(ring, i % 8 ? IO_READ : IO_FSYNC, i * RIG_MS, i * RIG_MS + 1000);
	for (int second = 0; second < 3; second++)
		assert_int_equal(tally_ios(next_interval(collector, 3 * RIG_SECOND).tally), 1000);
	collector_finish(collector, RIG_START + 4 * RIG_SECOND);
	while (collector_next(collector, 0, &(struct collected){ 0 }) > 0)
		;
	assert_int_equal(collector_total(collector)->op[IO_READ].ios, 3500);
	assert_int_equal(collector_total(collector)->op[IO_FSYNC].ios + collector_total(collector)->op[IO_FSYNC].errors, 500);
	assert_int_equal(collector_total(collector)->op[IO_WRITE].ios, 0);
	for (uint64_t i = 0; i < ring->recorders; i++) {
		assert_true(recorder_ring_at(ring, i)->op[IO_READ].service.moments.min_ns > 0);
		assert_int_equal(recorder_ring_at(ring, i)->op[IO_WRITE].service.moments.min_ns, 0);
		assert_int_equal(recorder_ring_at(ring, i)->op[IO_TRIM].service.moments.min_ns, 0);
	}
	collector_free(collector);
	free(ring);
}

/* Memory of thousands of workers: what a log doesn't use isn't touched. */
static void a_log_of_few_samples_stays_small(void **state)
{
	struct recorder_config config = rig_config(0, false);
	struct recorder_ring *ring;
	struct logged_io ios[256];
	const struct logged_io io = { .offset = 7 };

	config.samples_per_second = 10;
	ring = rig_ring(&config);
	for (int round = 0; round < 1000; round++) {
		for (uint32_t i = 0; i < 100; i++)
			assert_int_equal(event_log_push(&ring->samples, &io), 0);
		assert_int_equal(event_log_take(&ring->samples, ios, 256), 100);
	}
	assert_int_equal(ring->samples.entry[127].offset, 7);
	assert_int_equal(ring->samples.entry[128].offset, 0);
	for (uint32_t i = 0; i < 128; i++)
		assert_int_equal(event_log_push(&ring->samples, &io), 0);
	assert_int_equal(event_log_push(&ring->samples, &io), -ENOSPC);
	assert_int_equal(ring->samples.dropped, 1);
	free(ring);
}

static void no_samples_means_none(void **state)
{
	struct recorder_config config = rig_config(0, false);
	struct recorder_ring *ring;

	config.samples_per_second = 0;
	ring = rig_ring(&config);
	for (uint64_t i = 0; i < 1000; i++)
		rig_io(ring, IO_READ, i * 10 * RIG_MS, i * 10 * RIG_MS + 500);
	assert_int_equal(ring->samples.head, 0);
	free(ring);
}

/* Completions of several kinds, some failed, slow or beyond the histogram, many submitted together, all at
 * one moment. */
static uint32_t random_batch(struct random *random, struct recorder_ring *ring, struct io_done *done,
			     uint64_t now_ns)
{
	const uint32_t count = 1 + (uint32_t)random_below(random, 64);
	uint64_t service_ns = 0;

	for (uint32_t i = 0; i < count; i++) {
		const enum io_op op = (enum io_op)random_below(random, IO_OPS);
		const struct io io = { .op = (uint8_t)op, .slot = (uint16_t)i, .offset = i * 4096,
				       .bytes = op <= IO_TRIM ? 4096 : 0 };
		const int32_t good = op <= IO_WRITE ? 4096 : 0;

		if (i == 0 || random_below(random, 4) == 0)
			service_ns = random_below(random, 100) ? random_below(random, 1ull << 26) : 5ull << 42;
		done[i] = (struct io_done){ .slot = (uint16_t)i, .result = random_below(random, 50) ? good : -5,
					    .submit_ns = now_ns - service_ns, .done_ns = now_ns };
		inflight_set(ring, &io, done[i].submit_ns);
	}
	return count;
}

static void a_batch_is_recorded_like_its_ios_one_by_one(void **state)
{
	const struct recorder_config config = rig_config(0, false);
	struct recorder_ring *together = rig_ring(&config), *apart = rig_ring(&config);
	const uint64_t bytes = together->recorder_bytes;
	struct random a, b;

	random_init(&a, 11, 0);
	random_init(&b, 11, 0);
	for (uint64_t now_ns = RIG_START + 100 * RIG_MS; now_ns < RIG_START + 900 * RIG_MS; now_ns += 7 * RIG_MS) {
		struct io_done done[64];
		uint32_t count = random_batch(&a, together, done, now_ns);

		recorder_batch_begin(together);
		recorder_complete(together, done, count);
		recorder_batch_end(together, 0);
		random_batch(&b, apart, done, now_ns);
		recorder_batch_begin(apart);
		recorder_complete_each(apart, done, count);
		recorder_batch_end(apart, 0);
		assert_int_equal(inflight_count(together), 0);
	}
	assert_memory_equal(recorder_ring_at(together, 0), recorder_ring_at(apart, 0), bytes);
	assert_int_equal(together->sample_countdown, apart->sample_countdown);
	assert_int_equal(together->samples.head, apart->samples.head);
	assert_true(together->samples.head > 10);
	assert_int_equal(together->outliers.head, apart->outliers.head);
	free(together);
	free(apart);
}

static void same_ring(const struct recorder_ring *a, const struct recorder_ring *b)
{
	struct recorder_state states[2];

	assert_int_equal(recorder_peek(a, &states[0], false), 0);
	assert_int_equal(recorder_peek(b, &states[1], false), 0);
	assert_int_equal(states[0].seq, states[1].seq);
	assert_int_equal(states[0].head, states[1].head);
	assert_int_equal(states[0].in_flight_ns, states[1].in_flight_ns);
	assert_int_equal(states[0].settled_ns, states[1].settled_ns);
	assert_int_equal(states[0].quiet_since_ns, states[1].quiet_since_ns);
	assert_int_equal(states[0].busy_since_ns, states[1].busy_since_ns);
	assert_int_equal(states[0].in_flight, states[1].in_flight);
	assert_int_equal(a->sample_countdown, b->sample_countdown);
	assert_int_equal(a->samples.head, b->samples.head);
	assert_int_equal(a->outliers.head, b->outliers.head);
	assert_int_equal(a->quiet.head, b->quiet.head);
}

/* For some times in all units, some failures and pauses, over several intervals. */
static void a_queue_of_one_is_recorded_like_batches_of_one(void **state)
{
	const struct recorder_config config = rig_config(0, false);
	struct recorder_ring *single = rig_ring(&config), *batches = rig_ring(&config);
	uint64_t now_ns = RIG_START;
	struct random random;

	random_init(&random, 5, 0);
	for (uint32_t i = 0; i < 100000; i++) {
		const enum io_op op = (enum io_op)random_below(&random, IO_OPS);
		const int32_t good = op <= IO_WRITE ? 4096 : 0;
		const struct io io = { .op = (uint8_t)op, .offset = i * 4096, .bytes = op <= IO_TRIM ? 4096 : 0 };
		struct io_done done = { .result = random_below(&random, 500) ? good : -5 };

		now_ns += random_below(&random, 1000) ? random_below(&random, 2000) : random_below(&random, 5 * RIG_MS);
		done.submit_ns = now_ns;
		now_ns += random_below(&random, 1ull << random_below(&random, 25));
		done.done_ns = now_ns;
		inflight_set(single, &io, done.submit_ns);
		recorder_single_begin(single, done.submit_ns);
		inflight_set(batches, &io, done.submit_ns);
		recorder_submitted(batches, done.submit_ns, 1);
		same_ring(single, batches);
		recorder_single_end(single, &done);
		recorder_batch_begin(batches);
		recorder_complete(batches, &done, 1);
		recorder_batch_end(batches, 1);
		same_ring(single, batches);
		assert_int_equal(inflight_count(single), 0);
	}
	assert_true(single->head > 0 && single->samples.head > 100 && single->outliers.head > 100 && single->quiet.head > 10);
	for (uint64_t i = 0; i < single->recorders; i++)
		assert_memory_equal(recorder_ring_at(single, i), recorder_ring_at(batches, i),
				    single->recorder_bytes);
	free(single);
	free(batches);
}

static void the_oldest_in_flight_is_found(void **state)
{
	const struct recorder_config config = rig_config(0, false);
	struct recorder_ring *ring = rig_ring(&config);
	const struct io a = { .slot = 3, .op = IO_WRITE, .bytes = 8192, .offset = 1 << 20 };
	const struct io b = { .slot = 63, .op = IO_READ, .bytes = 4096, .offset = 77 * 4096 };
	struct inflight oldest;

	assert_false(inflight_oldest(ring, &oldest));
	inflight_set(ring, &a, 2000);
	inflight_set(ring, &b, 1000);
	assert_int_equal(inflight_count(ring), 2);
	assert_true(inflight_oldest(ring, &oldest));
	assert_int_equal(oldest.offset, 77 * 4096);
	inflight_clear(ring, 63);
	assert_true(inflight_oldest(ring, &oldest));
	assert_int_equal(oldest.op, IO_WRITE);
	assert_int_equal(oldest.bytes, 8192);
	assert_int_equal(oldest.submit_ns, 2000);
	free(ring);
}

static void a_clock_step_back_does_no_harm(void **state)
{
	const struct recorder_config config = rig_config(0, false);
	struct recorder_ring *ring = rig_ring(&config);
	struct collector *collector = collector_of(&ring, 1, 0);
	const struct op_tally *op;

	rig_io(ring, IO_READ, 5000, 6000);
	rig_io(ring, IO_READ, 5500, 5400);		/* done before it was submitted */
	op = &next_interval(collector, RIG_SECOND).tally->op[IO_READ];
	assert_int_equal(op->ios, 2);
	assert_int_equal(op->service.moments.min_ns, 0);
	assert_int_equal(op->service.moments.over_range, 0);
	assert_int_equal(ring->quiet.head, 0);
	collector_free(collector);
	free(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_io_belongs_to_the_interval_of_its_completion),
		cmocka_unit_test(slow_buckets_have_exact_bounds),
		cmocka_unit_test(errors_are_counted_apart_and_logged),
		cmocka_unit_test(trims_count_the_bytes_they_were_given),
		cmocka_unit_test(open_loops_count_from_the_intended_start),
		cmocka_unit_test(in_flight_is_integrated_over_time),
		cmocka_unit_test(the_slowest_of_an_interval_are_really_the_slowest),
		cmocka_unit_test(outliers_beyond_the_log_are_counted),
		cmocka_unit_test(the_threshold_follows_the_median),
		cmocka_unit_test(where_many_are_slow_the_slowest_of_a_second_are_kept),
		cmocka_unit_test(samples_are_bounded_from_the_first_second_on),
		cmocka_unit_test(short_intervals_bear_a_collector_that_is_late),
		cmocka_unit_test(operations_that_do_not_come_are_not_touched),
		cmocka_unit_test(a_log_of_few_samples_stays_small),
		cmocka_unit_test(no_samples_means_none),
		cmocka_unit_test(a_batch_is_recorded_like_its_ios_one_by_one),
		cmocka_unit_test(a_queue_of_one_is_recorded_like_batches_of_one),
		cmocka_unit_test(the_oldest_in_flight_is_found),
		cmocka_unit_test(a_clock_step_back_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
