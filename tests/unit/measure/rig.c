#include <stdlib.h>
#include <string.h>
#include "rig.h"

struct recorder_config rig_config(uint16_t worker, bool open_loop)
{
	return (struct recorder_config){
		.start_ns = RIG_START, .interval_ns = RIG_SECOND, .samples_per_second = 1000, .depth = 64,
		.worker = worker, .load = 3, .open_loop = open_loop,
	};
}

struct recorder_ring *rig_ring(const struct recorder_config *config)
{
	const uint64_t bytes = recorder_ring_bytes(config);
	void *memory = aligned_alloc(64, bytes);

	assert_non_null(memory);
	memset(memory, 0, bytes);
	return recorder_ring_init(memory, config);
}

void rig_submit(struct recorder_ring *ring, uint64_t submit_ns, uint32_t count)
{
	recorder_submitted(ring, RIG_START + submit_ns, count);
}

void rig_done(struct recorder_ring *ring, enum io_op op, uint64_t submit_ns, uint64_t done_ns, int32_t result)
{
	const struct io io = { .op = (uint8_t)op, .bytes = 4096, .offset = done_ns, .slot = 1 };
	const struct io_done done = { .slot = 1, .result = result, .submit_ns = RIG_START + submit_ns,
				      .done_ns = RIG_START + done_ns };

	recorder_batch_begin(ring);
	inflight_set(ring, &io, done.submit_ns);
	recorder_complete(ring, &done, 1);
	recorder_batch_end(ring, 1);
}

void rig_io(struct recorder_ring *ring, enum io_op op, uint64_t submit_ns, uint64_t done_ns)
{
	rig_submit(ring, submit_ns, 1);
	rig_done(ring, op, submit_ns, done_ns, 4096);
}

void rig_expect(struct op_tally *truth, uint64_t service_ns, int32_t result)
{
	for (uint32_t i = 0; i < SLOW_BUCKETS; i++)
		truth->slow[i] += service_ns >= slow_bucket_ns[i];
	if (result < 0) {
		truth->errors++;
		return;
	}
	truth->ios++;
	truth->bytes += (uint64_t)result;
	histogram_record(&truth->service, service_ns);
}

void rig_same_histogram(const struct histogram *a, const struct histogram *b)
{
	assert_int_equal(a->moments.n, b->moments.n);
	assert_int_equal(a->moments.sum_ns, b->moments.sum_ns);
	assert_int_equal(a->moments.min_ns, b->moments.min_ns);
	assert_int_equal(a->moments.max_ns, b->moments.max_ns);
	assert_int_equal(a->moments.over_range, b->moments.over_range);
	assert_true(a->moments.sum_squares_ns2 == b->moments.sum_squares_ns2);
	assert_memory_equal(a->slot, b->slot, sizeof(a->slot));
}

void rig_same_counts(const struct tally *a, const struct tally *b)
{
	for (uint32_t op = 0; op < IO_OPS; op++) {
		assert_int_equal(a->op[op].ios, b->op[op].ios);
		assert_int_equal(a->op[op].bytes, b->op[op].bytes);
		assert_int_equal(a->op[op].errors, b->op[op].errors);
		assert_memory_equal(a->op[op].slow, b->op[op].slow, sizeof(a->op[op].slow));
		rig_same_histogram(&a->op[op].service, &b->op[op].service);
		rig_same_histogram(&a->op[op].response, &b->op[op].response);
		rig_same_histogram(&a->op[op].lateness, &b->op[op].lateness);
	}
}

struct tally *rig_tally_new(void)
{
	struct tally *tally = calloc(1, sizeof(*tally));

	assert_non_null(tally);
	tally_clear(tally);
	return tally;
}
