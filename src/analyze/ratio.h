/* ratio: is one drive faster than another? The unit is the run (purge, precondition, measure), never the
 * second: seconds of one run are not independent. Hodges-Lehmann ratio with an exact interval, exact
 * Mann-Whitney test. Pure functions. Source of the exact distribution: Mann & Whitney 1947 (recurrence); of
 * the estimate: Hodges & Lehmann 1963. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define RATIO_RUNS_MIN 4		/* per side, for any verdict at 95 % */
#define RATIO_RUNS_MAX 100
#define RATIO_MARGIN 0.03		/* smaller differences are the same */

enum ratio_verdict { RATIO_CANNOT_TELL, RATIO_SAME, RATIO_FASTER, RATIO_SLOWER };
const char *ratio_verdict_name(enum ratio_verdict verdict);	/* "cannot_tell" "same" "faster" "slower" */

struct ratio {
	enum ratio_verdict verdict;	/* of b against a, when more is better */
	double ratio;			/* b / a: median of all quotients */
	double low, high;		/* 95 % interval; NaN with too few runs */
	double confidence;		/* exact confidence of that interval, >= 0.95 */
	double p;			/* two-sided Mann-Whitney */
	/* too few runs, but all of one side beat all of the other, by more than the margin in the middle */
	bool indicative;
	uint32_t needs_runs;		/* cannot tell: about so many per side are needed; 0 = unknown */
};

/* Figures of whole runs, all above 0, 1 .. RATIO_RUNS_MAX per side; margin: 0.03 by default.
 * `bigger_is_better` false (latency) swaps faster and slower. 0, -EINVAL (a figure of 0 or less, or no
 * runs), -ENOMEM. */
int ratio_compare(const double *a, uint32_t a_count, const double *b, uint32_t b_count, double margin,
		  bool bigger_is_better, struct ratio *ret_ratio);

/* P(U <= u) of the Mann-Whitney statistic without ties, exact; n, m <= RATIO_RUNS_MAX. NaN: out of memory. */
double mann_whitney_cdf(uint32_t n, uint32_t m, uint32_t u);

/* Several comparisons with one reference: the verdicts "faster" and "slower" of all of them together shall
 * be wrong with 5 % at most. Where Holm's correction of their p leaves more than 0.05, they become "cannot
 * tell" (with `needs_runs` 0); p is replaced by the corrected one. -ENOMEM or 0. */
int ratio_judge_together(struct ratio *ratios, uint32_t count);

/* Holm's step-down: turns the p-values of `count` comparisons into ones that may be judged together. In
 * place. */
void holm_adjust(double *p, uint32_t count);
