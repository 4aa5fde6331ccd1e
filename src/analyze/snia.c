#include <math.h>
#include "analyze/snia.h"

#define ROUNDING 1e-12		/* of the average: equality passes although binary fractions are inexact */

static void window_fit(struct snia_verdict *verdict)
{
	double sum = 0, low = INFINITY, high = -INFINITY, moment = 0;

	for (int i = 0; i < SNIA_WINDOW; i++) {
		sum += verdict->y[i];
		low = fmin(low, verdict->y[i]);
		high = fmax(high, verdict->y[i]);
		moment += (i - 2) * verdict->y[i];	/* x - mean(x) */
	}
	verdict->average = sum / SNIA_WINDOW;
	verdict->range = high - low;
	verdict->slope = moment / 10;			/* sum of (x - mean(x))^2 */
	verdict->intercept = verdict->average - 3 * verdict->slope;
}

void snia_evaluate(const double *rounds, uint32_t count, struct snia_verdict *ret_verdict)
{
	struct snia_verdict verdict = { .last_round = count, .complete = count >= SNIA_WINDOW };
	double rounding;

	for (uint32_t i = 0; verdict.complete && i < SNIA_WINDOW; i++) {
		verdict.y[i] = rounds[count - SNIA_WINDOW + i];
		if (!isfinite(verdict.y[i]))
			verdict.complete = false;
	}
	if (verdict.complete) {
		window_fit(&verdict);
		verdict.range_allowed = 0.20 * verdict.average;
		verdict.slope_excursion = fabs(verdict.slope) * (SNIA_WINDOW - 1);
		verdict.slope_allowed = 0.10 * verdict.average;
		rounding = ROUNDING * verdict.average;
		verdict.met = verdict.average > 0 && verdict.range <= verdict.range_allowed + rounding &&
			      verdict.slope_excursion <= verdict.slope_allowed + rounding;
	}
	*ret_verdict = verdict;
}

void snia_search(const double *rounds, uint32_t count, struct snia_verdict *ret_verdict)
{
	const uint32_t last = count < SNIA_ROUNDS_MAX ? count : SNIA_ROUNDS_MAX;

	for (uint32_t round = SNIA_WINDOW; round <= last; round++) {
		snia_evaluate(rounds, round, ret_verdict);
		if (ret_verdict->met)
			return;
	}
	snia_evaluate(rounds, last, ret_verdict);
}
