#include <string.h>
#include "measure/recorder.h"
#include "measure/slowest.h"

#define SAMPLE_EVERY_MAX (1u << 30)
#define SAMPLE_SECONDS 3u		/* that the log holds: the first second has more than asked for */
#define SAMPLES_LEAST 64u

static uint64_t round_up_64(uint64_t bytes)
{
	return (bytes + 63) & ~63ull;
}

static uint64_t recorder_bytes(bool open_loop)
{
	return round_up_64(sizeof(struct recorder) + (open_loop ? IO_OPS * sizeof(struct op_delay) : 0));
}

uint32_t recorder_count(const struct recorder_config *config)
{
	uint32_t count = RECORDERS_LEAST;

	while (count < RECORDERS_MOST && count * config->interval_ns < RECORDERS_SPAN_NS)
		count *= 2;
	return count;
}

uint64_t recorder_ring_bytes(const struct recorder_config *config)
{
	return round_up_64(sizeof(struct recorder_ring)) + recorder_count(config) * recorder_bytes(config->open_loop) +
	       round_up_64((uint64_t)config->depth * sizeof(struct inflight));
}

static uint64_t minimum(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint32_t samples_per_interval(const struct recorder_config *config)
{
	double samples = (double)config->samples_per_second * (double)config->interval_ns / 1e9;

	return samples < 1 ? 1 : samples > 1e9 ? 1000000000u : (uint32_t)samples;
}

/* Without samples the count is only looked at every 2^32 - 1 I/Os. */
static void sample_rearm(struct recorder_ring *ring)
{
	ring->sample_countdown = ring->sample_every_now ? ring->sample_every_now : UINT32_MAX;
}

/* The lowest time at which recorder_slow has something to do: cheap to compare, exact. */
static void ring_set_gate(struct recorder_ring *ring)
{
	const struct recorder *recorder = ring->current;
	const uint64_t gate_ns = minimum(RECORDER_SLOW_NS, ring->threshold_ns);
	const uint64_t top_ns = recorder->top_count < RECORDER_TOP ? 0 : recorder->top[0].response_ns + 1;

	ring->gate_ns = minimum(gate_ns, top_ns);
}

static void ring_start_interval(struct recorder_ring *ring)
{
	const uint32_t every = __atomic_load_n(&ring->sample_every, __ATOMIC_RELAXED);
	const uint64_t p50_ns = __atomic_load_n(&ring->p50_ns, __ATOMIC_RELAXED);
	const uint64_t keep_from_ns = __atomic_load_n(&ring->keep_from_ns, __ATOMIC_RELAXED);

	if (ring->config.outlier_threshold_ns > 0)
		ring->threshold_ns = ring->keep_ns = ring->config.outlier_threshold_ns;
	else {
		ring->threshold_ns = 20 * p50_ns > RECORDER_SLOW_NS ? 20 * p50_ns : RECORDER_SLOW_NS;
		ring->keep_ns = keep_from_ns > ring->threshold_ns ? keep_from_ns : ring->threshold_ns;
	}
	ring_set_gate(ring);
	ring->samples_left = samples_per_interval(&ring->config);
	if (every > 0 && every != ring->sample_every_now && ring->config.samples_per_second > 0) {
		ring->sample_every_now = every;
		sample_rearm(ring);
	}
}

void recorder_ring_start(struct recorder_ring *ring, uint64_t start_ns)
{
	ring->config.start_ns = start_ns;
	ring->boundary_ns = start_ns + ring->config.interval_ns;
	ring->settled_ns = start_ns;
	ring->quiet_since_ns = start_ns;
}

struct recorder_ring *recorder_ring_init(void *memory, const struct recorder_config *config)
{
	struct recorder_ring *ring = memory;

	ring->config = *config;
	ring->open_loop = config->open_loop;
	event_log_init(&ring->outliers, EVENT_LOG_ENTRIES);
	event_log_init(&ring->samples, SAMPLE_SECONDS * config->samples_per_second + SAMPLES_LEAST);
	ring->recorder_bytes = recorder_bytes(config->open_loop);
	ring->recorders = recorder_count(config);
	for (uint32_t i = 0; i < ring->recorders; i++) {
		recorder_ring_at(ring, i)->ops = recorder_ops(config);
		recorder_clear(recorder_ring_at(ring, i), config->open_loop);
	}
	ring->inflight = (struct inflight *)((char *)recorder_ring_at(ring, 0) +
					     ring->recorders * ring->recorder_bytes);
	for (uint32_t i = 0; i < config->depth; i++)
		ring->inflight[i].submit_ns = INFLIGHT_NONE;
	ring->current = recorder_ring_at(ring, 0);
	recorder_ring_start(ring, config->start_ns);
	ring->busy_since_ns = UINT64_MAX;
	ring->sample_every_now = config->samples_per_second > 0 ? 1 : 0;
	sample_rearm(ring);
	ring_start_interval(ring);
	return ring;
}

static void recording_init(struct recording *recording)
{
	if (recording->moments.n > 0)
		recording_clear(recording);
	else
		moments_clear(&recording->moments);
}

void recorder_clear(struct recorder *recorder, bool open_loop)
{
	recorder->first_index = recorder->last_index = 0;
	recorder->in_flight_ns = recorder->in_flight_after = 0;
	recorder->top_count = 0;
	for (uint32_t op = 0; op < IO_OPS; op++) {
		struct op_record *record = &recorder->op[op];

		if (!(recorder->ops >> op & 1))
			continue;
		record->bytes = record->errors = 0;
		memset(record->slow, 0, sizeof(record->slow));
		recording_init(&record->service);
		if (open_loop) {
			recording_init(&recorder->delay[op].response);
			recording_init(&recorder->delay[op].lateness);
		}
	}
}

static void ring_hand_over(struct recorder_ring *ring, uint64_t next_index)
{
	struct recorder *next = recorder_ring_at(ring, ring->head + 1);

	ring->current->in_flight_ns = ring->in_flight_ns;
	ring->current->in_flight_after = ring->in_flight;
	next->first_index = next_index;
	__atomic_store_n(&next->last_index, next_index, __ATOMIC_RELAXED);
	ring->current = next;
	__atomic_store_n(&ring->head, ring->head + 1, __ATOMIC_RELEASE);
}

/* Ends the current recorder before the interval of now_ns, when the collector has left room for another. */
void recorder_cross(struct recorder_ring *ring, uint64_t now_ns)
{
	const struct recorder_config *config = &ring->config;
	const uint64_t index = (now_ns - config->start_ns) / config->interval_ns;
	const uint64_t tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);

	recorder_settle(ring, ring->boundary_ns);
	if (ring->head - tail < ring->recorders - 1)
		ring_hand_over(ring, index);
	else
		__atomic_store_n(&ring->current->last_index, index, __ATOMIC_RELAXED);
	ring->boundary_ns = config->start_ns + (index + 1) * config->interval_ns;
	ring_start_interval(ring);
}

