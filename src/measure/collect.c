#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "measure/collect.h"

#define HAND_OVER_TRIES 8
#define OUTLIERS_PER_SECOND 256 /* of a load, when many are slow: 60 MB of the run file an hour */

/* What was already counted of one worker. */
struct credit {
	bool valid;			/* its unfinished recorder was counted in part: */
	struct recorder *counted;	/* what; all zero while not valid */
	uint64_t seq;			/* when */
	uint64_t index;			/* in which interval last */
	/* I/Os in flight, integrated over time: known up to known_ns, constant from there as far as is
	 * known */
	uint64_t in_flight_ns, known_ns;
	uint32_t in_flight;
	uint64_t in_flight_counted_ns;	/* put into intervals so far */
};

struct collector {
	struct collector_config config;
	uint64_t start_ns, interval_ns;
	bool open_loop;
	bool finishing;
	uint64_t finish_ns;
	uint64_t next_index;
	uint64_t outliers_kept, late_snapshots;
	uint32_t top_count;
	struct logged_io top[RECORDER_TOP];	/* slowest first */
	struct recorder *scratch;	/* always cleared between uses */
	struct credit *credit;		/* one per ring */
	struct tally interval, total;
	char *memory;			/* of scratch and all credits */
};

/* -- life -- */

static void collector_lay_out(struct collector *collector, uint64_t bytes)
{
	char *at = collector->memory;

	collector->scratch = (struct recorder *)at;
	collector->scratch->ops = (1u << IO_OPS) - 1;
	recorder_clear(collector->scratch, collector->open_loop);
	for (uint32_t i = 0; i < collector->config.ring_count; i++) {
		collector->credit[i].counted = (struct recorder *)(at += bytes);
		collector->credit[i].known_ns = collector->start_ns;
		collector->credit[i].counted->ops = recorder_ops(&collector->config.rings[i]->config);
		recorder_clear(collector->credit[i].counted, collector->open_loop);
	}
}

int collector_new(const struct collector_config *config, struct collector **ret_collector)
{
	const struct recorder_ring *first = config->rings[0];
	struct collector *collector = calloc(1, sizeof(*collector));
	struct recorder_ring **rings = calloc(config->ring_count, sizeof(struct recorder_ring *));

	if (!collector || !rings)
		goto fail;
	memcpy(rings, config->rings, config->ring_count * sizeof(struct recorder_ring *));
	collector->config = *config;
	collector->config.rings = rings;
	collector->start_ns = first->config.start_ns;
	collector->interval_ns = first->config.interval_ns;
	collector->open_loop = first->config.open_loop;
	collector->credit = calloc(config->ring_count, sizeof(struct credit));
	collector->memory = calloc(config->ring_count + 1, first->recorder_bytes);
	if (!collector->credit || !collector->memory)
		goto fail;
	collector_lay_out(collector, first->recorder_bytes);
	tally_clear(&collector->interval);
	tally_clear(&collector->total);
	*ret_collector = collector;
	return 0;
fail:
	free(rings);
	if (collector)
		collector->config.rings = NULL;
	collector_free(collector);
	return -ENOMEM;
}

struct collector *collector_free(struct collector *collector)
{
	if (collector) {
		free((void *)collector->config.rings);
		free(collector->credit);
		free(collector->memory);
		free(collector);
	}
	return NULL;
}

/* -- adding recorders to a tally; `before` is what was counted earlier, all zero when nothing was -- */

static uint64_t slot_high(uint32_t index)
{
	return histogram_slot_low(index, HISTOGRAM_BITS) + histogram_slot_width(index, HISTOGRAM_BITS) - 1;
}

/* Lowest and highest of the values that came since `before`: exact when they are new extremes, else known
 * to be inside their slots. */
static void bound_difference(struct moments *difference, const struct moments *now,
			     const struct moments *before, uint32_t first, uint32_t last)
{
	difference->min_ns = histogram_slot_low(first, HISTOGRAM_BITS);
	if (now->min_ns < before->min_ns || difference->min_ns < now->min_ns)
		difference->min_ns = now->min_ns;
	difference->max_ns = slot_high(last);
	if (now->max_ns > before->max_ns || difference->max_ns > now->max_ns || difference->over_range > 0)
		difference->max_ns = now->max_ns;
}

