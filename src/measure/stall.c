#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "measure/stall.h"

#define QUIET_PENDING 256	/* quiet times of one worker, taken from its log in pieces */

const uint64_t stall_bucket_ns[STALL_BUCKETS] = {
	10000000, 30000000, 50000000, 100000000, 200000000, 500000000, 1000000000,
};
const char *const stall_bucket_name[STALL_BUCKETS] = {
	"ge_10ms", "ge_30ms", "ge_50ms", "ge_100ms", "ge_200ms", "ge_500ms", "ge_1s",
};

/* One worker's quiet times in order: those of its log, then the one that goes on. */
struct quiet_source {
	struct recorder_ring *ring;
	uint32_t at, count;
	struct quiet pending[QUIET_PENDING];
	struct quiet open;		/* to_ns = UINT64_MAX: not over yet */
};

struct stall_merger {
	uint64_t grace_ns, start_ns;
	uint32_t source_count;
	struct stall_summary summary;
	struct stall pause[STALL_PAUSES];	/* ring; the clock's time, not since start_ns */
	uint64_t pause_count;			/* all that went through it */
	uint32_t list_count;
	struct stall list[STALL_LISTED];	/* in order of time */
	struct quiet_source source[];
};

int stall_merger_new(struct recorder_ring *const *rings, uint32_t ring_count, uint64_t grace_ns,
		     struct stall_merger **ret_merger)
{
	struct stall_merger *merger = calloc(1, sizeof(*merger) + ring_count * sizeof(merger->source[0]));

	if (!merger)
		return -ENOMEM;
	merger->grace_ns = grace_ns;
	merger->start_ns = ring_count > 0 ? rings[0]->config.start_ns : 0;
	merger->source_count = ring_count;
	for (uint32_t i = 0; i < ring_count; i++)
		merger->source[i].ring = rings[i];
	*ret_merger = merger;
	return 0;
}

struct stall_merger *stall_merger_free(struct stall_merger *merger)
{
	free(merger);
	return NULL;
}

static void summary_add(struct stall_summary *summary, const struct stall *stall)
{
	const uint64_t length_ns = stall->end_ns - stall->start_ns;

	if (length_ns > summary->longest_ns) {
		summary->longest_ns = length_ns;
		summary->longest_start_ns = stall->start_ns;
	}
	for (uint32_t i = 0; i < STALL_BUCKETS && length_ns >= stall_bucket_ns[i]; i++)
		summary->count[i]++;
}

static uint64_t stall_length(const struct stall *stall)
{
	return stall->end_ns - stall->start_ns;
}

/* A full list loses its shortest. */
static void list_add(struct stall_merger *merger, const struct stall *stall)
{
	uint32_t shortest = 0;

	if (merger->list_count == STALL_LISTED) {
		for (uint32_t i = 1; i < STALL_LISTED; i++)
			if (stall_length(&merger->list[i]) < stall_length(&merger->list[shortest]))
				shortest = i;
		merger->summary.list_dropped++;
		if (stall_length(stall) <= stall_length(&merger->list[shortest]))
			return;
		merger->list_count--;
		memmove(&merger->list[shortest], &merger->list[shortest + 1],
			(merger->list_count - shortest) * sizeof(merger->list[0]));
	}
	merger->list[merger->list_count++] = *stall;
}

void stall_merger_pause(struct stall_merger *merger, uint64_t from_ns, uint64_t to_ns)
{
	merger->pause[merger->pause_count++ % STALL_PAUSES] = (struct stall){ from_ns, to_ns };
}

/* How much of the time lies in pauses: those that several meters noted at once count once. */
static uint64_t paused_ns(const struct stall_merger *merger, uint64_t from_ns, uint64_t to_ns)
{
	const uint64_t first = merger->pause_count > STALL_PAUSES ? merger->pause_count - STALL_PAUSES : 0;
	uint64_t paused = 0, counted_to_ns = from_ns;

	for (uint64_t i = first; i < merger->pause_count; i++) {
		const struct stall *pause = &merger->pause[i % STALL_PAUSES];
		const uint64_t begin_ns = pause->start_ns > counted_to_ns ? pause->start_ns : counted_to_ns;
		const uint64_t end_ns = pause->end_ns < to_ns ? pause->end_ns : to_ns;

		if (end_ns <= begin_ns)
			continue;
		paused += end_ns - begin_ns;
		counted_to_ns = end_ns;
	}
	return paused;
}

static void host_add(struct stall_summary *summary, uint64_t length_ns)
{
	if (length_ns < stall_bucket_ns[0])
		return;
	summary->host_count++;
	if (length_ns > summary->host_longest_ns)
		summary->host_longest_ns = length_ns;
}

static void merger_add(struct stall_merger *merger, uint64_t from_ns, uint64_t to_ns)
{
	const struct stall stall = { from_ns - merger->start_ns, to_ns - merger->start_ns };

	if (to_ns - from_ns < RECORDER_QUIET_NS)
		return;
	if (2 * paused_ns(merger, from_ns, to_ns) >= to_ns - from_ns) {
		host_add(&merger->summary, to_ns - from_ns);
		return;
	}
	summary_add(&merger->summary, &stall);
	if (to_ns - from_ns >= stall_bucket_ns[0])
		list_add(merger, &stall);
}

static const struct quiet *source_quiet(const struct quiet_source *source)
{
	return source->at < source->count ? &source->pending[source->at] : &source->open;
}