static void quiet_log_push(struct quiet_log *log, const struct quiet *quiet)
{
	if (log->head - __atomic_load_n(&log->tail, __ATOMIC_ACQUIRE) == QUIET_LOG_ENTRIES) {
		__atomic_store_n(&log->dropped, log->dropped + 1, __ATOMIC_RELAXED);
		return;
	}
	log->entry[log->head & (QUIET_LOG_ENTRIES - 1)] = *quiet;
	__atomic_store_n(&log->head, log->head + 1, __ATOMIC_RELEASE);
}

void recorder_quiet(struct recorder_ring *ring, uint64_t done_ns)
{
	struct quiet quiet = { .from_ns = ring->quiet_since_ns, .to_ns = done_ns };

	if (done_ns <= ring->quiet_since_ns)	/* an earlier one reported later: time does not go back */
		return;
	quiet.busy_ns = ring->busy_since_ns > quiet.from_ns ? ring->busy_since_ns : quiet.from_ns;
	if (quiet.busy_ns > done_ns)
		quiet.busy_ns = done_ns;
	ring->quiet_since_ns = done_ns;
	quiet_log_push(&ring->quiet, &quiet);
}

static bool is_short(const struct inflight *io, const struct io_done *done)
{
	return io->op <= IO_WRITE && done->result >= 0 && (uint32_t)done->result < io->bytes;
}

static struct logged_io logged_io_make(const struct recorder_ring *ring, const struct inflight *io,
				       const struct io_done *done, uint64_t service_ns, uint64_t response_ns)
{
	return (struct logged_io){
		.submit_ns = done->submit_ns - ring->config.start_ns,
		.offset = io->offset,
		.service_ns = service_ns,
		.response_ns = response_ns,
		.bytes = io->bytes,
		.result = done->result,
		.worker = ring->config.worker,
		.in_flight = ring->in_flight > UINT16_MAX ? UINT16_MAX : (uint16_t)ring->in_flight,
		.op = io->op,
		.flags = done->result < 0 ? LOGGED_ERROR : is_short(io, done) ? LOGGED_SHORT : 0,
		.load = ring->config.load,
	};
}

void recorder_slow(struct recorder_ring *ring, const struct inflight *io, const struct io_done *done,
		   uint64_t service_ns, uint64_t response_ns)
{
	struct recorder *recorder = ring->current;
	struct logged_io logged = logged_io_make(ring, io, done, service_ns, response_ns);
	const bool failed = logged.flags & (LOGGED_ERROR | LOGGED_SHORT);

	for (uint32_t i = 0; i < SLOW_BUCKETS && response_ns >= slow_bucket_ns[i]; i++)
		recorder->op[io->op].slow[i]++;
	if (response_ns >= ring->threshold_ns || failed)
		__atomic_store_n(&ring->outliers_seen, ring->outliers_seen + 1, __ATOMIC_RELAXED);
	if (response_ns < ring->keep_ns && !failed)
		logged.flags |= LOGGED_TOP;
	else if (event_log_push(&ring->outliers, &logged) == 0)
		logged.flags |= LOGGED_KEPT;
	slowest_offer(recorder, &logged);
	ring_set_gate(ring);
}

