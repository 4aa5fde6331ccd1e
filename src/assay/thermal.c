#include "assay/thermal.h"

#include <math.h>
#include <string.h>
#include "analyze/levels.h"
#include "analyze/numbers.h"
#include "assay/thermal_track.h"
#include "store/json_reader.h"

#define SECONDS_MIN 20u
#define DROP 0.9	/* slow: at most so much of the fast rate */
#define MARGIN_C 2.0	/* a drive may slow down so far below where it warns */
#define ROUNDING_C 0.5	/* drives tell whole degrees */
#define STOOD_MIN_S 10u
#define BRIEF_S 3.0	/* slow or fast for less, on average: a second sees more than one of them */
#define SAME_C 2.0	/* slowing down at the same temperature */
#define LATER 1.25	/* the first fast time against the later ones */
#define REGULATED_C 8.0 /* below where it began, it stays within */
#define WARM_UP_C 3.0
#define WARM_C 65.0 /* cooler than that heat isn't suspected without more than a cut of the speed */

/* -- what the drive tells -- */

double thermal_limit_c(const struct evidence *evidence, uint32_t target)
{
	static const char *const keys[] = { "throttle1_c", "throttle2_c", "warning_c" };
	const struct drive_record *drive = evidence_drive(evidence, target);
	json_t *facts = drive ? drive_facts_of(drive, false) : NULL;
	double limit = NAN;

	for (int i = 0; i < 3; i++)
		limit = fmin(limit, json_real_in(json_object_get(facts, "health"), keys[i]));
	json_decref(facts);
	return limit;
}

/* -- spells at one temperature -- */

struct spells {
	uint32_t count, closed;
	struct spell first, last;
	double seconds, fast, slow; /* sum of lengths; means */
	double later_fast;	    /* sum of the fast times behind the first spell */
	double clear_c, cooled_c;   /* mean where it became fast again; sum over the closed ones */
};

static struct spells spells_of(const struct track *track, double limit_c)
{
	struct spells spells = { 0 };
	struct spell spell;
	uint32_t at = 0;

	while (track_spell(track, limit_c, &at, &spell)) {
		if (spells.count++)
			spells.later_fast += spell.from - spells.last.to;
		else
			spells.first = spell;
		spells.last = spell;
		spells.seconds += spell.seconds;
		spells.fast += (spell.fast - spells.fast) / spells.count;
		spells.slow += (spell.slow - spells.slow) / spells.count;
		if (spell.open)
			break;
		spells.clear_c += (track->temperature[spell.to - 1] - spells.clear_c) / ++spells.closed;
		spells.cooled_c += track->temperature[spell.from] - track->temperature[spell.to - 1];
	}
	return spells;
}

/* A step that follows a hot one may begin slow: seconds until it becomes fast; 0 = it does not. */
static uint32_t begins_slow(const struct track *track, const struct spells *spells, double limit_c)
{
	uint32_t s = 0;

	if (!(track->temperature[0] >= limit_c - REGULATED_C))
		return 0;
	while (s < spells->first.from && track->rate[s] <= 1.1 * spells->slow)
		s++;
	return s >= 2 && s < spells->first.from ? s : 0;
}

static void spells_tell(const struct track *track, const struct spells *spells, double limit_c,
			struct thermal *thermal)
{
	uint32_t slow_until = begins_slow(track, spells, limit_c);

	thermal->throttled = true;
	thermal->at_s = slow_until ? 0 : spells->first.at_s;
	thermal->at_c = slow_until ? track->temperature[0] : spells->first.at_c;
	thermal->clear_c = spells->closed ? spells->clear_c : NAN;
	thermal->fast = spells->fast;
	thermal->slow = spells->slow;
	thermal->slow_s = slow_until + spells->seconds;
	if (spells->count > 1)
		thermal->period_s = (spells->last.at_s - spells->first.at_s) / (spells->count - 1);
	thermal->times = spells->count + (slow_until > 0);
	thermal->brief = spells->count > 1 && (spells->seconds < BRIEF_S * spells->count ||
					       spells->later_fast < BRIEF_S * (spells->count - 1));
	for (uint32_t s = 0; s < track->count && thermal->brief; s++)
		thermal->fast = fmax(thermal->fast, track->rate[s]); /* means of some seconds hold slow parts */
}

/* -- the drive tells where it warns -- */

/* No cut to be seen, but it stood there: slower than it was before when cool, or with nothing to compare. */
static void judge_standing(const struct track *track, double limit_c, struct thermal *thermal)
{
	double sum = 0, fast = track_fastest(track);
	uint32_t stood = 0, first = 0;

	for (uint32_t s = 0; s < track->count; s++) {
		if (!(track->temperature[s] >= limit_c - ROUNDING_C))
			continue;
		if (!stood++)
			first = s;
		sum += track->rate[s];
	}
	if (stood < STOOD_MIN_S)
		return;
	thermal->stood_s = stood;
	if (sum / stood > DROP * fast)
		return;
	thermal->throttled = true;
	thermal->at_s = first;
	thermal->at_c = track->temperature[first];
	thermal->fast = fast;
	thermal->slow = sum / stood;
	thermal->slow_s = stood;
	thermal->times = 1;
}

