/* figures: what each finished point reached, kept for picks, tracks, shares of a rate and group rounds. */
#pragma once
#include <stdint.h>
#include "measure/tally.h"
#include "plan/plan.h"

struct figure {
	uint32_t step, target;
	uint64_t record;		/* step_record.id */
	uint32_t group_key;		/* hash of the enclosing groups' points: rounds of one group belong
					 * together */
	uint32_t round, repeat;
	double iops, bytes_per_second, mean_ns;
	uint32_t value_count;
	struct plan_value values[PLAN_VALUES_MAX];
};

struct figures {
	struct figure *figure;		/* owned, in order of execution */
	uint32_t count, capacity;
};

void figures_release(struct figures *figures);
/* 0 or -ENOMEM. `totals` are the tallies of the step's loads. */
int figures_add(struct figures *figures, const struct plan_instance *instance,
		const struct tally *const *totals, uint32_t total_count, uint64_t sent_ns,
		struct figure place);
/* "iops", "bytes_per_second", "mean" (ns). NaN for another name. */
double figure_value(const struct figure *figure, const char *name);
/* Does the point text "bs=4k rwmixread=0" describe this figure? "" describes every one. */
bool figure_matches(const struct figure *figure, const char *point);

/* The point that a pick names, judged by means over the last `rounds` rounds (5) of each point; NULL = none
 * qualifies. */
const struct figure *figures_pick(const struct figures *figures, const struct plan *plan,
				  const struct plan_pick *pick, uint32_t target);
/* Mean of a figure (figure_value) over the last rounds of the point of `figure`, one of these. */
double figures_mean(const struct figures *figures, const struct figure *figure, const char *name);
/* Mean of the step's IOPS over its last point's repeats; -ENOENT before it has run. */
int figures_reached(const struct figures *figures, const struct plan *plan, const char *step, uint32_t target,
		    double *ret_iops);
