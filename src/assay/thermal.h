/* thermal: did heat slow a drive down during a step? From what a host can see: the temperature once a second,
 * the speed, and the drive's own counters before and after the run.
 *
 * A drive that regulates its temperature slows down at the same temperature each time and speeds up again at
 * a lower one, and the first time takes longer than the later ones, as it begins cool. A cache that is full
 * and empty by turns has its own rhythm from the start. Reads know no cache: for them a lasting drop at the
 * highest temperature is enough. */
#pragma once
#include "assay/evidence.h"

struct thermal {
	bool known; /* there were temperatures */
	double hottest_c, mean_c;
	bool throttled;
	double at_s;	   /* since the step's start: first slow second */
	double at_c;	   /* temperature there */
	double clear_c;	   /* at which it became fast again; NaN */
	double fast, slow; /* bytes per second */
	double slow_share; /* of the seconds */
	double period_s;   /* from one slowing down to the next; NaN */
	uint32_t times;	   /* that it slowed down */
};

/* For the steps of one target. 0 or -errno. */
int thermal_of(const struct evidence *evidence, const struct step_record *step, uint32_t target,
	       struct thermal *ret_thermal);
/* Rise of the drive's own throttling counters over the run, seconds; NaN when it has none. */
double thermal_counted_s(const struct drive_record *drive);
