/* levels: two levels between which a series jumps: where they are, how long it stays on each. Pure
 * function. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct levels {
	double low, high;		/* means of the two groups */
	double share_low;		/* of the points, 0..1 */
	double dwell_low, dwell_high;	/* points in a row on each, mean */
	uint32_t switches;
	/* Ashman's D = sqrt(2) |m1 - m2| / sqrt(s1^2 + s2^2): two levels above 2 */
	double separation;
	bool bimodal;			/* separation > 2 and each level holds at least 5 % of the points */
};

/* Splits where the squares within the two groups are least (exact); n >= 4, else bimodal = false and NaN. 0
 * or -ENOMEM. */
int levels_find(const double *y, uint32_t n, struct levels *ret_levels);
