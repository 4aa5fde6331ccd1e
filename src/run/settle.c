#include "run/settle.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define SECOND_NS 1000000000ull
#define UNIT_MIN_NS 10000000ull
#define ROUND_UNITS 60
#define GATE_READ_UNITS 60
#define COARSE_SHARE 24 /* a batch of the detector is no longer than the window by this */

static bool writes(const struct load *load)
{
	return load->rw == LOAD_WRITE || load->rw == LOAD_RANDWRITE ||
	       ((load->rw == LOAD_RW || load->rw == LOAD_RANDRW) && load->read_share < 1);
}

enum settle_gate settle_gate_of(const struct plan_instance *instance)
{
	enum settle_gate gate = SETTLE_READS;

	for (uint32_t i = 0; i < instance->load_count; i++) {
		const struct load *load = &instance->loads[i];

		if (!writes(load))
			continue;
		if (load_rw_random(load->rw))
			return SETTLE_RANDOM;
		gate = SETTLE_SEQUENTIAL;
	}
	return gate;
}

bool settle_worth(const struct plan_instance *instance)
{
	for (uint32_t i = 0; i < instance->load_count; i++)
		if (instance->loads[i].arrival != ARRIVAL_CLOSED || instance->loads[i].thinktime_ns)
			return false;
	return !instance->duty_count && settle_gate_of(instance) == SETTLE_RANDOM;
}

static void gate_set(struct settle *settle, double scale)
{
	static const double capacities[] = { 0, 1, 2 };

	settle->gate_bytes = (uint64_t)(capacities[settle->config.gate] * scale *
					(double)settle->config.capacity_bytes);
	settle->gate_ns = settle->config.gate == SETTLE_READS ? GATE_READ_UNITS * settle->unit_ns : 0;
	settle->gate_open = settle->config.settled;
}

void settle_init(struct settle *settle, const struct settle_config *config)
{
	double scale = config->scale > 0 && config->scale < 1 ? config->scale : 1;
	struct steady_config detector = steady_config_default;

	*settle = (struct settle){ .config = *config, .unit_ns = (uint64_t)(scale * (double)SECOND_NS) };
	if (settle->unit_ns < UNIT_MIN_NS)
		settle->unit_ns = UNIT_MIN_NS;
	gate_set(settle, scale);
	detector = steady_config_scaled(&detector, scale * (double)SECOND_NS / (double)settle->unit_ns);
	detector.first_check_s = fmax(detector.first_check_s, STEADY_SECONDS_MIN);
	steady_init(&settle->steady, &detector);
}

void settle_release(struct settle *settle)
{
	steady_release(&settle->steady);
}

static void round_add(struct settle *settle, double value)
{
	settle->round_ios += isnan(value) ? 0 : value;
	settle->round_units += !isnan(value);
	if ((settle->next_ns - settle->first_ns) / settle->unit_ns % ROUND_UNITS)
		return;
	memmove(settle->rounds, settle->rounds + 1, (SNIA_WINDOW - 1) * sizeof(settle->rounds[0]));
	settle->rounds[SNIA_WINDOW - 1] = settle->round_units > 0 ? settle->round_ios / settle->round_units
								  : NAN;
	settle->round_count++;
	settle->round_ios = settle->round_units = 0;
}

bool settle_is_coarse(const struct settle *settle)
{
	return settle->steady.count >= STEADY_SECONDS_MIN &&
	       settle->longest_ns * COARSE_SHARE > settle->next_ns - settle->gate_open_ns;
}

/* A second is full: its rate, NaN when nothing of it was seen. */
static int unit_end(struct settle *settle)
{
	double value = settle->unit_seen_ns > 0 ? settle->unit_ios * 1e9 / settle->unit_seen_ns : NAN;
	int met = 0;

	settle->unit_ios = settle->unit_seen_ns = 0;
	round_add(settle, value);
	if (settle->gate_open && settle->next_ns > settle->gate_open_ns)
		met = steady_feed(&settle->steady, value);
	if (met > 0 && !settle_is_coarse(settle))
		settle->met = true;
	return met < 0 ? met : 0;
}

/* Goes to `to_ns` at so many I/Os per ns; a rate of NaN is a gap. */
static int advance(struct settle *settle, uint64_t to_ns, double rate)
{
	while (settle->next_ns < to_ns) {
		uint64_t into = (settle->next_ns - settle->first_ns) % settle->unit_ns;
		uint64_t part = settle->unit_ns - into;
		int error;

		part = part < to_ns - settle->next_ns ? part : to_ns - settle->next_ns;
		settle->next_ns += part;
		if (!isnan(rate)) {
			settle->unit_ios += rate * (double)part;
			settle->unit_seen_ns += (double)part;
		}
		error = into + part == settle->unit_ns ? unit_end(settle) : 0;
		if (error)
			return error;
	}
	return 0;
}

static void gate_look(struct settle *settle)
{
	if (settle->gate_open || settle->written_bytes < settle->gate_bytes ||
	    settle->next_ns - settle->first_ns < settle->gate_ns)
		return;
	settle->gate_open = true;
	settle->gate_open_ns = settle->next_ns;
}

int settle_feed(struct settle *settle, uint64_t start_ns, uint64_t end_ns, uint64_t ios,
		uint64_t written_bytes)
{
	int error;

	if (!settle->next_ns) {
		settle->first_ns = settle->next_ns = start_ns;
		if (settle->gate_open)
			settle->gate_open_ns = start_ns;
	}
	if (end_ns <= start_ns || end_ns <= settle->next_ns)
		return settle->met;
	if (settle->gate_open && end_ns - start_ns > settle->longest_ns)
		settle->longest_ns = end_ns - start_ns;
	error = advance(settle, start_ns, NAN);
	if (!error)
		error = advance(settle, end_ns, (double)ios / (double)(end_ns - start_ns));
	settle->written_bytes += written_bytes;
	gate_look(settle);
	return error ? error : settle->met;
}

/* What else there is to say about the seconds that were judged. */
static int evidence_set(const struct settle *settle, struct settle_outcome *outcome)
{
	double means[STEADY_BATCHES_MAX];
	uint32_t count = steady_batches(settle->steady.seconds, &outcome->verdict, means);

	outcome->trend = trend_find(means, count);
	return mser_find(settle->steady.seconds, settle->steady.count, &outcome->mser);
}

int settle_finish(struct settle *settle, struct settle_outcome *ret_outcome)
{
	uint32_t rounds = settle->round_count < SNIA_WINDOW ? settle->round_count : SNIA_WINDOW;
	bool judged = settle->gate_open && settle->steady.count >= STEADY_SECONDS_MIN &&
		      !settle_is_coarse(settle);
	int error;

	if (!settle->config.stops)
		settle->steady.verdict.met = false; /* of an earlier look: judge again, with all there is */
	error = steady_finish(&settle->steady, judged, &ret_outcome->verdict);

	snia_evaluate(settle->rounds + SNIA_WINDOW - rounds, rounds, &ret_outcome->snia);
	ret_outcome->snia.last_round = settle->round_count;
	return error ? error : evidence_set(settle, ret_outcome);
}