static void add_recording(struct histogram *histogram, const struct recording *now,
			  const struct recording *before)
{
	struct moments difference = {
		.n = now->moments.n - before->moments.n,
		.sum_ns = now->moments.sum_ns - before->moments.sum_ns,
		.over_range = now->moments.over_range - before->moments.over_range,
		.sum_squares_ns2 = now->moments.sum_squares_ns2 - before->moments.sum_squares_ns2,
	};
	uint32_t first = HISTOGRAM_SLOTS, last = 0;

	if (before->moments.n == 0) {
		histogram_add_recording(histogram, now);
		return;
	}
	if (difference.n == 0)
		return;
	for (uint32_t i = histogram_slot(now->moments.min_ns); i <= histogram_slot(now->moments.max_ns); i++) {
		const uint32_t count = now->slot[i] - before->slot[i];

		if (count == 0)
			continue;
		histogram->slot[i] += count;
		first = first == HISTOGRAM_SLOTS ? i : first;
		last = i;
	}
	bound_difference(&difference, &now->moments, &before->moments, first, last);
	moments_add(&histogram->moments, &difference);
}

static uint64_t add_op(struct op_tally *tally, const struct op_record *now, const struct op_record *before)
{
	const uint64_t ios = now->service.moments.n - before->service.moments.n;
	const uint64_t errors = now->errors - before->errors;

	tally->ios += ios;
	tally->errors += errors;
	tally->bytes += now->bytes - before->bytes;
	for (uint32_t i = 0; i < SLOW_BUCKETS; i++)
		tally->slow[i] += now->slow[i] - before->slow[i];
	add_recording(&tally->service, &now->service, &before->service);
	return ios + errors;
}

/* Returns how many I/Os were new. */
static uint64_t add_recorder(struct collector *collector, const struct recorder *now,
			     const struct recorder *before)
{
	uint64_t ios = 0;

	for (uint32_t op = 0; op < IO_OPS; op++) {
		struct op_tally *tally = &collector->interval.op[op];

		if (!(now->ops >> op & 1))
			continue;
		ios += add_op(tally, &now->op[op], &before->op[op]);
		if (collector->open_loop) {
			add_recording(&tally->response, &now->delay[op].response,
				      &before->delay[op].response);
			add_recording(&tally->lateness, &now->delay[op].lateness,
				      &before->delay[op].lateness);
		}
	}
	return ios;
}

/* -- the slowest of an interval, of all workers -- */

static void top_insert(struct collector *collector, const struct logged_io *io)
{
	uint32_t at = collector->top_count;

	if (at == RECORDER_TOP) {
		if (io->response_ns <= collector->top[at - 1].response_ns)
			return;
		at--;
	} else {
		collector->top_count++;
	}
	while (at > 0 && collector->top[at - 1].response_ns < io->response_ns) {
		collector->top[at] = collector->top[at - 1];
		at--;
	}
	collector->top[at] = *io;
}

static bool top_has(const struct recorder *recorder, const struct logged_io *io)
{
	for (uint32_t i = 0; i < recorder->top_count; i++)
		if (recorder->top[i].submit_ns == io->submit_ns && recorder->top[i].offset == io->offset &&
		    recorder->top[i].response_ns == io->response_ns)
			return true;
	return false;
}

static void top_add(struct collector *collector, const struct recorder *now, const struct recorder *before)
{
	for (uint32_t i = 0; i < now->top_count; i++)
		if (!(now->top[i].flags & LOGGED_KEPT) && !top_has(before, &now->top[i]))
			top_insert(collector, &now->top[i]);
}

static void top_count_kept(struct collector *collector)
{
	for (uint32_t i = 0; i < collector->top_count; i++)
		collector->outliers_kept += !(collector->top[i].flags & LOGGED_TOP);
}

/* -- which intervals can be given -- */

static uint64_t index_end_ns(const struct collector *collector, uint64_t index)
{
	return collector->start_ns + (index + 1) * collector->interval_ns;
}

static uint64_t current_first(const struct recorder_ring *ring, uint64_t head)
{
	return recorder_ring_at(ring, head)->first_index;
}

static uint64_t current_last(const struct recorder_ring *ring, uint64_t head)
{
	return __atomic_load_n(&recorder_ring_at(ring, head)->last_index, __ATOMIC_RELAXED);
}

/* Extends *last over the intervals that this ring's recorders have joined to it; false when it needs more
 * time. */
