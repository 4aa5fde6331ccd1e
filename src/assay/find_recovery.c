/* How much of the SLC cache comes back with idle time: bursts after pauses. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "analyze/recovery.h"
#include "assay/fill.h"
#include "assay/finding.h"
#include "base/units.h"

#define BURSTS_MAX 256
#define NOTHING_SECONDS 0.1
#define NEARLY_ALL 0.9
#define QUIET_S 1.0	/* and two intervals: slow for so long, a burst has left the cache */
#define STAYS 0.8
#define FAST_SHARE 0.85	/* below it of the cache's rate a burst has left the cache */

struct bursts {
	const struct step_record *after;	/* the fill before the first pause */
	const struct step_record *last;		/* step of the last burst */
	double fast, slow;			/* rates in the cache, and what the fill came down to */
	double bytes, seconds;		/* of all bursts */
	uint32_t count;
	double idle_s[BURSTS_MAX], amount[BURSTS_MAX];
};

/* Mean rate of an interval. */
static double rate_at(const struct store_series *series, uint32_t i)
{
	return series->bytes[i] / series->duration_s[i];
}

/* What a burst comes down to: the mean of those slow intervals that follow a slow one, as the first may have
 * begun in the cache. */
static double slow_rate(const struct store_series *series, const struct bursts *bursts)
{
	double limit = FAST_SHARE * bursts->fast, bytes = 0, seconds = 0;

	for (uint32_t i = 1; i < series->count; i++)
		if (rate_at(series, i) < limit && rate_at(series, i - 1) < limit) {
			bytes += series->bytes[i];
			seconds += series->duration_s[i];
		}
	return seconds > 0 ? bytes / seconds : bursts->slow;
}

/* Bytes at the rate of the cache, until nothing is for a second and two intervals in a row; those that saw both rates are
 * divided by their balance. A burst may begin slowly: the drive fills up what it had begun before it turns to
 * the cache. */
static double burst_amount(const struct store_series *series, const struct bursts *bursts)
{
	double fast = bursts->fast, slow = slow_rate(series, bursts), total = 0, quiet_s = 0;

	for (uint32_t i = 0, quiet = 0; i < series->count && (quiet < 2 || quiet_s < QUIET_S - 1e-9); i++) {
		double share = (rate_at(series, i) - slow) / (fast - slow);

		quiet = share < 1 - FAST_SHARE ? quiet + 1 : 0;
		quiet_s = quiet ? quiet_s + series->duration_s[i] : 0;
		if (share >= FAST_SHARE)
			total += series->bytes[i];
		else if (!quiet)
			total += share * fast * series->duration_s[i];
	}
	return total;
}

/* An idle step and the sequential write right after it. */
static bool is_pause(const struct evidence *evidence, uint32_t at)
{
	return at + 1 < evidence->step_count && !strcmp(evidence->steps[at].kind, "idle") &&
	       evidence->steps[at].status == RUN_COMPLETE && step_fills(evidence, &evidence->steps[at + 1]);
}

static int burst_add(const struct evidence *evidence, uint32_t at, struct bursts *bursts)
{
	struct store_series series;
	int error;

	if (bursts->count == BURSTS_MAX)
		return 0;
	error = store_step_series(evidence->store, evidence->steps[at + 1].id, STORE_ALL, IO_WRITE,
				  LATENCY_SERVICE, &series);
	if (error)
		return error;
	bursts->idle_s[bursts->count] = (double)evidence->steps[at].duration_ns / 1e9;
	bursts->amount[bursts->count++] = burst_amount(&series, bursts);
	bursts->last = &evidence->steps[at + 1];
	for (uint32_t i = 0; i < series.count; i++) {
		bursts->bytes += series.bytes[i];
		bursts->seconds += series.duration_s[i];
	}
	store_series_release(&series);
	return 0;
}

static json_t *recovery_json(const struct bursts *bursts, const struct recovery *recovery)
{
	json_t *data = json_object(), *points = json_array();

	for (uint32_t i = 0; i < recovery->point_count; i++) {
		json_t *point = json_object();

		data_real(point, "idle_s", recovery->point[i].idle_s);
		data_real(point, "bytes", recovery->point[i].amount);
		data_real(point, "half_width", recovery->point[i].half_width);
		json_object_set_new(point, "repeats", json_integer(recovery->point[i].repeats));
		json_array_append_new(points, point);
	}
	json_object_set_new(data, "points", points);
	data_real(data, "burst_bytes_per_second", bursts->fast);
	data_real(data, "bytes_per_second_after", bursts->slow);
	data_real(data, "bytes_at_most", recovery->amount_infinite);
	data_real(data, "tau_s", recovery->tau_s);
	data_real(data, "bytes_per_idle_second", recovery->rate_initial);
	data_real(data, "misfit", recovery->misfit);
	data_real(data, "idle_90_s", recovery->idle_90_s);
	return data;
}

