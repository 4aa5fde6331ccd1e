/* traces: seeded series of IOPS per second with known truth, one per kind of behaviour that drives show. */
#pragma once
#include <stdint.h>

#define TRACE_SECONDS 28800	/* eight hours */

enum trace_kind {
	TRACE_DECAY,		/* exponential to a plateau */
	TRACE_GC,		/* garbage collection: oscillation of 60-900 s, +-20-60 % */
	TRACE_BIMODAL,		/* two levels, 1-10 minutes on each */
	TRACE_BIMODAL_LONG,	/* two levels, 30 minutes on each */
	TRACE_DECLINE,		/* 15 % an hour, for ever */
	TRACE_HYPERBOLIC,	/* slower and slower decline */
	TRACE_CLIFF,		/* a late cliff, before the work gate opens: flat afterwards */
	TRACE_NOISY,		/* CV 40 %, neighbours correlated 0.7 */
	TRACE_SAWTOOTH,		/* thermal: full speed, throttled, cooled */
	TRACE_FLAT,
	TRACE_KINDS
};

extern const char *const trace_names[TRACE_KINDS];

/* Fills y[0 .. TRACE_SECONDS); returns the mean that it goes on with for ever, or NaN when there is none
 * (it declines). */
double trace_make(enum trace_kind kind, uint64_t seed, double *y);