static bool ring_is_ready(const struct collector *collector, const struct recorder_ring *ring,
			  uint64_t now_ns, uint64_t *last)
{
	const uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);

	for (uint64_t number = ring->tail; number < head; number++)
		if (current_first(ring, number) <= *last && current_last(ring, number) > *last)
			*last = current_last(ring, number);
	if (current_first(ring, head) > *last)
		return true;
	if (current_last(ring, head) > *last)
		*last = current_last(ring, head);
	return now_ns >= index_end_ns(collector, *last) + collector->config.grace_ns;
}

static bool collector_is_ready(const struct collector *collector, uint64_t now_ns, uint64_t *ret_last)
{
	uint64_t last = collector->next_index, before;

	if (now_ns < index_end_ns(collector, last))
		return false;
	do {
		before = last;
		for (uint32_t i = 0; i < collector->config.ring_count; i++)
			if (!ring_is_ready(collector, collector->config.rings[i], now_ns, &last))
				return false;
	} while (last != before);
	*ret_last = last;
	return true;
}

/* Index of the last interval there will be; false when nothing is left to give. */
static bool collector_final_index(const struct collector *collector, uint64_t *ret_final)
{
	uint64_t count = recorder_since(collector->start_ns, collector->finish_ns);

	count = (count + collector->interval_ns - 1) / collector->interval_ns;
	for (uint32_t i = 0; i < collector->config.ring_count; i++) {
		const struct recorder_ring *ring = collector->config.rings[i];
		const uint64_t last = current_last(ring, __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE));

		if (last > 0 && last >= count)	/* it crossed a boundary that the finish did not */
			count = last + 1;
	}
	if (count <= collector->next_index)
		return false;
	*ret_final = count - 1;
	return true;
}

static void finishing_extend(const struct collector *collector, uint64_t *last)
{
	uint64_t before;

	do {
		before = *last;
		for (uint32_t i = 0; i < collector->config.ring_count; i++)
			ring_is_ready(collector, collector->config.rings[i], UINT64_MAX, last);
	} while (*last != before);
}

/* -- counting one ring -- */

/* An I/O that is counted after its interval was given makes this one say so. */
static void mark_spans(struct collector *collector, uint64_t from, uint64_t last)
{
	const uint64_t spans = last >= from ? last - from + 1 : 1;

	if (spans > collector->interval.spans)
		collector->interval.spans = spans;
}

static void count_finished(struct collector *collector, struct credit *credit, struct recorder_ring *ring,
			   struct recorder *recorder, uint64_t last)
{
	const uint64_t from = credit->valid ? credit->index : recorder->first_index;

	if (add_recorder(collector, recorder, credit->counted) > 0 && from < collector->next_index)
		mark_spans(collector, from, last);
	top_add(collector, recorder, credit->counted);
	credit->in_flight_ns = recorder->in_flight_ns;
	credit->in_flight = recorder->in_flight_after;
	credit->known_ns = index_end_ns(collector, recorder->last_index);
	recorder_clear(credit->counted, collector->open_loop);
	credit->valid = false;
	recorder_release(ring, recorder);
}

static void count_snapshot(struct collector *collector, struct credit *credit,
			   const struct recorder_state *state, uint64_t last)
{
	struct recorder *copy = collector->scratch;

	if (add_recorder(collector, copy, credit->counted) > 0 && credit->valid)
		mark_spans(collector, credit->index, last);
	top_add(collector, copy, credit->counted);
	collector->scratch = credit->counted;
	credit->counted = copy;
	credit->valid = true;
	credit->seq = state->seq;
	credit->index = last;
	credit->in_flight_ns = state->in_flight_ns;
	credit->in_flight = state->in_flight;
	credit->known_ns = state->settled_ns;
	collector->late_snapshots++;
}

/* A worker that did nothing since it was looked into. */
static bool is_unchanged(const struct recorder_ring *ring, const struct credit *credit)
{
	return credit->valid && __atomic_load_n(&ring->seq, __ATOMIC_ACQUIRE) == credit->seq;
}

/* Counts what is in flight up to end_ns, taking it to be as it was last seen. */
static void count_in_flight(struct collector *collector, struct credit *credit, uint64_t end_ns)
{
	const uint64_t since_ns = recorder_since(credit->known_ns, end_ns);
	const uint64_t until_ns = credit->in_flight_ns + credit->in_flight * since_ns;

	collector->interval.in_flight_ns += (double)(int64_t)(until_ns - credit->in_flight_counted_ns);
	credit->in_flight_counted_ns = until_ns;
}

