#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <gsl/gsl_cdf.h>
#include "analyze/numbers.h"
#include "analyze/pelt.h"
#include "analyze/period.h"
#include "analyze/pieces.h"
#include "analyze/steady.h"

#define BATCHES 24
#define POINT_S 10		/* of the period search */
#define LEVEL_S 60		/* of the level search */
#define PERIODS_MIN 8
#define BIG_CHANGE 0.10
#define REGIME_CHANGES 8
#define QUIET_STAYS 5
#define SHORT_SHARE (1.0 / 3)	/* of t0: a step that ends sooner after its gate is too short to say */

const struct steady_config steady_config_default = {
	.first_check_s = 3600, .check_growth = 1.1, .horizon_s = 3600,
	.drift_max = 0.10, .precision_max = 0.05,
};

struct steady_config steady_config_scaled(const struct steady_config *config, double scale)
{
	struct steady_config scaled = *config;

	scaled.first_check_s *= scale;
	scaled.horizon_s *= scale;
	return scaled;
}

double steady_short_s(const struct steady_config *config)
{
	return config->first_check_s * SHORT_SHARE;
}

const char *steady_kind_name(enum steady_kind kind)
{
	static const char *const names[] = {
		"not_steady", "steady", "steady_oscillating", "steady_regimes", "imprecise", "drifting",
		"time_limited",
	};

	return names[kind];
}

/* How much more the variance of a mean is than for independent values with this correlation of neighbours. */
static double inflation(double lag1, uint32_t n)
{
	const double r = fmin(fmax(lag1 + 1.0 / n, 0), 0.95);	/* the estimate is 1/n too low */

	return (1 + r) / (1 - r);
}

static int judge_period(const double *window, uint32_t length, struct steady_verdict *verdict)
{
	const uint32_t points = length / POINT_S;
	double *y = malloc((points + 1) * sizeof(*y));
	struct period period;
	int error;

	if (!y)
		return -ENOMEM;
	pieces_means(window, POINT_S, points, y);
	error = period_find(y, points, PERIODS_MIN, &period);
	if (error == 0 && period.found)
		verdict->period_s = period.points * POINT_S;
	if (error == 0)
		error = levels_find(y, points, &verdict->levels);
	free(y);
	return error;
}

static void judge_drift(const struct steady_config *config, const double *batch, uint32_t length,
			struct steady_verdict *verdict)
{
	const uint32_t m = verdict->batches;
	const struct line line = numbers_fit(batch, m);
	double residual[STEADY_BATCHES_MAX], infl, error, bound, to_hour;

	for (uint32_t i = 0; i < m; i++)
		residual[i] = batch[i] - line.mean_y - line.slope * (i - line.mean_x);
	infl = inflation(numbers_lag1(residual, m), m);
	error = sqrt(line.rss / (m - 2) * infl / line.sxx);
	bound = gsl_cdf_tdist_Pinv(0.95, fmax(2, (m - 2) / infl)) * error;
	to_hour = 3600 / verdict->batch_s / verdict->mean;
	verdict->drift_per_hour = line.slope * to_hour;
	verdict->drift_half_width = bound * to_hour;
	verdict->drift_bound = (fabs(line.slope) + bound) / verdict->batch_s / verdict->mean *
			       fmax(length, config->horizon_s);
}

static void judge_precision(const double *batch, struct steady_verdict *verdict)
{
	const uint32_t m = verdict->batches;
	const double infl = inflation(numbers_lag1(batch, m), m);

	verdict->mean_half_width = gsl_cdf_tdist_Pinv(0.975, (m - 1) / infl) *
				   sqrt(numbers_variance(batch, m) * infl / m) / verdict->mean;
}

/* Means over whole periods if there is one, else over 1/24 of the window. */
static void judge_batches(const struct steady_config *config, const double *window, uint32_t length,
			  struct steady_verdict *verdict)
{
	const double wanted = (double)length / BATCHES;
	double batch[STEADY_BATCHES_MAX];

	verdict->batch_s = wanted;
	if (verdict->period_s > 0)
		verdict->batch_s = verdict->period_s * fmax(1, round(wanted / verdict->period_s));
	verdict->batches = (uint32_t)(length / verdict->batch_s + 1e-9);
	if (verdict->batches > STEADY_BATCHES_MAX)
		verdict->batches = STEADY_BATCHES_MAX;
	pieces_means(window, verdict->batch_s, verdict->batches, batch);
	verdict->mean = numbers_mean(batch, verdict->batches);
	if (!(verdict->mean > 0))
		return;
	judge_drift(config, batch, length, verdict);
	judge_precision(batch, verdict);
}

/* Of 60-s means, from their differences: level changes are few, so the median does not see them. */
static double level_noise(const double *y, uint32_t n, double *work, double mean)
{
	for (uint32_t i = 1; i < n; i++)
		work[i - 1] = y[i] - y[i - 1];
	return fmax(numbers_robust_deviation(work, n - 1) / M_SQRT2, 0.01 * mean);
}

/* Drives slow down from fresh to steady; one that gets faster tells of regimes, not of a transient: the
 * longest stay on a level is kept then. */
static void count_changes(const double *y, const uint32_t *ends, int segments, double piece_s,
			  struct steady_verdict *verdict)
{
	double before = 0, longest_s = 0;
	bool faster = false;

	for (int i = 0; i < segments; i++) {
		const uint32_t from = i > 0 ? ends[i - 1] : 0;
		const double level = numbers_mean(y + from, ends[i] - from);

		if (i > 0 && fabs(level - before) > BIG_CHANGE * verdict->mean) {
			longest_s = fmax(longest_s, from * piece_s - verdict->last_change_s);
			faster |= level > before;
			verdict->last_change_s = from * piece_s;
			verdict->big_changes += verdict->last_change_s >= verdict->window_start_s;
		}
		before = level;
	}
	verdict->longest_stay_s = faster ? longest_s : 0;
}

