#include "assay/thermal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/levels.h"
#include "analyze/numbers.h"

#define SECONDS_MIN 20u
#define DROP 0.9	/* slow: at most so much of the fast rate */
#define SAME_C 2.0	/* slowing down at the same temperature */
#define LATER 1.25	/* the first fast time against the later ones */
#define REGULATED_C 8.0 /* below where it began, it stays within */
#define WARM_UP_C 3.0

struct track {
	uint32_t count;		    /* whole seconds */
	double *rate, *temperature; /* bytes per second; C at the end of the second */
};

static int track_new(const struct evidence *evidence, const struct step_record *step, uint32_t target,
		     struct track *track)
{
	uint32_t count = (uint32_t)(step->duration_ns / 1000000000),
		 at = reading_after(evidence, step->started_ns);
	struct store_series series;
	double last = NAN;
	int error = store_step_series(evidence->store, step->id, STORE_ALL, STORE_ALL, LATENCY_SERVICE,
				      &series);

	*track = (struct track){ 0 };
	if (error)
		return error;
	track->rate = calloc(2 * (size_t)count + 2, sizeof(*track->rate));
	track->temperature = track->rate + count + 1;
	for (uint32_t i = 0; track->rate && i < series.count; i++)
		for (double from = series.start_s[i], end = from + series.duration_s[i]; from < end;) {
			double to = fmin(end, floor(from + 1e-9) + 1);
			uint32_t second = (uint32_t)(from + 1e-9);

			if (second < count)
				track->rate[second] += series.bytes[i] * (to - from) / series.duration_s[i];
			from = to;
		}
	store_series_release(&series);
	if (!track->rate)
		return -ENOMEM;
	for (uint32_t s = 0; s < count; s++) {
		uint64_t until = step->started_ns + (uint64_t)(s + 1) * 1000000000;

		for (; at < evidence->reading_count && evidence->readings[at].t_ns <= until; at++)
			if (evidence->readings[at].kind == READING_TEMPERATURE_C &&
			    evidence->readings[at].target == (int32_t)target)
				last = evidence->readings[at].value;
		track->temperature[s] = last;
	}
	track->count = count;
	return 0;
}

/* Where the speed goes down and up between two levels. */
struct turns {
	uint32_t downs, ups;
	double down_low_c, down_high_c, up_c; /* temperatures at them */
	uint32_t first_down, last_down;
	uint32_t slow;	      /* seconds */
	double later_fast;    /* mean length of the fast times after the first */
	double slow_change_c; /* temperature gained in slow seconds, sum */
};

static void turns_count(const struct track *track, double middle, struct turns *turns)
{
	uint32_t fast_since = 0, later = 0;
	bool slow = track->rate[0] < middle;

	*turns = (struct turns){ .down_low_c = INFINITY, .down_high_c = -INFINITY };
	for (uint32_t s = 1; s < track->count; s++) {
		bool now = track->rate[s] < middle;
		double before_c = track->temperature[s - 1];

		turns->slow += now;
		if (now && slow)
			turns->slow_change_c += track->temperature[s] - before_c;
		if (now && !slow) {
			if (turns->downs++)
				later += s - fast_since;
			else
				turns->first_down = s;
			turns->last_down = s;
			turns->down_low_c = fmin(turns->down_low_c, before_c);
			turns->down_high_c = fmax(turns->down_high_c, before_c);
		} else if (!now && slow) {
			turns->up_c += (before_c - turns->up_c) / ++turns->ups;
			fast_since = s;
		}
		slow = now;
	}
	turns->later_fast = turns->downs > 1 ? (double)later / (turns->downs - 1) : NAN;
}

/* It slows down at one temperature, begins to do so only when warm, cools while slow and gets fast again.
 * Writes must do so again and again, the first time later than after each pause: a cache is full at no
 * temperature of its own. */
static bool regulates(const struct turns *turns, const struct track *track, bool only_reads)
{
	bool heat = turns->downs && turns->ups && turns->down_high_c - turns->down_low_c <= SAME_C &&
		    turns->slow_change_c < 0 && turns->down_low_c - track->temperature[0] >= WARM_UP_C;

	return heat && (only_reads || (turns->downs >= 2 && turns->first_down >= LATER * turns->later_fast));
}

static double mean_rate(const struct track *track, uint32_t from, uint32_t to)
{
	return numbers_mean(track->rate + from, to - from);
}