/* Copies the unfinished recorder and counts what is new in it. False when the worker handed it over
 * meanwhile. */
static bool count_unfinished(struct collector *collector, const struct recorder_ring *ring,
			     struct credit *credit, uint64_t last)
{
	struct recorder_state state;
	bool handed_over;

	if (is_unchanged(ring, credit)) {
		credit->index = last;
		return true;
	}
	if (recorder_snapshot(ring, collector->scratch, &state, collector->finishing) < 0)
		return true;		/* busy right now: counted when handed over */
	handed_over = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) != state.head;
	/* else it holds later intervals too */
	if (!handed_over && collector->scratch->last_index <= last)
		count_snapshot(collector, credit, &state, last);
	recorder_clear(collector->scratch, collector->open_loop);
	return !handed_over;
}

static void count_ring(struct collector *collector, uint32_t number, uint64_t last, uint64_t end_ns)
{
	struct recorder_ring *ring = collector->config.rings[number];
	struct credit *credit = &collector->credit[number];
	struct recorder *recorder;

	for (int tries = 0; tries < HAND_OVER_TRIES; tries++) {
		while ((recorder = recorder_take(ring)) && recorder->first_index <= last)
			count_finished(collector, credit, ring, recorder, last);
		if (recorder || current_first(ring, __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE)) > last ||
		    count_unfinished(collector, ring, credit, last))
			break;
	}
	count_in_flight(collector, credit, end_ns);
}

/* -- feeding back to the workers -- */

static uint64_t largest_median_ns(const struct tally *tally)
{
	const uint64_t ios = tally_ios(tally);
	uint64_t largest_ns = 0;

	for (uint32_t op = 0; op < IO_OPS; op++) {
		const uint64_t median_ns = histogram_percentile(&tally->op[op].service, 0.5);

		if (tally->op[op].ios * 20 >= ios && median_ns > largest_ns)
			largest_ns = median_ns;
	}
	return largest_ns;
}

/* From which time on an I/O is to be kept in full, so that about OUTLIERS_PER_SECOND are; 0 = all that are slow. */
static uint64_t keep_from(const struct tally *tally, bool open_loop)
{
	const double seconds = (double)(tally->end_ns - tally->start_ns) / 1e9;
	uint64_t wanted = (uint64_t)(OUTLIERS_PER_SECOND * seconds) + 1, slow = 0;
	uint32_t slot = HISTOGRAM_SLOTS;

	for (uint32_t op = 0; op < IO_OPS; op++)
		slow += tally->op[op].slow[0];
	if (slow <= wanted)
		return 0;
	while (slot > 0 && wanted > 0) {
		slot--;
		for (uint32_t op = 0; op < IO_OPS; op++) {
			const struct op_tally *one = &tally->op[op];
			const uint64_t count = (open_loop ? &one->response : &one->service)->slot[slot];

			wanted -= count < wanted ? count : wanted;
		}
	}
	return histogram_slot_low(slot, HISTOGRAM_BITS) + histogram_slot_width(slot, HISTOGRAM_BITS);
}

static uint32_t wanted_every(const struct collector *collector)
{
	const struct tally *tally = &collector->interval;
	const double seconds = (double)(tally->end_ns - tally->start_ns) / 1e9;
	const double every = (double)tally_ios(tally) / seconds / collector->config.samples_per_second;

	return every <= 1 ? 1 : every > 1e9 ? 1000000000u : (uint32_t)every + 1;
}

static void feed_back(struct collector *collector)
{
	const uint64_t p50_ns = largest_median_ns(&collector->interval);
	const uint64_t keep_from_ns = keep_from(&collector->interval, collector->open_loop);
	const bool adapt = collector->config.samples_per_second > 0;
	const uint32_t every = adapt ? wanted_every(collector) : 0;

	if (tally_ios(&collector->interval) == 0)
		return;
	for (uint32_t i = 0; i < collector->config.ring_count; i++) {
		struct recorder_ring *ring = collector->config.rings[i];

		__atomic_store_n(&ring->p50_ns, p50_ns, __ATOMIC_RELAXED);
		__atomic_store_n(&ring->keep_from_ns, keep_from_ns, __ATOMIC_RELAXED);
		if (adapt)
			__atomic_store_n(&ring->sample_every, every, __ATOMIC_RELAXED);
	}
}