/* Shorter runs (scaled ones) are cut finer, so that there are always enough pieces. */
static double level_piece_s(uint32_t count)
{
	return fmin(LEVEL_S, fmax(1, count / 60.0));
}

static int judge_regimes(const double *seconds, uint32_t count, struct steady_verdict *verdict)
{
	const double piece_s = level_piece_s(count);
	const uint32_t n = (uint32_t)(count / piece_s);
	double *y = malloc(2 * (n + 1) * sizeof(*y)), noise;
	uint32_t *ends = malloc((n + 1) * sizeof(*ends));
	int segments = -ENOMEM;

	if (y && ends) {
		pieces_means(seconds, piece_s, n, y);
		noise = level_noise(y, n, y + n, verdict->mean);
		segments = pelt(y, n, 6 * noise * noise * log(n), 1, ends);
	}
	if (segments > 0)
		count_changes(y, ends, segments, piece_s, verdict);
	free(y);
	free(ends);
	return segments < 0 ? segments : 0;
}

/* Long enough since the last level change: two thirds of the time, and much longer than any stay before. */
static bool is_quiet(const struct steady_verdict *verdict)
{
	const double quiet_s = verdict->judged_s - verdict->last_change_s;

	return quiet_s >= 2.0 / 3 * verdict->judged_s && quiet_s >= QUIET_STAYS * verdict->longest_stay_s;
}

static enum steady_kind conclude(const struct steady_config *config, const struct steady_verdict *verdict)
{
	const bool regimes = verdict->big_changes >= REGIME_CHANGES;
	const bool settled = verdict->period_s > 0 || regimes || is_quiet(verdict);
	const bool straight = verdict->drift_bound <= config->drift_max;

	if (!(verdict->mean > 0) || verdict->batches == 0)
		return STEADY_NOT;
	if (straight && settled && verdict->mean_half_width <= config->precision_max)
		return verdict->period_s > 0 ? STEADY_OSCILLATING : regimes ? STEADY_REGIMES : STEADY;
	if (!straight && fabs(verdict->drift_per_hour) > verdict->drift_half_width)
		return STEADY_DRIFTING;
	if ((straight && settled) || regimes || verdict->period_s > 0)
		return STEADY_IMPRECISE;
	return STEADY_NOT;
}

uint32_t steady_batches(const double *seconds, const struct steady_verdict *verdict, double *ret_means)
{
	pieces_means(seconds + verdict->window_start_s, verdict->batch_s, verdict->batches, ret_means);
	return verdict->batches;
}

int steady_evaluate(const struct steady_config *config, const double *seconds, uint32_t count,
		    struct steady_verdict *ret_verdict)
{
	const uint32_t start = count / 2, length = count - start;
	struct steady_verdict verdict = { .judged_s = count, .window_start_s = start };
	int error;

	verdict.mean = pieces_mean(seconds, start, count);
	if (count >= STEADY_SECONDS_MIN && verdict.mean > 0) {
		error = judge_period(seconds + start, length, &verdict);
		if (error < 0)
			return error;
		judge_batches(config, seconds + start, length, &verdict);
	}
	if (count >= STEADY_SECONDS_MIN && verdict.mean > 0) {
		error = judge_regimes(seconds, count, &verdict);
		if (error < 0)
			return error;
		verdict.amplitude = (verdict.levels.high - verdict.levels.low) / 2 / verdict.mean;
	}
	verdict.unseen_every_s = length / 3.0;
	verdict.kind = conclude(config, &verdict);
	verdict.met = verdict.kind == STEADY || verdict.kind == STEADY_OSCILLATING ||
		      verdict.kind == STEADY_REGIMES;
	*ret_verdict = verdict;
	return 0;
}

void steady_init(struct steady *steady, const struct steady_config *config)
{
	*steady = (struct steady){ .config = *config, .next_check_s = config->first_check_s };
}

void steady_release(struct steady *steady)
{
	free(steady->seconds);
	steady->seconds = NULL;
	steady->count = steady->capacity = 0;
}

static int steady_grow(struct steady *steady)
{
	const uint32_t capacity = steady->capacity > 0 ? 2 * steady->capacity : 4096;
	double *seconds = realloc(steady->seconds, capacity * sizeof(*seconds));

	if (!seconds)
		return -ENOMEM;
	steady->seconds = seconds;
	steady->capacity = capacity;
	return 0;
}

int steady_feed(struct steady *steady, double value)
{
	int error;

	if (steady->count == steady->capacity && steady_grow(steady) < 0)
		return -ENOMEM;
	steady->seconds[steady->count++] = value;
	if (steady->count < steady->next_check_s)
		return 0;
	while (steady->next_check_s <= steady->count)
		steady->next_check_s *= steady->config.check_growth;
	error = steady_evaluate(&steady->config, steady->seconds, steady->count, &steady->verdict);
	return error < 0 ? error : steady->verdict.met;
}

int steady_finish(struct steady *steady, bool gate_open, struct steady_verdict *ret_verdict)
{
	int error = 0;

	if (!steady->verdict.met)
		error = steady_evaluate(&steady->config, steady->seconds, steady->count, &steady->verdict);
	if (error < 0)
		return error;
	if (!gate_open || steady->count < steady_short_s(&steady->config)) {
		steady->verdict.kind = STEADY_TIME_LIMITED;
		steady->verdict.met = false;
	}
	*ret_verdict = steady->verdict;
	return 0;
}
