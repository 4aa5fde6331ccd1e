/* deeper: how much more the same I/O did where more of it was in flight. That the load and not the drive set
 * the pace is concluded from it, so what else differs between the two must not be the reason. */
#pragma once
#include "assay/evidence.h"

#define DEEPER_IOS_MIN 1000u /* of a load that anything is concluded from */

/* I/Os asked for in flight, all workers; 0 = an open loop. */
double load_depth(const struct load_record *load);
/* All ops together, over the time that counts. */
double load_iops(const struct load_record *load);

/* The best rate of the same I/O on the same target, alone in its step, with more in flight, by the rate of
 * this load. Looks at steps of the same name, and at those of other names where the drive was in a state that
 * can be compared: they did the same as this one where they had its depth, both were verified to be steady, or
 * neither wrote (then it takes half as much again). NaN: nothing is known of that. */
double deeper_ratio(const struct evidence *evidence, const struct step_record *step,
		    const struct load_record *load);
