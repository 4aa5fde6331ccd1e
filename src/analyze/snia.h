/* snia: the steady-state rule of the SNIA Solid State Storage Performance Test Specification (PTS 2.0),
 * exactly.
 *
 * Five consecutive rounds, numbered x = 1..5 inside the window, y = the tracked figure of each. Steady when
 *   (a) max(y) - min(y) <= 20 % of the window's average, and
 *   (b) the least squares line moves by at most 10 % of the average over the window: |slope| * 4 <= 10 %.
 * Nothing is rounded; equality passes. Pure functions. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define SNIA_WINDOW 5
#define SNIA_ROUNDS_MAX 25		/* the specification's limit: then report NOT REACHED */

struct snia_verdict {
	bool met;
	bool complete;			/* there were five rounds to judge */
	uint32_t last_round;		/* 1-based number of the window's last round among those given */
	double y[SNIA_WINDOW];		/* the window's values */
	double average;
	double range, range_allowed;	/* measured and allowed data excursion */
	double slope, intercept;	/* y = slope * x + intercept, x = 1..5 */
	double slope_excursion, slope_allowed;	/* |slope| * 4 */
};

/* Judges the last five of `count` rounds. Missing rounds are NaN and never steady, nor is an average of 0
 * or less. */
void snia_evaluate(const double *rounds, uint32_t count, struct snia_verdict *ret_verdict);
/* The first window that is steady among the first SNIA_ROUNDS_MAX rounds; if none is, the last one, met =
 * false. */
void snia_search(const double *rounds, uint32_t count, struct snia_verdict *ret_verdict);
