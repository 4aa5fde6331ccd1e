/* period: does a series repeat? By its autocorrelation (FFT). Pure function. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct period {
	bool found;
	double points;		/* length of a period, between points by a parabola through the peak */
	double strength;	/* autocorrelation at the period, 0..1 */
};

/* Linear trend removed; the first peak above 0.5 of the autocorrelation after its first zero crossing is a
 * period P if it is above 0.4 at 2 P too and the series holds at least `periods_min` of it. 0 or -ENOMEM. */
int period_find(const double *y, uint32_t n, double periods_min, struct period *ret_period);
