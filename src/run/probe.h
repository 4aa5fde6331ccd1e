/* probe: one run of a search at one rate: does the time of its I/Os meet the limit? Judged while it runs,
 * interval by interval, so that it can end early; and at its end by all that was measured. Private to room
 * run. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "analyze/exceedance.h"
#include "measure/tally.h"
#include "plan/plan.h"

#define PROBE_NOTE 192

struct probe {
	const struct plan_expect *limit;	/* a percentile or "max", below; borrowed */
	const char *purpose;			/* "closed loop" "bracket" "bisection" "confirmation" */
	uint32_t number;
	double rate_asked;			/* I/O per second; 0 = closed loop: nothing is judged */
	double allowed;				/* share of I/Os that may exceed the limit; 0 for max */
	bool early;				/* may end as soon as it is decided */
	struct exceedance test;
	/* outcome, after probe_finish */
	bool decided;				/* told apart from the limit with the test's confidence */
	bool stopped;				/* before its time */
	bool meets;
	double reached;				/* I/O per second that completed */
	uint64_t n, exceeding;
	uint64_t value_ns;			/* the percentile that the limit speaks of */
	char note[PROBE_NOTE];			/* for the step's record; filled at the end */
};

/* Share of I/Os that may be at or above the limit of this criterion: 0.001 for p99.9, 0 for max. */
double probe_allowed(const struct plan_expect *limit);

/* `planned`: I/Os that the whole probe is to measure. */
void probe_init(struct probe *probe, const struct plan_expect *limit, double rate_asked, uint64_t planned,
		bool early);
/* One interval of the step's own load. Returns whether the probe may end now. */
bool probe_feed(struct probe *probe, const struct tally *interval);
/* The total of the measured part. */
void probe_finish(struct probe *probe, const struct tally *total);
