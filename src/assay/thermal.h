/* thermal: did heat slow a drive down during a step? From what a host can see: the temperature once a second,
 * the speed, the temperature at which the drive says that it warns or slows down, and its own counters
 * before and after the run.
 *
 * Of a drive that tells where it warns, heat is what cuts the speed there. One that does not tell is known
 * by its rhythm: it slows down at the same temperature each time and speeds up again at a lower one, and the
 * first time takes longer than the later ones, as it begins cool. A cache that is full and empty by turns has
 * its own rhythm from the start. Reads know no cache: for them a lasting drop when it is warm is enough. */
#pragma once
#include "assay/evidence.h"

struct thermal {
	bool known; /* there were temperatures */
	bool judged; /* and enough seconds to look at speed and temperature */
	double hottest_c, mean_c;
	bool throttled;
	double at_s;	   /* since the step's start: first slow second */
	double at_c;	   /* temperature there */
	double clear_c;	   /* at which it became fast again; NaN */
	double fast, slow; /* bytes per second */
	double slow_s;	   /* seconds that it was slowed down */
	double slow_share; /* of the step's */
	double period_s;   /* from one slowing down to the next; NaN */
	bool brief;	   /* again and again for too short to be seen once a second: slow and slow_s, period_s, times are not
			    * the drive's */
	uint32_t times;	   /* that it slowed down */
	double limit_c;	   /* where it says that it warns or slows down, the lowest; NaN */
	double stood_s;	   /* seconds at limit_c or above with no cut to be seen in the step */
	bool unclear;	   /* writes, limit_c unknown: they fell for good when it was warm, at at_c */
};

/* For the steps of one target. 0 or -errno. */
int thermal_of(const struct evidence *evidence, const struct step_record *step, uint32_t target,
	       struct thermal *ret_thermal);
/* The lowest temperature at which the drive says that it warns or slows down; NaN when it tells none. */
double thermal_limit_c(const struct evidence *evidence, uint32_t target);
/* Rise of the drive's own throttling counters over the run, seconds; NaN when it has none. */
double thermal_counted_s(const struct drive_record *drive);