/* -- giving intervals -- */

static void give(struct collector *collector, uint64_t last, uint64_t end_ns, struct collected *ret)
{
	struct tally *tally = &collector->interval;
	const uint64_t index = collector->next_index;

	tally_clear(tally);
	collector->top_count = 0;
	tally->start_ns = index * collector->interval_ns;
	tally->end_ns = end_ns - collector->start_ns;
	tally->rest_ns = pauses_rest_ns(&collector->config.pauses, tally->start_ns, tally->end_ns);
	tally->spans = last - index + 1;
	for (uint32_t i = 0; i < collector->config.ring_count; i++)
		count_ring(collector, i, last, end_ns);
	top_count_kept(collector);
	collector->next_index = last + 1;
	*ret = (struct collected){
		.index = index,
		.ramp = index < collector->config.ramp_intervals,
		.partial = end_ns < index_end_ns(collector, last),
		.tally = tally,
		.top = collector->top,
		.top_count = collector->top_count,
	};
	if (!ret->ramp)
		tally_add(&collector->total, tally);
	feed_back(collector);
}

/* End of the last interval: the finish; never empty, as an I/O may have completed on its very start. */
static uint64_t finish_end_ns(const struct collector *collector, uint64_t last)
{
	const uint64_t first_ns = collector->start_ns + collector->next_index * collector->interval_ns;
	const uint64_t end_ns = index_end_ns(collector, last);

	if (collector->finish_ns >= end_ns)
		return end_ns;
	return collector->finish_ns > first_ns ? collector->finish_ns : first_ns + 1;
}

int collector_next(struct collector *collector, uint64_t now_ns, struct collected *ret_interval)
{
	uint64_t last = collector->next_index, final = 0, end_ns;

	if (!collector->finishing) {
		if (!collector_is_ready(collector, now_ns, &last))
			return 0;
		give(collector, last, index_end_ns(collector, last), ret_interval);
		return 1;
	}
	if (!collector_final_index(collector, &final))
		return 0;
	finishing_extend(collector, &last);
	last = last < final ? last : final;
	end_ns = last == final ? finish_end_ns(collector, last) : index_end_ns(collector, last);
	give(collector, last, end_ns, ret_interval);
	return 1;
}

void collector_finish(struct collector *collector, uint64_t now_ns)
{
	struct recorder_state state;

	collector->finishing = true;
	collector->finish_ns = now_ns;
	for (uint32_t i = 0; i < collector->config.ring_count; i++) {
		recorder_peek(collector->config.rings[i], &state, true);
		if (state.quiet_since_ns > collector->finish_ns)
			collector->finish_ns = state.quiet_since_ns;
	}
}

const struct tally *collector_total(const struct collector *collector)
{
	return &collector->total;
}

/* -- logs -- */

uint32_t collector_take_outliers(struct collector *collector, struct logged_io *ios, uint32_t max)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < collector->config.ring_count && count < max; i++)
		count += event_log_take(&collector->config.rings[i]->outliers, ios + count, max - count);
	collector->outliers_kept += count;
	return count;
}

uint32_t collector_take_samples(struct collector *collector, struct logged_io *ios, uint32_t max)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < collector->config.ring_count && count < max; i++)
		count += event_log_take(&collector->config.rings[i]->samples, ios + count, max - count);
	return count;
}

void collector_facts(const struct collector *collector, struct collector_facts *ret_facts)
{
	struct collector_facts facts = {
		.outliers_kept = collector->outliers_kept,
		.late_snapshots = collector->late_snapshots,
	};

	for (uint32_t i = 0; i < collector->config.ring_count; i++) {
		const struct recorder_ring *ring = collector->config.rings[i];
		const uint32_t every = __atomic_load_n(&ring->sample_every, __ATOMIC_RELAXED);

		facts.outliers_seen += __atomic_load_n(&ring->outliers_seen, __ATOMIC_RELAXED);
		facts.samples_dropped += __atomic_load_n(&ring->samples.dropped, __ATOMIC_RELAXED);
		facts.samples_every = every > facts.samples_every ? every : facts.samples_every;
	}
	if (facts.samples_every == 0)
		facts.samples_every = 1;
	*ret_facts = facts;
}