/* Between which of the pauses that were tried nine tenths of the most came back. */
static void nine_tenths_say(const struct recovery *recovery, struct saying *saying)
{
	const struct recovery_point *point = recovery->point;
	char from[UNITS_TEXT], to[UNITS_TEXT];
	double most = 0;
	uint32_t at = 0;

	for (uint32_t i = 0; i < recovery->point_count; i++)
		most = fmax(most, point[i].amount);
	while (point[at].amount < NEARLY_ALL * most)
		at++;
	for (uint32_t i = at; i < recovery->point_count; i++)
		if (point[i].amount < STAYS * NEARLY_ALL * most)
			return;	/* longer pauses that give back less: a chance, not a law */
	duration_format((uint64_t)(point[at].idle_s * 1e9), to);
	if (at && point[at - 1].idle_s > 0)
		saying_add(saying, "; nine tenths of the most are back after between %s and %s",
			   duration_format((uint64_t)(point[at - 1].idle_s * 1e9), from), to);
	else
		saying_add(saying, at ? "; nine tenths of the most are back within %s"
				      : "; nine tenths of the most are back after %s", to);
}

/* "none without one, 694 MB after 30.0 s" */
static void points_say(const struct recovery *recovery, struct saying *saying)
{
	for (uint32_t i = 0; i < recovery->point_count; i++) {
		const struct recovery_point *point = &recovery->point[i];
		struct saying amount = { 0 };
		char size[UNITS_TEXT], time[UNITS_TEXT];

		if (i)
			saying_add(saying, ", ");
		if (point->amount >= 1)
			saying_add(&amount, "%s", capacity_format((uint64_t)point->amount, size));
		else
			saying_word(&amount, SAID_WORD("nothing"));
		if (point->idle_s > 0)
			saying_add(saying, "%p after %s", &amount, duration_format((uint64_t)(point->idle_s * 1e9), time));
		else
			saying_add(saying, "%p without one", &amount);
	}
}

static int recovery_tell(const struct evidence *evidence, const struct bursts *bursts)
{
	struct recovery recovery;
	struct finding_record finding = { .kind = "slc_recovery", .unit = "bytes" };
	const struct recovery_point *longest;
	struct saying points = { 0 }, tail = { 0 };
	char size[UNITS_TEXT], time[UNITS_TEXT], interval[UNITS_TEXT];

	recovery_fit(bursts->idle_s, bursts->amount, bursts->count, &recovery);
	if (recovery.point_count < 2)
		return 0;
	longest = &recovery.point[recovery.point_count - 1];
	finding.value = longest->amount;
	finding.low = longest->amount - longest->half_width;
	finding.high = longest->amount + longest->half_width;
	if (longest->amount < NOTHING_SECONDS * bursts->fast)
		return finding_put(evidence, bursts->last, &finding, recovery_json(bursts, &recovery),
				   "Pauses of up to %s after step '%s' gave back none of the cache's speed that intervals of "
				   "%s would show: writes after them ran at %s.",
				   duration_format((uint64_t)(longest->idle_s * 1e9), time), bursts->after->name,
				   duration_format(bursts->last->interval_ns, interval),
				   rate_format(bursts->bytes / bursts->seconds, size));
	points_say(&recovery, &points);
	nine_tenths_say(&recovery, &tail);
	return finding_put(evidence, bursts->last, &finding, recovery_json(bursts, &recovery),
			   "Fast writes that a pause after step '%s' gives back: %p of idling%p.",
			   bursts->after->name, &points, &tail);
}

/* The pauses between `from` and `to`, right after a fill; `fast`: the rate of the drive's cache. */
static int pauses_tell(const struct evidence *evidence, uint32_t from, uint32_t to, const struct fill *fill,
		       double fast)
{
	struct bursts bursts = { .after = fill->step, .fast = fast, .slow = fill_last_rate(fill) };
	int error = 0;

	if (bursts.slow >= bursts.fast)
		return 0; /* nothing to tell them apart by */
	for (uint32_t i = from; i < to && !error; i++)
		if (is_pause(evidence, i))
			error = burst_add(evidence, i, &bursts);
	return error || !bursts.count ? error : recovery_tell(evidence, &bursts);
}

/* The first step that is neither a pause nor the burst after one. */
static uint32_t pauses_end(const struct evidence *evidence, uint32_t from)
{
	uint32_t to = from;

	while (to < evidence->step_count &&
	       (is_pause(evidence, to) || (to > from && is_pause(evidence, to - 1))))
		to++;
	return to;
}

/* A fill of the full drive may show no cache of its own: its pauses are measured by the cache that an earlier
 * fill has shown. */
int find_recovery(const struct evidence *evidence)
{
	double fast = 0;
	int error = 0;

	for (uint32_t i = 0; i < evidence->step_count && error >= 0; i++) {
		struct fill fill;

		error = fill_of(evidence, &evidence->steps[i], &fill);
		if (error > 0 && fill.has_cache)
			fast = fill.knees.stage[0].rate;
		if (error > 0 && fast > 0 && !(i && is_pause(evidence, i - 1)))
			error = pauses_tell(evidence, i + 1, pauses_end(evidence, i + 1), &fill, fast);
		fill_release(&fill);
	}
	return error < 0 ? error : 0;
}
