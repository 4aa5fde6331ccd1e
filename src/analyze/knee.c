#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/knee.h"
#include "analyze/numbers.h"
#include "analyze/pelt.h"
#include "base/word.h"

#define SMOOTH 5		/* kills single dips */
#define TREND 61
#define NOISE_MIN 0.005
#define SEGMENT_MIN 6
#define STEP_MIN 0.13976194	/* ln 1.15: what a user notices */
#define CYCLE_STEPS 6
#define LONG_STAY 1.5		/* periods: longer segments are stages of their own */
#define ISLAND 16		/* bins */
#define CYCLES_MIN 8
#define PROFILE 7.35		/* chi-square 95 % with allowance for the search */
#define PROFILE_SLACK 2.0	/* bins */
#define FOLDING_SHARE 0.6

uint32_t knee_bins(const double *amount, const double *duration, uint32_t count, double bin_amount,
		   double *rate, uint32_t bins_max)
{
	double missing = bin_amount, time = 0;
	uint32_t bins = 0;

	for (uint32_t i = 0; i < count && bins < bins_max; i++) {
		double left = amount[i], left_time = duration[i];

		while (left >= missing && bins < bins_max) {
			const double share = left > 0 ? missing / left : 0;

			time += left_time * share;
			rate[bins++] = time > 0 ? bin_amount / time : INFINITY;
			left_time *= 1 - share;
			left -= missing;
			missing = bin_amount;
			time = 0;
		}
		missing -= left;
		time += left_time;
	}
	return bins;
}

const char *stage_label_name(enum stage_label label)
{
	static const char *const names[] = { SAID_WORD("constant"), SAID_WORD("burst"), SAID_WORD("direct"),
					     SAID_WORD("folding"), SAID_WORD("cycling"),
					     SAID_WORD("garbage collection") };

	return names[label];
}

/* A fill under analysis. */
struct fill {
	uint32_t n;
	const double *rate;
	double *z;		/* ln rate, running median */
	double *work;		/* n */
	uint32_t *ends;		/* n: segments, by one past their last bin */
	int segments;
	double noise, inflation;
};

static int fill_smooth(struct fill *fill)
{
	for (uint32_t i = 0; i < fill->n; i++)
		fill->work[i] = log(fill->rate[i]);
	return numbers_running_median(fill->work, fill->n, SMOOTH, fill->z);
}

/* Noise from differences over the median's width; correlation from what a long median leaves. */
static int fill_noise(struct fill *fill)
{
	double r;
	int error;

	for (uint32_t i = 0; i + SMOOTH < fill->n; i++)
		fill->work[i] = fill->z[i + SMOOTH] - fill->z[i];
	fill->noise = fmax(NOISE_MIN, numbers_robust_deviation(fill->work, fill->n - SMOOTH) / M_SQRT2);
	error = numbers_running_median(fill->z, fill->n, TREND, fill->work);
	if (error < 0)
		return error;
	for (uint32_t i = 0; i < fill->n; i++)
		fill->work[i] = fill->z[i] - fill->work[i];
	r = fmin(fmax(numbers_lag1(fill->work, fill->n), 0), 0.95);
	fill->inflation = (1 + r) / (1 - r);
	return 0;
}

static uint32_t segment_start(const struct fill *fill, int segment)
{
	return segment > 0 ? fill->ends[segment - 1] : 0;
}

static double segment_level(const struct fill *fill, int segment)
{
	const uint32_t from = segment_start(fill, segment);

	return numbers_mean(fill->z + from, fill->ends[segment] - from);
}

/* Step from segment to the next one. */
static double segment_step(const struct fill *fill, int segment)
{
	return segment_level(fill, segment + 1) - segment_level(fill, segment);
}

static void fill_join(struct fill *fill, int segment)		/* with the next one */
{
	memmove(&fill->ends[segment], &fill->ends[segment + 1],
		(size_t)(fill->segments - segment - 1) * sizeof(fill->ends[0]));
	fill->segments--;
}

static void fill_merge_small_steps(struct fill *fill)
{
	while (fill->segments > 1) {
		double least = INFINITY;
		int weakest = 0;

		for (int i = 0; i + 1 < fill->segments; i++) {
			const double step = fabs(segment_step(fill, i));

			if (step < least) {
				least = step;
				weakest = i;
			}
		}
		if (least >= STEP_MIN)
			return;
		fill_join(fill, weakest);
	}
}

/* Segments [first, last] that go up and down in turn, all of them short: a cycling stretch. */
struct cycles {
	int first, last;
	double period;		/* bins; median distance of two steps up */
};

