/* knee: where the speed of a long fill changes for good: the end of the pseudo-SLC cache, direct writing,
 * folding.
 *
 * Input: the mean rate of each equal piece (bin) of data written, so that a stage counts by its gigabytes,
 * not its seconds. Method: logarithm, running median of 5, PELT with a penalty from the data's own noise
 * and correlation, merging of steps below 15 %, joining of regular ups and downs into one cycling stage;
 * intervals by profile likelihood. Pure functions. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define KNEE_STAGES 16
#define KNEE_BINS_MIN 32		/* below that nothing is found */
#define KNEE_BINS_MAX 4000		/* make bins larger rather than more */

/* Cuts a series of `amount` (bytes) in `duration` (s) into bins of bin_amount: rate[i] = bin_amount / time
 * it took. Fills at most bins_max; a last, unfinished bin is left out. Returns the count. */
uint32_t knee_bins(const double *amount, const double *duration, uint32_t count, double bin_amount,
		   double *rate, uint32_t bins_max);

enum stage_label {		/* a guess by rule: always shown with "likely" */
	STAGE_ONLY,		/* the speed does not change */
	STAGE_BURST,		/* first and faster than what follows: the SLC cache */
	STAGE_DIRECT,		/* into TLC or QLC */
	/* cache and direct at once: below 0.6 of a later rate, or the last of three and slow */
	STAGE_FOLDING,
	STAGE_CYCLING,		/* regular ups and downs */
	/* slow because of what was written at random before; never found here: who knows that sets it */
	STAGE_COLLECTING,
};
/* "constant" "burst" "direct" "folding" "cycling" "garbage collection" */
const char *stage_label_name(enum stage_label label);

struct stage {
	uint32_t from, to;	/* bins [from, to) */
	double from_low, from_high;	/* 95 % interval of `from`, bins; equal to `from` for the first */
	double rate;		/* mean over the stage: amount / time */
	double rate_median, rate_p5, rate_p95;	/* of bins */
	bool cycling;
	double period;		/* bins; cycling only */
	enum stage_label label;
};

struct knees {
	uint32_t stage_count;	/* knees = stage_count - 1 */
	struct stage stage[KNEE_STAGES];
	double noise;		/* standard deviation of ln rate */
	double rate;		/* of the whole fill */
};

/* 0; -ERANGE: fewer than KNEE_BINS_MIN bins; -ENOMEM. Rates must be above 0 (a bin that took for ever has a
 * tiny one). */
int knee_find(const double *rate, uint32_t count, struct knees *ret_knees);

/* Amount written before the first knee, and its interval, in bins; false when there is no knee or the first
 * stage is not a faster one (no cache seen). */
bool knee_cache(const struct knees *knees, double *ret_bins, double *ret_low, double *ret_high);

/* The first knee more exactly than one piece of the series it came from, by the balance of amounts around it:
 * the intervals beside the knee are partly at the rate before it and partly at the one after. `amount` and
 * `duration` are the series, at_amount where knee_find saw the knee. *ret_low, *ret_high: what was written
 * before and after the intervals that are mixed. False when the series has too few intervals on either side.
 */
bool knee_sharpen(const double *amount, const double *duration, uint32_t count, double at_amount,
		  double *ret_amount, double *ret_low, double *ret_high);