/* Errors, trims, flushes. */
static void moved_nothing(struct recorder_ring *ring, const struct inflight *io, const struct io_done *done,
			  uint64_t service_ns, uint64_t response_ns)
{
	struct op_record *op = &ring->current->op[io->op];

	if (done->result < 0) {
		op->errors++;
	} else {
		op->bytes += io->op == IO_TRIM ? io->bytes : 0;
		recording_add(&op->service, service_ns);
	}
	if (response_ns >= ring->gate_ns || done->result < 0)
		recorder_slow(ring, io, done, service_ns, response_ns);
}

static void sample_log(struct recorder_ring *ring, const struct inflight *io, const struct io_done *done,
		       uint64_t service_ns, uint64_t response_ns)
{
	struct logged_io logged;

	if (ring->sample_every_now == 0) {
		sample_rearm(ring);
		return;
	}
	if (ring->samples_left == 0 && ring->sample_every_now < SAMPLE_EVERY_MAX) {
		ring->sample_every_now *= 2;
		ring->samples_left = samples_per_interval(&ring->config);
	}
	sample_rearm(ring);
	ring->samples_left -= ring->samples_left > 0;
	logged = logged_io_make(ring, io, done, service_ns, response_ns);
	event_log_push(&ring->samples, &logged);
}

/* Returns the response time. */
static uint64_t delay_add(struct recorder_ring *ring, const struct inflight *io, const struct io_done *done,
			  uint64_t service_ns)
{
	const uint64_t lateness_ns = recorder_since(io->intent_ns, done->submit_ns);
	struct op_delay *delay = &ring->current->delay[io->op];

	if (done->result >= 0) {
		recording_add(&delay->response, service_ns + lateness_ns);
		recording_add(&delay->lateness, lateness_ns);
	}
	return service_ns + lateness_ns;
}

static void complete_one(struct recorder_ring *ring, const struct inflight *io, const struct io_done *done,
			 uint64_t service_ns, uint64_t response_ns)
{
	struct op_record *op = &ring->current->op[io->op];

	if (done->result <= 0) {
		moved_nothing(ring, io, done, service_ns, response_ns);
		return;
	}
	op->bytes += (uint32_t)done->result;
	recording_add(&op->service, service_ns);
	if (response_ns >= ring->gate_ns || is_short(io, done))
		recorder_slow(ring, io, done, service_ns, response_ns);
}

void recorder_complete_odd(struct recorder_ring *ring, const struct io_done *done)
{
	const uint64_t service_ns = recorder_since(done->submit_ns, done->done_ns);

	complete_one(ring, &ring->inflight[done->slot], done, service_ns, service_ns);
	inflight_clear(ring, done->slot);
}

void recorder_single_odd(struct recorder_ring *ring, const struct io_done *done)
{
	if (ring->sample_countdown == 1) {
		recorder_complete_each(ring, done, 1);
		return;
	}
	ring->sample_countdown--;
	recorder_complete_odd(ring, done);
}

void recorder_complete_each(struct recorder_ring *ring, const struct io_done *done, uint32_t count)
{
	for (const struct io_done *const end = done + count; done != end; done++) {
		const struct inflight *io = &ring->inflight[done->slot];
		const uint64_t service_ns = recorder_since(done->submit_ns, done->done_ns);
		uint64_t response_ns = service_ns;

		if (done->done_ns != ring->quiet_since_ns)
			recorder_advance(ring, done->done_ns);
		if (ring->open_loop)
			response_ns = delay_add(ring, io, done, service_ns);
		complete_one(ring, io, done, service_ns, response_ns);
		if (--ring->sample_countdown == 0)
			sample_log(ring, io, done, service_ns, response_ns);
		inflight_clear(ring, done->slot);
	}
}

/* -- the collector's side -- */

struct recorder *recorder_take(struct recorder_ring *ring)
{
	if (__atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) == ring->tail)
		return NULL;
	return recorder_ring_at(ring, ring->tail);
}

void recorder_release(struct recorder_ring *ring, struct recorder *recorder)
{
	recorder_clear(recorder, ring->config.open_loop);
	__atomic_store_n(&ring->tail, ring->tail + 1, __ATOMIC_RELEASE);
}

uint32_t quiet_log_take(struct quiet_log *log, struct quiet *entries, uint32_t max)
{
	const uint64_t head = __atomic_load_n(&log->head, __ATOMIC_ACQUIRE);
	uint32_t count = 0;

	while (count < max && log->tail + count < head) {
		entries[count] = log->entry[(log->tail + count) & (QUIET_LOG_ENTRIES - 1)];
		count++;
	}
	__atomic_store_n(&log->tail, log->tail + count, __ATOMIC_RELEASE);
	return count;
}