static void judge_told(const struct track *track, struct thermal *thermal)
{
	struct spells spells = spells_of(track, thermal->limit_c - MARGIN_C);

	if (spells.count)
		spells_tell(track, &spells, thermal->limit_c, thermal);
	else
		judge_standing(track, thermal->limit_c, thermal);
}

/* -- it does not tell -- */

/* The hottest moment at which the speed was cut; NaN = never. */
static double hottest_cut(const struct track *track)
{
	double hottest = NAN, fast, slow;

	for (uint32_t s = 1; s < track->count; s++)
		if (track_cut(track, s, &fast, &slow))
			hottest = fmax(hottest, fmax(track->temperature[s - 1], track->temperature[s]));
	return hottest;
}

/* It slows down at one temperature, begins to do so only when warm, cools while slow and gets fast again.
 * Writes must do so again and again, the first time later than after each pause: a cache is full at no
 * temperature of its own. */
static bool regulates(const struct track *track, const struct spells *spells, double limit_c, bool only_reads)
{
	bool heat = spells->closed && spells->cooled_c > 0 && limit_c - track->temperature[0] >= WARM_UP_C;

	double later = spells->count > 1 ? spells->later_fast / (spells->count - 1) : INFINITY;

	return heat && (only_reads || spells->first.at_s >= LATER * later);
}

/* First second from which on the mean of five stays below; track->count = none. */
static uint32_t falls_below(const struct track *track, double middle)
{
	uint32_t at = track->count;

	for (uint32_t s = track->count - 5; s-- > 0 && numbers_mean(track->rate + s, 5) < middle;)
		at = s;
	while (at < track->count && track->rate[at] >= middle)
		at++;
	return at;
}

/* A drop that lasts, when it was warm or at its hottest; it stays so from then on. */
static bool holds(const struct track *track, struct thermal *thermal)
{
	uint32_t third = track->count / 3, at;
	double fast = track_fastest(track), slow = numbers_mean(track->rate + track->count - third, third),
	       lowest = INFINITY;

	at = falls_below(track, (fast + slow) / 2);
	if (slow > DROP * fast || at == track->count || at == 0 || at > track->count - third)
		return false;
	for (uint32_t s = at; s < track->count; s++)
		lowest = fmin(lowest, track->temperature[s]);
	if (track->temperature[at - 1] < fmin(thermal->hottest_c - SAME_C, WARM_C) ||
	    lowest < track->temperature[at - 1] - REGULATED_C ||
	    track->temperature[at - 1] - track->temperature[0] < WARM_UP_C)
		return false;
	thermal->at_s = at;
	thermal->at_c = track->temperature[at - 1];
	thermal->fast = fast;
	thermal->slow = slow;
	thermal->slow_s = track->count - at;
	thermal->times = 1;
	return true;
}

/* Of reads a drop that lasts is heat; of writes it may as well be a cache that is full. */
static int judge_untold(const struct track *track, bool only_reads, struct thermal *thermal)
{
	struct levels levels;
	struct spells spells;
	double limit_c = hottest_cut(track);
	int error = levels_find(track->rate, track->count, &levels);
	bool held;

	if (error)
		return error;
	spells = spells_of(track, limit_c - SAME_C);
	if (levels.bimodal && levels.low <= DROP * levels.high && spells.count &&
	    regulates(track, &spells, limit_c, only_reads)) {
		spells_tell(track, &spells, limit_c, thermal);
		return 0;
	}
	held = holds(track, thermal);
	thermal->throttled = held && only_reads;
	thermal->unclear = held && !only_reads && thermal->at_c >= WARM_C;
	return 0;
}

int thermal_of(const struct evidence *evidence, const struct step_record *step, uint32_t target,
	       struct thermal *ret_thermal)
{
	struct thermal thermal = { .clear_c = NAN, .period_s = NAN,
				   .limit_c = thermal_limit_c(evidence, target) };
	bool told = !isnan(thermal.limit_c);
	struct reading_sum sum;
	struct step_sum moved;
	struct track track;
	int error;

	step_readings(evidence, step, READING_TEMPERATURE_C, (int32_t)target, &sum);
	thermal.known = sum.count > 0;
	thermal.judged = sum.count >= SECONDS_MIN;
	thermal.hottest_c = sum.highest;
	thermal.mean_c = sum.mean;
	*ret_thermal = thermal;
	/* too short, or it did not get warm: heat is no cause */
	if (!thermal.judged ||
	    (told ? sum.highest < thermal.limit_c - MARGIN_C : sum.highest - sum.first < WARM_UP_C))
		return 0;
	step_sum(evidence, step, &moved);
	error = track_new(evidence, step, target, &track);
	if (!error && track.count >= SECONDS_MIN) {
		if (told)
			judge_told(&track, &thermal);
		else
			error = judge_untold(&track, moved.ios[IO_READ] && !moved.ios[IO_WRITE], &thermal);
		thermal.slow_share = thermal.slow_s / track.count;
	}
	track_release(&track);
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