static int last_alternating(const struct fill *fill, int first)
{
	double before = 0;
	int last = first;

	while (last + 1 < fill->segments) {
		const double step = segment_step(fill, last);

		if (last > first && (step > 0) == (before > 0))
			break;
		before = step;
		last++;
	}
	return last;
}

static double cycle_period(struct fill *fill, int first, int last)
{
	uint32_t before = 0, count = 0;

	for (int i = first; i < last; i++) {
		if (segment_step(fill, i) <= 0)
			continue;
		if (before > 0)
			fill->work[count++] = fill->ends[i] - before;
		before = fill->ends[i];
	}
	return numbers_median_of(fill->work, count);
}

static double segment_length(const struct fill *fill, int segment)
{
	return fill->ends[segment] - segment_start(fill, segment);
}

/* The cycling stretch that begins at segment `first` or, after long stages that alternate too, a little
 * later. */
static bool find_cycles(struct fill *fill, int first, struct cycles *ret_cycles)
{
	struct cycles cycles = { .first = first, .last = last_alternating(fill, first) };

	if (cycles.last - cycles.first < CYCLE_STEPS)
		return false;
	cycles.period = cycle_period(fill, cycles.first, cycles.last);
	while (cycles.first < cycles.last && segment_length(fill, cycles.first) > LONG_STAY * cycles.period)
		cycles.first++;
	while (cycles.first < cycles.last && segment_length(fill, cycles.last) > LONG_STAY * cycles.period)
		cycles.last--;
	*ret_cycles = cycles;
	return cycles.last - cycles.first >= CYCLE_STEPS - 2;
}

/* A short stretch between two equal levels is a bad moment, not a stage. */
static bool is_island(const struct fill *fill, int segment)
{
	return segment > 0 && segment + 1 < fill->segments && segment_length(fill, segment) <= ISLAND &&
	       fabs(segment_level(fill, segment + 1) - segment_level(fill, segment - 1)) < STEP_MIN;
}

static void fill_drop_islands(struct fill *fill)
{
	struct cycles cycles;

	for (int i = 1; i + 1 < fill->segments; i++) {
		if (find_cycles(fill, i - 1, &cycles)) {
			i = cycles.last;
		} else if (is_island(fill, i)) {
			fill_join(fill, i);
			fill_join(fill, i - 1);
			i = i > 1 ? i - 2 : 0;
		}
	}
}

/* -- stages -- */

static double rate_between(const struct fill *fill, uint32_t from, uint32_t to)
{
	double time = 0;

	for (uint32_t i = from; i < to; i++)
		time += 1 / fill->rate[i];
	return (to - from) / time;
}

static struct stage *stage_add(struct knees *knees, uint32_t from, uint32_t to, double period)
{
	struct stage *stage;

	if (knees->stage_count == KNEE_STAGES) {	/* no more room: the last one grows */
		stage = &knees->stage[KNEE_STAGES - 1];
		stage->to = to;
		return stage;
	}
	stage = &knees->stage[knees->stage_count++];
	*stage = (struct stage){ .from = from, .to = to, .from_low = from, .from_high = from,
				 .cycling = period > 0, .period = period };
	return stage;
}

/* Levels of whole cycles, as ln of their mean rate; level[cycles ..] is for working. Returns how many. */
static uint32_t cycle_levels(const struct fill *fill, uint32_t from, uint32_t to, double period,
			     double *level)
{
	const uint32_t cycles = (uint32_t)((to - from) / period);

	for (uint32_t i = 0; i < cycles; i++)
		level[i] = log(rate_between(fill, from + (uint32_t)(i * period),
					    from + (uint32_t)((i + 1) * period)));
	return cycles;
}

/* Inside a cycling stretch the level of whole cycles may change too. */
static int stages_of_cycles(struct fill *fill, uint32_t from, uint32_t to, double period, struct knees *knees)
{
	const size_t room = (size_t)((to - from) / period) + 2;
	struct fill whole = { .z = malloc(2 * room * sizeof(double)),
			      .ends = malloc(room * sizeof(uint32_t)) };
	uint32_t start = from;
	double noise;

	whole.segments = -ENOMEM;
	if (whole.z && whole.ends) {
		whole.work = whole.z + room;
		whole.n = cycle_levels(fill, from, to, period, whole.z);
		for (uint32_t i = 1; i < whole.n; i++)
			whole.work[i - 1] = whole.z[i] - whole.z[i - 1];
		whole.segments = 1;
		whole.ends[0] = whole.n;
		if (whole.n >= CYCLES_MIN) {
			noise = fmax(2 * NOISE_MIN,
				     numbers_robust_deviation(whole.work, whole.n - 1) / M_SQRT2);
			whole.segments =
				pelt(whole.z, whole.n, 3 * log(whole.n) * noise * noise, 3, whole.ends);
			fill_merge_small_steps(&whole);
		}
		for (int i = 0; i < whole.segments; i++) {
			const bool last = i + 1 == whole.segments;

			stage_add(knees, start, last ? to : from + (uint32_t)(whole.ends[i] * period),
				  period);
			start = from + (uint32_t)(whole.ends[i] * period);
		}
	}
	free(whole.z);
	free(whole.ends);
	return whole.segments < 0 ? whole.segments : 0;
}