static void source_fill(struct quiet_source *source)
{
	if (source->at < source->count)
		return;
	source->at = 0;
	source->count = quiet_log_take(&source->ring->quiet, source->pending, QUIET_PENDING);
}

/* The quiet time that went on when `state` was read; parts of it may have ended and been logged since. */
static void source_open(struct quiet_source *source, const struct recorder_state *state)
{
	source->open = (struct quiet){ .from_ns = state->quiet_since_ns, .busy_ns = state->busy_since_ns,
				       .to_ns = UINT64_MAX };
	if (source->count > 0 && source->open.from_ns < source->pending[source->count - 1].to_ns)
		source->open.from_ns = source->pending[source->count - 1].to_ns;
	if (source->open.busy_ns < source->open.from_ns)
		source->open.busy_ns = source->open.from_ns;
}

/* The part in which all are quiet, from when something was in flight; returns the source that is quiet no
 * longer first. */
static uint32_t merger_overlap(const struct stall_merger *merger, struct quiet *ret_overlap)
{
	struct quiet overlap = { .from_ns = 0, .busy_ns = UINT64_MAX, .to_ns = UINT64_MAX };
	uint32_t first = 0;

	for (uint32_t i = 0; i < merger->source_count; i++) {
		const struct quiet *quiet = source_quiet(&merger->source[i]);

		if (quiet->from_ns > overlap.from_ns)
			overlap.from_ns = quiet->from_ns;
		if (quiet->busy_ns < overlap.busy_ns)
			overlap.busy_ns = quiet->busy_ns;
		if (quiet->to_ns < overlap.to_ns) {
			overlap.to_ns = quiet->to_ns;
			first = i;
		}
	}
	if (overlap.from_ns < overlap.busy_ns)
		overlap.from_ns = overlap.busy_ns;
	*ret_overlap = overlap;
	return first;
}

/* Reads states, then logs. In this order what is believed of a worker's quiet time up to the horizon is
 * either still going on or in the log. False when a worker was writing each time: then later. */
static bool merger_read(struct stall_merger *merger, bool torn_ok)
{
	for (uint32_t i = 0; i < merger->source_count; i++) {
		struct quiet_source *source = &merger->source[i];
		struct recorder_state state;

		if (recorder_peek(source->ring, &state, torn_ok) < 0)
			return false;
		source_fill(source);
		source_open(source, &state);
	}
	return true;
}

/* Merges what ended at horizon_ns or before. True when it stopped for want of log entries, not of time. */
static bool merger_merge(struct stall_merger *merger, uint64_t horizon_ns)
{
	struct quiet overlap;

	for (;;) {
		struct quiet_source *source = &merger->source[merger_overlap(merger, &overlap)];

		if (overlap.to_ns > horizon_ns)
			return false;
		if (overlap.from_ns < overlap.to_ns)
			merger_add(merger, overlap.from_ns, overlap.to_ns);
		if (++source->at == source->count)
			return true;
	}
}

static bool merger_step(struct stall_merger *merger, uint64_t horizon_ns, bool torn_ok)
{
	return merger->source_count > 0 && merger_read(merger, torn_ok) && merger_merge(merger, horizon_ns);
}

void stall_merger_advance(struct stall_merger *merger, uint64_t now_ns)
{
	const uint64_t horizon_ns = now_ns > merger->grace_ns ? now_ns - merger->grace_ns : 0;

	while (merger_step(merger, horizon_ns, false))
		;
}

void stall_merger_finish(struct stall_merger *merger, uint64_t now_ns)
{
	struct quiet overlap;

	while (merger_step(merger, UINT64_MAX - 1, true))
		;
	if (merger->source_count == 0)
		return;
	merger_overlap(merger, &overlap);
	if (overlap.from_ns < now_ns)
		merger_add(merger, overlap.from_ns, now_ns);
}

uint64_t stall_merger_silent_ns(const struct stall_merger *merger, uint64_t now_ns)
{
	struct recorder_state state;
	uint64_t quiet_since_ns = 0, busy_since_ns = UINT64_MAX;

	for (uint32_t i = 0; i < merger->source_count; i++) {
		if (recorder_peek(merger->source[i].ring, &state, false) < 0)
			return 0;		/* it is writing right now: it answers */
		if (state.quiet_since_ns > quiet_since_ns)
			quiet_since_ns = state.quiet_since_ns;
		if (state.busy_since_ns < busy_since_ns)
			busy_since_ns = state.busy_since_ns;
	}
	if (busy_since_ns == UINT64_MAX)
		return 0;
	return recorder_since(busy_since_ns > quiet_since_ns ? busy_since_ns : quiet_since_ns, now_ns);
}

void stall_merger_summary(const struct stall_merger *merger, struct stall_summary *ret_summary)
{
	*ret_summary = merger->summary;
	for (uint32_t i = 0; i < merger->source_count; i++)
		ret_summary->incomplete += __atomic_load_n(&merger->source[i].ring->quiet.dropped,
							   __ATOMIC_RELAXED);
}

uint32_t stall_merger_take(struct stall_merger *merger, struct stall *stalls, uint32_t max)
{
	const uint32_t count = max < merger->list_count ? max : merger->list_count;

	memcpy(stalls, merger->list, count * sizeof(stalls[0]));
	merger->list_count -= count;
	memmove(merger->list, &merger->list[count], merger->list_count * sizeof(merger->list[0]));
	return count;
}