/* First second from which on the mean of five stays below; track->count = none. */
static uint32_t falls_below(const struct track *track, double middle)
{
	uint32_t at = track->count;

	for (uint32_t s = track->count - 5; s-- > 0 && mean_rate(track, s, s + 5) < middle;)
		at = s;
	while (at < track->count && track->rate[at] >= middle)
		at++;
	return at;
}

/* Reads: a drop that lasts, at the highest temperature so far, which is held from then on. */
static bool holds(const struct track *track, struct thermal *thermal)
{
	uint32_t third = track->count / 3, at;
	double fast = 0, slow = mean_rate(track, track->count - third, track->count), lowest = INFINITY;

	for (uint32_t s = 0; s + 5 <= track->count; s++)
		fast = fmax(fast, mean_rate(track, s, s + 5));
	at = falls_below(track, (fast + slow) / 2);
	if (slow > DROP * fast || at == track->count || at == 0 || at > track->count - third)
		return false;
	for (uint32_t s = at; s < track->count; s++)
		lowest = fmin(lowest, track->temperature[s]);
	if (track->temperature[at - 1] < thermal->hottest_c - SAME_C ||
	    lowest < track->temperature[at - 1] - REGULATED_C ||
	    track->temperature[at - 1] - track->temperature[0] < WARM_UP_C)
		return false;
	thermal->at_s = at;
	thermal->at_c = track->temperature[at - 1];
	thermal->fast = fast;
	thermal->slow = slow;
	thermal->slow_share = (double)(track->count - at) / track->count;
	thermal->times = 1;
	return true;
}

static int track_judge(const struct track *track, bool only_reads, struct thermal *thermal)
{
	struct levels levels;
	struct turns turns;
	int error = levels_find(track->rate, track->count, &levels);

	if (error)
		return error;
	if (levels.bimodal && levels.low <= DROP * levels.high) {
		turns_count(track, (levels.low + levels.high) / 2, &turns);
		if (regulates(&turns, track, only_reads)) {
			thermal->throttled = true;
			thermal->at_s = turns.first_down;
			thermal->at_c = track->temperature[turns.first_down - 1];
			thermal->clear_c = turns.up_c;
			thermal->fast = levels.high;
			thermal->slow = levels.low;
			thermal->slow_share = (double)turns.slow / track->count;
			if (turns.downs > 1)
				thermal->period_s = (double)(turns.last_down - turns.first_down) /
						    (turns.downs - 1);
			thermal->times = turns.downs;
			return 0;
		}
	}
	thermal->throttled = only_reads && holds(track, thermal);
	return 0;
}

int thermal_of(const struct evidence *evidence, const struct step_record *step, uint32_t target,
	       struct thermal *ret_thermal)
{
	struct thermal thermal = { .clear_c = NAN, .period_s = NAN };
	struct reading_sum sum;
	struct step_sum moved;
	struct track track;
	int error;

	step_readings(evidence, step, READING_TEMPERATURE_C, (int32_t)target, &sum);
	thermal.known = sum.count > 0;
	thermal.hottest_c = sum.highest;
	thermal.mean_c = sum.mean;
	*ret_thermal = thermal;
	if (sum.count < SECONDS_MIN || sum.highest - sum.first < WARM_UP_C)
		return 0; /* it did not get warm: heat is no cause */
	step_sum(evidence, step, &moved);
	error = track_new(evidence, step, target, &track);
	if (!error && track.count >= SECONDS_MIN)
		error = track_judge(&track, moved.ios[IO_READ] && !moved.ios[IO_WRITE], &thermal);
	free(track.rate);
	if (!error)
		*ret_thermal = thermal;
	return error;
}

static double counter_sum(const struct drive_record *drive, bool after)
{
	static const char *const keys[] = { "throttle1_seconds", "throttle2_seconds" };
	json_t *facts = drive_facts_of(drive, after);
	json_t *health = json_object_get(facts, "health");
	double sum = NAN;

	for (int i = 0; i < 2; i++) {
		json_t *value = json_object_get(health, keys[i]);

		if (json_is_number(value))
			sum = (isnan(sum) ? 0 : sum) + json_number_value(value);
	}
	json_decref(facts);
	return sum;
}

double thermal_counted_s(const struct drive_record *drive)
{
	return counter_sum(drive, true) - counter_sum(drive, false);
}