/* Segments to stages: a cycling stretch becomes one, or a few of different level. */
static int fill_stages(struct fill *fill, struct knees *knees)
{
	struct cycles cycles;
	int error = 0;

	for (int at = 0; at < fill->segments && error == 0; at++) {
		if (!find_cycles(fill, at, &cycles) || cycles.first > at) {
			stage_add(knees, segment_start(fill, at), fill->ends[at], 0);
			continue;
		}
		error = stages_of_cycles(fill, segment_start(fill, at), fill->ends[cycles.last],
					 cycles.period, knees);
		at = cycles.last;
	}
	return error;
}

/* -- intervals -- */

static double rss_around(const double *sum, const double *squares, uint32_t from, uint32_t border,
			 uint32_t to)
{
	const double left = sum[border] - sum[from], right = sum[to] - sum[border];

	return squares[to] - squares[from] - left * left / (border - from) - right * right / (to - border);
}

/* All borders whose fit is nearly as good as the best. */
static void border_profile(const struct fill *fill, const double *sum, const double *squares,
			   const struct stage *before, struct stage *stage)
{
	const uint32_t from = before->from, to = stage->to;
	double least = INFINITY, variance, limit;

	for (uint32_t border = from + 1; border < to; border++)
		least = fmin(least, rss_around(sum, squares, from, border, to));
	variance = fmax(least / fmax(1, to - from - 2), fill->noise * fill->noise);
	limit = least + PROFILE * variance * fill->inflation;
	for (uint32_t border = from + 1; border < to; border++) {
		if (rss_around(sum, squares, from, border, to) > limit)
			continue;
		stage->from_low = fmin(stage->from_low, border);
		stage->from_high = fmax(stage->from_high, border);
	}
}

/* Beside a cycling stage, whose ups and downs have no one level to fit, the border is known to half a
 * period. */
static void stage_interval(const struct fill *fill, const double *sum, const double *squares,
			   const struct stage *before, struct stage *stage)
{
	const double half_period = fmax(before->period, stage->period) / 2;

	stage->from_low = stage->from_high = stage->from;
	if (half_period == 0)
		border_profile(fill, sum, squares, before, stage);
	stage->from_low = fmax(0, stage->from_low - PROFILE_SLACK - half_period);
	stage->from_high = fmin(fill->n, stage->from_high + PROFILE_SLACK + half_period);
}

static int fill_intervals(const struct fill *fill, struct knees *knees)
{
	double *sum = calloc(2 * ((size_t)fill->n + 1), sizeof(*sum)), *squares = sum + fill->n + 1;
	const double mean = numbers_mean(fill->z, fill->n);

	if (!sum)
		return -ENOMEM;
	for (uint32_t i = 0; i < fill->n; i++) {
		sum[i + 1] = sum[i] + (fill->z[i] - mean);
		squares[i + 1] = squares[i] + (fill->z[i] - mean) * (fill->z[i] - mean);
	}
	for (uint32_t i = 1; i < knees->stage_count; i++)
		stage_interval(fill, sum, squares, &knees->stage[i - 1], &knees->stage[i]);
	free(sum);
	return 0;
}

static void stage_rates(struct fill *fill, struct stage *stage)
{
	const uint32_t n = stage->to - stage->from;

	stage->rate = rate_between(fill, stage->from, stage->to);
	memcpy(fill->work, fill->rate + stage->from, n * sizeof(fill->work[0]));
	numbers_sort(fill->work, n);
	stage->rate_median = numbers_sorted_quantile(fill->work, n, 0.5);
	stage->rate_p5 = numbers_sorted_quantile(fill->work, n, 0.05);
	stage->rate_p95 = numbers_sorted_quantile(fill->work, n, 0.95);
}

static bool is_folding(const struct knees *knees, uint32_t number)
{
	for (uint32_t later = number + 1; later < knees->stage_count; later++)
		if (knees->stage[number].rate < FOLDING_SHARE * knees->stage[later].rate)
			return true;
	return number >= 2 && number + 1 == knees->stage_count &&
	       knees->stage[number].rate < FOLDING_SHARE * knees->stage[number - 1].rate;
}

