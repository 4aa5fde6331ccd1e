/* recovery: how much fast cache comes back with idle time. After each idle a burst is written until the
 * speed falls below 0.7 of the burst's own; the amount until then, r, follows r(t) = r_inf (1 - exp(-t /
 * tau)). Pure functions. */
#pragma once
#include <stdint.h>

#define RECOVERY_IDLES 32

/* Amount of a burst before its speed stays below 0.7 of its start: amount[] per interval of duration[] s.
 * `start` is the median rate of the first three intervals; one slow interval alone does not end it. */
double recovery_amount(const double *amount, const double *duration, uint32_t count);

struct recovery_point {
	double idle_s;
	double amount;			/* mean of the repeats */
	double half_width;		/* of its 95 % interval (Student); NaN below 2 repeats */
	uint32_t repeats;
};

struct recovery {
	uint32_t point_count;		/* distinct idle times, ascending */
	struct recovery_point point[RECOVERY_IDLES];
	double amount_infinite;		/* r_inf; NaN: no fit (below 3 idle times, or nothing recovered) */
	double tau_s;
	double rate_initial;		/* r_inf / tau: background folding, amount per second */
	double misfit;			/* root mean square residual / r_inf */
	double idle_90_s;		/* idle time that gives back 90 %: tau ln 10 */
};

/* One entry per burst, any order. */
void recovery_fit(const double *idle_s, const double *amount, uint32_t count, struct recovery *ret_recovery);
