#include "assay/thermal_track.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "analyze/numbers.h"

#define DROP 0.9	   /* slow: at most so much of the fast rate */
#define AROUND 3u	   /* seconds on each side that tell what the speed was and is */
#define RISE 1.3	   /* from the slow rate, that is an end; less when it was not cut so deep */
#define COOLED_C 1.0	   /* at the least, before it is let go */
#define REGULATED_C 8.0	   /* throttling ends so far below where it begins, at the latest */
#define UNSEEN_C 5.0	   /* and about so far when the speed, low for another reason, doesn't show its end */

static int rates_fill(const struct evidence *evidence, const struct step_record *step, struct track *track)
{
	struct store_series series;
	int error = store_step_series(evidence->store, step->id, STORE_ALL, STORE_ALL, LATENCY_SERVICE,
				      &series);

	if (error)
		return error;
	for (uint32_t i = 0; i < series.count; i++)
		for (double from = series.start_s[i], end = from + series.duration_s[i]; from < end;) {
			double to = fmin(end, floor(from + 1e-9) + 1);
			uint32_t second = (uint32_t)(from + 1e-9);

			if (second < track->count)
				track->rate[second] += series.bytes[i] * (to - from) / series.duration_s[i];
			from = to;
		}
	store_series_release(&series);
	return 0;
}

static void temperatures_fill(const struct evidence *evidence, const struct step_record *step,
			      uint32_t target, struct track *track)
{
	uint32_t at = reading_after(evidence, step->started_ns);
	double last = NAN;

	for (uint32_t s = 0; s < track->count; s++) {
		uint64_t until = step->started_ns + (uint64_t)(s + 1) * 1000000000;

		for (; at < evidence->reading_count && evidence->readings[at].t_ns <= until; at++)
			if (evidence->readings[at].kind == READING_TEMPERATURE_C &&
			    evidence->readings[at].target == (int32_t)target)
				last = evidence->readings[at].value;
		track->temperature[s] = last;
	}
}

int track_new(const struct evidence *evidence, const struct step_record *step, uint32_t target,
	      struct track *track)
{
	uint32_t count = (uint32_t)(step->duration_ns / 1000000000);

	*track = (struct track){ .count = count };
	track->rate = calloc(2 * (size_t)count + 2, sizeof(*track->rate));
	if (!track->rate)
		return -ENOMEM;
	track->temperature = track->rate + count + 1;
	temperatures_fill(evidence, step, target, track);
	return rates_fill(evidence, step, track);
}

void track_release(struct track *track)
{
	free(track->rate);
	*track = (struct track){ 0 };
}

double track_fastest(const struct track *track)
{
	double fastest = 0;

	for (uint32_t s = 0; s + 5 <= track->count; s++)
		fastest = fmax(fastest, numbers_mean(track->rate + s, 5));
	return fastest;
}

/* Of the seconds [from, from + AROUND) that there are. */
static double median_rate(const struct track *track, uint32_t from)
{
	double rate[AROUND];
	uint32_t count = 0;

	while (count < AROUND && from + count < track->count) {
		rate[count] = track->rate[from + count];
		count++;
	}
	return numbers_median_of(rate, count);
}

static double rate_before(const struct track *track, uint32_t second)
{
	double rate[AROUND];
	uint32_t count = 0;

	while (count < AROUND && count < second) {
		rate[count] = track->rate[second - 1 - count];
		count++;
	}
	return numbers_median_of(rate, count);
}

bool track_cut(const struct track *track, uint32_t second, double *ret_fast, double *ret_slow)
{
	double fast, slow, middle;

	if (second == 0 || second + 1 >= track->count)
		return false;
	fast = rate_before(track, second);
	slow = median_rate(track, second + 1);
	middle = (fast + slow) / 2;
	if (!(slow <= DROP * fast) || track->rate[second - 1] < middle || track->rate[second + 1] > middle)
		return false;
	*ret_fast = fast;
	/* a short spell has one or two whole seconds */
	*ret_slow = fmin(slow, track->rate[second + 1]);
	if (second + 2 < track->count)
		*ret_slow = fmin(*ret_slow, track->rate[second + 2]);
	return true;
}

static double share_of(double rate, double fast, double slow)
{
	return fast > slow ? fmin(fmax((fast - rate) / (fast - slow), 0), 1) : 0;
}

/* At its warmest in or just before a second. */
static double warmth(const struct track *track, uint32_t second)
{
	return fmax(track->temperature[second - 1], track->temperature[second]);
}

/* Faster again, and it had cooled: what only becomes faster at the same temperature goes from one stage of a
 * cache to the next below the same lid. */
static bool let_go(const struct track *track, const struct spell *spell, uint32_t second)
{
	const double risen = fmin((spell->fast + spell->slow) / 2, RISE * spell->slow);

	return track->rate[second] >= risen && median_rate(track, second) >= risen &&
	       track->temperature[second - 1] <= spell->at_c - COOLED_C;
}

static bool cool(const struct track *track, double limit_c, const struct spell *spell, uint32_t second)
{
	const bool lid = track->rate[second] >= DROP * spell->slow;

	return !(track->temperature[second] >= (lid ? limit_c - REGULATED_C : spell->at_c - UNSEEN_C));
}

static void spell_end(const struct track *track, double limit_c, struct spell *spell)
{
	uint32_t s = spell->from + 2;

	while (s < track->count && !cool(track, limit_c, spell, s) && !let_go(track, spell, s))
		s++;
	spell->to = s < track->count ? s : track->count;
	spell->open = s >= track->count;
}

bool track_spell(const struct track *track, double limit_c, uint32_t *at, struct spell *ret_spell)
{
	struct spell spell = { 0 };
	double first;

	for (uint32_t s = *at > 0 ? *at : 1; s < track->count; s++) {
		spell.at_c = warmth(track, s);
		if (!(spell.at_c >= limit_c) || !track_cut(track, s, &spell.fast, &spell.slow))
			continue;
		spell.from = s;
		spell_end(track, limit_c, &spell);
		first = share_of(track->rate[s], spell.fast, spell.slow);
		spell.at_s = s + 1 - first;
		spell.seconds = first + (spell.to - s - 1);
		if (!spell.open && track->rate[spell.to] > spell.slow)
			spell.seconds += share_of(track->rate[spell.to], median_rate(track, spell.to + 1),
						  spell.slow);
		*at = spell.to;
		*ret_spell = spell;
		return true;
	}
	return false;
}
