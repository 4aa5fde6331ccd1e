/* counted: the I/Os of a step that its figures count: those of its verified steady window where it has one,
 * else all that were measured. Every form of a report tells the same ones.
 *
 * Percentiles are graded by what the I/Os are worth (report/latency.h), which takes the step's intervals. */
#pragma once
#include "report/model.h"

/* Does this interval lie in the part that counts? */
bool counted_interval(const struct report_step *step, const struct interval_row *row);

/* Rates and latencies of the step's loads, whose totals are set. 0, -ENOMEM or the store's -errno. */
int counted_fill(struct report_model *model, struct report_step *step);

/* Latency of loads together, by the natural clock of each (report_natural). */
struct counted_load {
	const struct report_step *step;
	const struct report_load *load;
};
#define COUNTED_ALL IO_OPS	/* in place of a direction: all of them together */
/* loads: those of one step one after another. `histogram` is filled, and borrowed by *ret_latency. 0, -ENOMEM
 * or the store's -errno. */
int counted_merge(struct store *store, const struct counted_load *loads, uint32_t count, int op,
		  struct histogram *histogram, struct report_latency *ret_latency);
/* The histogram alone. */
void counted_histogram(const struct counted_load *loads, uint32_t count, int op,
		       struct histogram *ret_histogram);
/* How the I/Os of that histogram slower than value_ns (`count`, rising) are spread over time: `spread` is
 * initialised, release it. 0, -ENOMEM or the store's -errno. */
int counted_spread(struct store *store, const struct counted_load *loads, uint32_t load_count, int op,
		   const uint64_t *value_ns, uint32_t count, struct spread *spread);
