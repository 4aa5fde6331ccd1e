/* steady: the stricter steady-state detector ("EQ-half"): an equivalence test, not a failed search for a
 * trend.
 *
 * Input: the figure of each second (I/O per second or bytes per second) after the work gate opened (what
 * must be written first is known before: no statistics can see a cliff that has not come yet). At the times
 * t0, 1.1 t0, 1.1^2 t0 ... the second half of what was seen is judged; slow things enter it as the run goes
 * on. A step that ends before t0 is judged once, at its end, when a third of t0 has passed by then; a
 * shorter one is too short to say.
 *
 *  period	does it oscillate? Then whole periods are averaged, and it may be steady as an oscillation
 *  drift	an upper 95 % bound of |slope| over the window, at least an hour, is at most 10 %
 *  precision	the half width of the mean's 95 % interval is at most 5 %
 *  regimes	no level change above 10 % in the last two thirds, nor for five times the
 *		longest stay on a level when one of the changes went up; unless the window has 8 or more
 *		changes
 *
 * Batch means with correction for their correlation: Fishman & Yarberry, "An implementation of the batch
 * means method", INFORMS J. Computing 1997. Pure: no clock, one second is one value. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "analyze/levels.h"

#define STEADY_SECONDS_MIN 240u	/* below that nothing is judged */

enum steady_kind {
	STEADY_NOT,		/* "not_steady" */
	STEADY,			/* "steady" */
	STEADY_OSCILLATING,	/* "steady_oscillating": about a constant mean, with a period */
	STEADY_REGIMES,		/* "steady_regimes": jumps between levels, often enough to average */
	STEADY_IMPRECISE,	/* "imprecise": no drift, but the mean is not known to 5 % */
	STEADY_DRIFTING,	/* "drifting" */
	STEADY_TIME_LIMITED,	/* "time_limited": ended before the work gate opened, or too soon after it */
};
const char *steady_kind_name(enum steady_kind kind);

struct steady_config {
	double first_check_s;		/* t0; 3600, with --quick 1200 */
	double check_growth;		/* 1.1 */
	double horizon_s;		/* H; 3600 */
	double drift_max;		/* 0.10 over max(window, horizon) */
	double precision_max;		/* 0.05, strict 0.025 */
};
extern const struct steady_config steady_config_default;
/* For --scale: all times multiplied. */
struct steady_config steady_config_scaled(const struct steady_config *config, double scale);

/* Seconds after the gate from which on a step that ends can be judged: t0 / 3. */
double steady_short_s(const struct steady_config *config);

struct steady_verdict {
	enum steady_kind kind;
	bool met;			/* one of the three steady kinds */
	uint32_t judged_s;		/* seconds since the gate; the window is their second half */
	uint32_t window_start_s;
	double mean;			/* of the window */
	double mean_half_width;		/* of its 95 % interval, as a share of the mean: precision */
	double drift_per_hour;		/* share of the mean, signed */
	double drift_half_width;	/* of its 90 % interval, share of the mean per hour */
	double drift_bound;		/* what is compared with drift_max */
	uint32_t batches;
	double batch_s;
	double period_s;		/* 0 = none */
	double amplitude;		/* of the oscillation: half of (high - low), as a share of the mean */
	uint32_t big_changes;		/* level changes above 10 % in the window */
	double last_change_s;		/* the last one, since the gate; 0 = none */
	double longest_stay_s;		/* on one level before it, when one of the changes went up; else 0 */
	struct levels levels;		/* oscillating and regimes: the two levels, in 10-s points */
	double unseen_every_s;		/* a state that comes less often would not have been seen (95 %) */
};

/* Judges seconds[0 .. count). Missing seconds are NaN and left out. 0 or -ENOMEM. */
int steady_evaluate(const struct steady_config *config, const double *seconds, uint32_t count,
		    struct steady_verdict *ret_verdict);

#define STEADY_BATCHES_MAX 96u
/* The batch means of the window that were judged; how many (0: nothing was judged), STEADY_BATCHES_MAX at
 * most. */
uint32_t steady_batches(const double *seconds, const struct steady_verdict *verdict, double *ret_means);

/* On-line: feeds one second after the other, judges when due. A zeroed struct but for config is empty. */
struct steady {
	struct steady_config config;
	double *seconds;		/* since the gate; owned */
	uint32_t count, capacity;
	double next_check_s;
	struct steady_verdict verdict;	/* the last */
};

void steady_init(struct steady *steady, const struct steady_config *config);
void steady_release(struct steady *steady);
/* One more second. 1 = steady: stop; 0 = go on; -ENOMEM. Call only while the work gate is open. */
int steady_feed(struct steady *steady, double value);
/* At the end of a step's time: judges what there is. `gate_open` false makes it time-limited, and so do fewer
 * seconds than steady_short_s. 0 or -ENOMEM. */
int steady_finish(struct steady *steady, bool gate_open, struct steady_verdict *ret_verdict);
