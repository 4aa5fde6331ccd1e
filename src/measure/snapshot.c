/* A copy of the interval that a worker is still recording. */
#include <errno.h>
#include <stddef.h>
#include "measure/recorder.h"

#define SNAPSHOT_TRIES 1000

/* The functions below read what the worker may be writing; `seq` tells afterwards whether they may be
 * believed. The thread sanitizer knows nothing of that, so they are left out of it. */
#define READS_UNDER_SEQ __attribute__((no_sanitize("thread"), noinline))

READS_UNDER_SEQ static void copy_words(void *to, const void *from, size_t bytes)
{
	uint32_t *target = to;
	const volatile uint32_t *source = from;

	for (size_t i = 0; i < bytes / sizeof(*target); i++)
		target[i] = source[i];
}

READS_UNDER_SEQ static void copy_recording(struct recording *copy, const struct recording *source)
{
	uint32_t first, last;

	copy_words(&copy->moments, &source->moments, sizeof(copy->moments));
	if (copy->moments.n == 0 || copy->moments.min_ns > copy->moments.max_ns) {
		moments_clear(&copy->moments);
		return;
	}
	first = histogram_slot(copy->moments.min_ns);
	last = histogram_slot(copy->moments.max_ns);
	copy_words(&copy->slot[first], &source->slot[first], (last - first + 1) * sizeof(copy->slot[0]));
}

READS_UNDER_SEQ static void copy_recorder(struct recorder *copy, const struct recorder *source,
					  bool open_loop)
{
	copy_words(&copy->first_index, &source->first_index, sizeof(uint64_t));
	copy_words(&copy->last_index, &source->last_index, sizeof(uint64_t));
	copy_words(&copy->top_count, &source->top_count, sizeof(uint32_t));
	if (copy->top_count > RECORDER_TOP)
		copy->top_count = RECORDER_TOP;
	copy_words(copy->top, source->top, copy->top_count * sizeof(copy->top[0]));
	copy_words(&copy->ops, &source->ops, sizeof(copy->ops));
	for (uint32_t op = 0; op < IO_OPS; op++) {
		if (!(copy->ops >> op & 1))
			continue;
		copy_words(&copy->op[op], &source->op[op], offsetof(struct op_record, service));
		copy_recording(&copy->op[op].service, &source->op[op].service);
		if (open_loop) {
			copy_recording(&copy->delay[op].response, &source->delay[op].response);
			copy_recording(&copy->delay[op].lateness, &source->delay[op].lateness);
		}
	}
}

READS_UNDER_SEQ static void copy_state(const struct recorder_ring *ring, struct recorder_state *state)
{
	state->head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
	copy_words(&state->in_flight_ns, &ring->in_flight_ns, sizeof(uint64_t));
	copy_words(&state->settled_ns, &ring->settled_ns, sizeof(uint64_t));
	copy_words(&state->quiet_since_ns, &ring->quiet_since_ns, sizeof(uint64_t));
	copy_words(&state->busy_since_ns, &ring->busy_since_ns, sizeof(uint64_t));
	copy_words(&state->in_flight, &ring->in_flight, sizeof(uint32_t));
}

/* One attempt; `copy` may be NULL. */
static bool try_snapshot(const struct recorder_ring *ring, struct recorder *copy,
			 struct recorder_state *state, bool torn_ok)
{
	state->seq = __atomic_load_n(&ring->seq, __ATOMIC_ACQUIRE);
	if ((state->seq & 1) && !torn_ok)
		return false;
	copy_state(ring, state);
	if (copy)
		copy_recorder(copy, recorder_ring_at(ring, state->head), ring->config.open_loop);
#ifdef __SANITIZE_THREAD__
	return torn_ok || __atomic_fetch_add((uint64_t *)&ring->seq, 0, __ATOMIC_ACQ_REL) == state->seq;
#else
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return torn_ok || __atomic_load_n(&ring->seq, __ATOMIC_RELAXED) == state->seq;
#endif
}

/* Makes n, sum, min and max agree with the slots: a worker that died in mid-write leaves them one I/O
 * apart. */
static void recording_mend(struct recording *recording)
{
	struct moments *moments = &recording->moments;
	uint64_t counted = 0;

	if (moments->n == 0)
		return;
	for (uint32_t i = histogram_slot(moments->min_ns); i <= histogram_slot(moments->max_ns); i++)
		counted += recording->slot[i];
	moments->n = counted;
	if (counted == 0)
		moments_clear(moments);
	else if (moments->over_range > recording->slot[HISTOGRAM_SLOTS - 1])
		moments->over_range = recording->slot[HISTOGRAM_SLOTS - 1];
}

static void recorder_mend(struct recorder *recorder, bool open_loop)
{
	for (uint32_t op = 0; op < IO_OPS; op++) {
		if (!(recorder->ops >> op & 1))
			continue;
		recording_mend(&recorder->op[op].service);
		if (open_loop) {
			recording_mend(&recorder->delay[op].response);
			recording_mend(&recorder->delay[op].lateness);
		}
	}
}

int recorder_snapshot(const struct recorder_ring *ring, struct recorder *copy,
		      struct recorder_state *ret_state, bool torn_ok)
{
	struct recorder_state state;

	for (int tries = 0; tries < SNAPSHOT_TRIES; tries++) {
		if (try_snapshot(ring, copy, &state, false)) {
			*ret_state = state;
			return 0;
		}
		if (copy)
			recorder_clear(copy, ring->config.open_loop);
	}
	if (!torn_ok)
		return -EAGAIN;
	try_snapshot(ring, copy, ret_state, true);
	if (copy)
		recorder_mend(copy, ring->config.open_loop);
	return 0;
}

int recorder_peek(const struct recorder_ring *ring, struct recorder_state *ret_state, bool torn_ok)
{
	return recorder_snapshot(ring, NULL, ret_state, torn_ok);
}