static void label_stages(struct knees *knees)
{
	for (uint32_t i = 0; i < knees->stage_count; i++) {
		struct stage *stage = &knees->stage[i];

		if (stage->cycling)
			stage->label = STAGE_CYCLING;
		else if (knees->stage_count == 1)
			stage->label = STAGE_ONLY;
		else if (i == 0 && stage->rate > knees->stage[1].rate)
			stage->label = STAGE_BURST;
		else
			stage->label = is_folding(knees, i) ? STAGE_FOLDING : STAGE_DIRECT;
	}
}

static int fill_analyze(struct fill *fill, struct knees *knees)
{
	double penalty;
	int error = fill_smooth(fill);

	if (error == 0)
		error = fill_noise(fill);
	if (error < 0)
		return error;
	penalty = 3 * log(fill->n) * fill->noise * fill->noise * fill->inflation;
	fill->segments = pelt(fill->z, fill->n, penalty, SEGMENT_MIN, fill->ends);
	if (fill->segments < 0)
		return fill->segments;
	fill_merge_small_steps(fill);
	fill_drop_islands(fill);
	fill_merge_small_steps(fill);
	error = fill_stages(fill, knees);
	if (error == 0)
		error = fill_intervals(fill, knees);
	if (error < 0)
		return error;
	for (uint32_t i = 0; i < knees->stage_count; i++)
		stage_rates(fill, &knees->stage[i]);
	label_stages(knees);
	knees->noise = fill->noise;
	knees->rate = rate_between(fill, 0, fill->n);
	return 0;
}

int knee_find(const double *rate, uint32_t count, struct knees *ret_knees)
{
	struct fill fill = { .n = count, .rate = rate };
	struct knees knees = { 0 };
	int error = -ENOMEM;

	if (count < KNEE_BINS_MIN)
		return -ERANGE;
	fill.z = malloc(2 * (size_t)count * sizeof(*fill.z));
	fill.ends = malloc((size_t)count * sizeof(*fill.ends));
	if (fill.z && fill.ends) {
		fill.work = fill.z + count;
		error = fill_analyze(&fill, &knees);
	}
	free(fill.z);
	free(fill.ends);
	if (error == 0)
		*ret_knees = knees;
	return error;
}

bool knee_cache(const struct knees *knees, double *ret_bins, double *ret_low, double *ret_high)
{
	if (knees->stage_count < 2 || knees->stage[0].rate <= knees->stage[1].rate)
		return false;
	*ret_bins = knees->stage[1].from;
	*ret_low = knees->stage[1].from_low;
	*ret_high = knees->stage[1].from_high;
	return true;
}

#define SIDE 8	      /* intervals that say what the rate before and after is */
#define MIXED_REACH 2 /* intervals on each side of the knee that may be mixed */
#define UNMIXED 0.97  /* an interval as fast as that may still have slowed down in its last part */

static double series_rate(const double *amount, const double *duration, uint32_t from, uint32_t to)
{
	double rate[SIDE];
	uint32_t n = 0;

	for (uint32_t i = from; i < to && n < SIDE; i++)
		if (duration[i] > 0)
			rate[n++] = amount[i] / duration[i];
	return numbers_median_of(rate, n);
}

static double total(const double *amount, uint32_t from, uint32_t to)
{
	double sum = 0;

	for (uint32_t i = from; i < to; i++)
		sum += amount[i];
	return sum;
}

bool knee_sharpen(const double *amount, const double *duration, uint32_t count, double at_amount,
		  double *ret_amount, double *ret_low, double *ret_high)
{
	uint32_t at = 0, from, to, back;
	double before, after, balance, share;

	while (at < count && at_amount >= amount[at])
		at_amount -= amount[at++];
	if (at < MIXED_REACH + 1 || at + MIXED_REACH + 3 > count)
		return false;
	from = at - MIXED_REACH;
	to = at + MIXED_REACH + 1;
	back = from > SIDE ? from - SIDE : 0;
	before = series_rate(amount, duration, back, from);
	after = series_rate(amount, duration, to, to + SIDE < count ? to + SIDE : count);
	if (!(before > after))
		return false;
	balance = (total(amount, from, to) - after * total(duration, from, to)) / (before - after);
	share = fmin(fmax(balance, 0), total(duration, from, to));
	*ret_amount = total(amount, 0, from) + before * share;
	while (from < to && amount[from] >= UNMIXED * before * duration[from])
		from++;
	while (to > from &&
	       amount[to - 1] <= after * duration[to - 1] + (1 - UNMIXED) * (before - after) * duration[to - 1])
		to--;
	/* what the two intervals outside may hide */
	*ret_low = fmin(*ret_amount, total(amount, 0, from) - (1 - UNMIXED) * amount[from - 1]);
	*ret_high = fmax(*ret_amount, total(amount, 0, to) + (1 - UNMIXED) * before * duration[to]);
	return true;
}
